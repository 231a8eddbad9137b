#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what each header of include/kernel brings with what Linux's header brings.

    compare_reach.py TREE [--exceptions]

TREE is a configured kernel tree (x86-64, `make defconfig prepare`). A source that includes
<linux/cdev.h> and calls class_create() compiles in Linux, since cdev.h brings device.h. So each
header here includes those of ours that Linux's header of that name brings. reach_exceptions.txt
lists the pairs that would make a circle here. --exceptions prints that list anew.
"""
import argparse
import concurrent.futures
import functools
import re
import subprocess
import sys
from pathlib import Path

from compiling import KERNEL, ROOT

# A header of ours that has nothing but this stands for the headers that it includes.
HARMLESS = re.compile(r"\s*(#\s*(include|ifndef|endif)\b.*|#\s*define\s+\w+_H_?\s*)?$")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
INCLUDE = re.compile(r"#\s*include\s*<(.*?)>")
EXCEPTIONS = Path(__file__).resolve().parent / "reach_exceptions.txt"
# libc includes these as well: they stay small. The others have no matter of their own.
NO_MATTER = re.compile(
    r"^(asm/(byteorder|param|rwonce)|generated/.*|uapi/.*|vdso/.*|kunit/.*|trace/.*|"
    r"linux/(byteorder|compiler|compiler_attributes|compiler_types|const|errno|export|kasan|"
    r"kconfig|kcsan-checks|kernel|limits|stat|stddef|sysinfo|types|version))\.h$")
OURS = ["-D__KERNEL__", "-DMODULE", '-DKBUILD_MODNAME="x"', "-I", str(KERNEL), "-I",
        str(ROOT / "include")]


def linux_flags(tree):
    arch = tree / "arch" / "x86" / "include"
    folders = [arch, arch / "generated", tree / "include", arch / "uapi",
               arch / "generated" / "uapi", tree / "include" / "uapi",
               tree / "include" / "generated" / "uapi"]
    first = ["compiler-version.h", "kconfig.h", "compiler_types.h"]
    return ["-nostdinc", *(f"-I{folder}" for folder in folders),
            *(f"-include{tree}/include/linux/{name}" for name in first), "-std=gnu11",
            "-D__KERNEL__", "-DMODULE", *(f'-DKBUILD_{name}="x"' for name in
                                          ("MODNAME", "BASENAME", "MODFILE"))]


def files_read(flags, header):
    """The files that the header brings; None if it is none there, or does not stand alone."""
    result = subprocess.run(["cc", *flags, "-M", "-xc", "-"], input=f"#include <{header}>\n",
                            capture_output=True, text=True, check=False)
    return None if result.returncode else result.stdout.replace("\\\n", " ").split()[1:]


def names(files):
    """<linux/slab.h> for each file that ends so, whatever folder of headers it is in."""
    found = (re.search(r"include/(?:kernel/|generated/uapi/|generated/|uapi/)?"
                       r"((?:linux|asm|asm-generic)/.*)", name) for name in files)
    return {match.group(1) for match in found if match}


@functools.cache
def with_matter(header):
    """The headers that have what this one brings: itself, unless it only includes others."""
    text = COMMENT.sub("", (KERNEL / header).read_text())
    if not all(HARMLESS.match(line) for line in text.splitlines()):
        return {header}
    included = [name for name in INCLUDE.findall(text) if (KERNEL / name).exists()]
    return set().union(*map(with_matter, included))


def missing_here(header, tree, ours):
    brought_there = files_read(linux_flags(tree), header)
    brought_here = files_read(OURS, header)
    if brought_there is None or brought_here is None:
        return None
    wanted = set().union(*map(with_matter, names(brought_there) & ours - {header}))
    return sorted(other for other in wanted - names(brought_here) - {header}
                  if not NO_MATTER.match(other))


def read_exceptions():
    lines = (line.partition(":") for line in EXCEPTIONS.read_text().splitlines()
             if line and not line.startswith("#"))
    return {header: set(rest.split()) for header, _, rest in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--exceptions", action="store_true")
    args = parser.parse_args()
    if not (args.tree / "include" / "generated" / "autoconf.h").exists():
        sys.exit(f"{args.tree} is no configured kernel tree: run `make defconfig prepare` there")
    ours = {str(path.relative_to(KERNEL)) for path in KERNEL.rglob("*.h")}
    headers = sorted(header for header in ours if not NO_MATTER.match(header))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        missing = dict(zip(headers, pool.map(
            lambda header: missing_here(header, args.tree.resolve(), ours), headers)))
    compared = {header: others for header, others in missing.items() if others is not None}
    if args.exceptions:
        for header, others in compared.items():
            if others:
                print(f"{header}: {' '.join(others)}")
        return 0
    excepted, failed = read_exceptions(), 0
    for header, others in compared.items():
        if wrong := set(others) - excepted.get(header, set()):
            failed += 1
            print(f"FAILED: <{header}> does not bring {' '.join(sorted(wrong))}: include them in "
                  f"include/kernel/{header}")
        if gone := excepted.get(header, set()) - set(others):
            print(f"{EXCEPTIONS.name}: no exception any more: {header}: {' '.join(sorted(gone))}")
    print(f"{len(compared)} headers compared, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
