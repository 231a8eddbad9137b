#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the names that the headers of include/kernel declare with those of Linux's headers.

    compare_names.py TREE [--version 7.3] [--removed | --missing] [--uses FOLDER...] [HEADER...]

TREE is a configured kernel tree (x86-64, `make defconfig prepare`) of that version. Two lists:

removed: names that compile here and that no header of TREE mentions. Linux removed them, so their
         use should be an error; see USERMM_REMOVED in linux/compiler.h.
missing: names that a header of TREE declares, and ours of the same name does not. Without HEADER,
         of the headers in SUPPORTED.

Each name stands with the number of source files in the FOLDERs of TREE that use it, the most
used first. names_exceptions.txt lists names that differ on purpose; the exit status is 1 if there
is a removed name that is not listed there.
"""
import argparse
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from compare_reach import OURS, linux_flags
from compiling import KERNEL

EXCEPTIONS = Path(__file__).resolve().parent / "names_exceptions.txt"
SUPPORTED = ["linux/gfp.h", "linux/gfp_types.h", "linux/slab.h", "linux/mm.h", "linux/mmzone.h",
             "linux/mm_types.h", "linux/page_ref.h", "linux/page-flags.h", "linux/vmalloc.h",
             "linux/mempool.h", "linux/vmstat.h", "linux/page_frag_cache.h", "linux/shrinker.h",
             "linux/folio_batch.h", "linux/highmem.h", "linux/sched/mm.h", "linux/percpu.h",
             "linux/fault-inject.h", "linux/nodemask.h", "linux/oom.h", "linux/list.h",
             "linux/rcupdate.h", "linux/workqueue.h", "linux/kthread.h", "linux/xarray.h",
             "linux/llist.h", "linux/bitmap.h", "linux/cpumask.h", "linux/overflow.h",
             "linux/percpu_counter.h", "linux/percpu-refcount.h", "linux/dma-mapping.h"]
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w+")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
DEFINE = re.compile(r"\s*#\s*(define|undef)\s+(\w+)")
MARKER = re.compile(r'# \d+ "([^"]*)"')
FOLDERS = ["include/linux", "include/kunit", "include/trace/events", "include/asm-generic",
           "arch/x86/include/asm"]
TAGS = ["ctags", "--options=NONE", "--language-force=C", "--kinds-C=+px-ml",
        "--line-directives=yes", "-I", "__attribute__+,__asm__+", "-x", "--_xformat=%N %F"]
# usermm's own names, a header's guard, and names for a header's own use.
OWN = re.compile(r"(?i)usermm|^_*(kernel|linux|asm|kunit|mm|trace)_\w*_?h_*$|^__anon")


def declared(flags, headers):
    """{name: file} of what the headers bring, one after the other."""
    # A header that may not be included directly gives an error: other headers bring it, or it has
    # no names.
    text = subprocess.run(["cc", *flags, "-E", "-dD", "-xc", "-"], text=True, check=False,
                          capture_output=True, input="".join(
                              f"#if __has_include(<{header}>)\n#include <{header}>\n#endif\n"
                              for header in headers)).stdout
    found, file, rest = {}, "", []
    for line in text.splitlines(keepends=True):
        define = DEFINE.match(line)
        if define and define[1] == "define":
            found[define[2]] = file
        elif define:
            found.pop(define[2], None)
        else:
            rest.append(line)
            if marker := MARKER.match(line):
                file = marker[1]
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.writelines(rest)
        source.flush()
        lines = subprocess.run([*TAGS, source.name], text=True, check=True,
                               capture_output=True).stdout.splitlines()
    found.update(line.split(" ", 1) for line in lines)
    return found


def mentioned(tree):
    """The words of the tree's headers, comments left out."""
    words = set()
    for folder in ("include", "arch/x86/include"):
        for path in (tree / folder).rglob("*.h"):
            words.update(IDENTIFIER.findall(COMMENT.sub(" ", path.read_text(errors="replace"))))
    return words


def uses(tree, folders, names):
    """{name: the number of source files that use it}."""
    count = collections.Counter()
    for folder in folders:
        for path in (tree / folder).rglob("*.c"):
            count.update(names & set(IDENTIFIER.findall(path.read_text(errors="replace"))))
    return count


def read_exceptions():
    return {line.split()[0] for line in EXCEPTIONS.read_text().splitlines()
            if line and not line.startswith("#")}


def find_removed(ours, there, tree):
    known = mentioned(tree) | set(there)
    return {name: header_name(file) for name, file in ours.items()
            if str(KERNEL.parent) in file and name not in known and not OWN.search(name)}


def header_name(file):
    """linux/gfp.h, of any folder's."""
    return re.sub(r".*/include/(kernel/|uapi/|generated/)*", "", file)


def find_missing(ours, there, wanted):
    return {name: header_name(file) for name, file in there.items()
            if header_name(file) in wanted and name not in ours and not OWN.search(name)}


def show(title, found, count):
    print(f"{title}: {len(found)} names")
    for name in sorted(found, key=lambda name: (-count[name], found[name], name)):
        print(f"  {count[name]:5} <{found[name]}> {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--version", default="7.3")
    parser.add_argument("--removed", action="store_true")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--uses", nargs="*",
                        default=["drivers", "fs", "net", "mm", "kernel", "lib"])
    parser.add_argument("headers", nargs="*", metavar="HEADER")
    args = parser.parse_intermixed_args()
    tree = args.tree.resolve()
    if not (tree / "include" / "generated" / "autoconf.h").exists():
        sys.exit(f"{tree} is no configured kernel tree: run `make defconfig prepare` there")

    headers = sorted((str(path.relative_to(KERNEL)) for path in KERNEL.rglob("*.h")
                     if re.match("linux|asm|kunit|trace", str(path.relative_to(KERNEL)))),
                     reverse=True)
    major, minor = map(int, args.version.split("."))
    ours = declared([*OURS, "-DUSERMM_NO_REMOVED_NAMES",
                     f"-DLINUX_VERSION_CODE={major << 16 | minor << 8}"], headers)
    there = declared(linux_flags(tree), headers)
    removed = {} if args.missing else find_removed(ours, there, tree)
    missing = {} if args.removed else find_missing(ours, there, args.headers or SUPPORTED)
    for name in read_exceptions():
        removed.pop(name, None)
        missing.pop(name, None)
    count = uses(tree, args.uses, set(removed) | set(missing))
    if not args.missing:
        show("removed", removed, count)
    if not args.removed:
        show("missing", missing, count)
    return 1 if removed else 0


if __name__ == "__main__":
    sys.exit(main())
