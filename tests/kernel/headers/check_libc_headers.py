#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every libc header that is installed with include/kernel in front of it.

libc's headers include names that include/kernel has as well: <linux/types.h>, <linux/kernel.h>. So

- each compiles alone, and has all macros and structures that it has without include/kernel;
- it does in front of the kernel headers in USUAL, and behind them;
- it does behind each header of include/kernel that some libc header brings along.

Without --long the last two are tried with many of libc's headers in a source; one by one if that
fails, since some of libc's own cannot be together.

And libc may have a macro of the name of any of its functions. So the headers compile where each
name that the library exports is one, and so do the sources in src.
"""
import argparse
import concurrent.futures
import re
import subprocess
import sys
from pathlib import Path

from compiling import KERNEL, ROOT

FRONT = ["-I", str(KERNEL), "-I", str(ROOT / "include")]
FLAGS = ["-std=gnu17", "-O1", "-D_GNU_SOURCE"]
USUAL = ["linux/module.h", "linux/kernel.h", "linux/slab.h", "linux/mm.h", "linux/list.h",
         "linux/string.h", "linux/ctype.h", "linux/sched.h", "linux/kthread.h", "linux/spinlock.h",
         "linux/timer.h", "linux/time.h", "linux/delay.h", "linux/random.h", "linux/stat.h",
         "linux/limits.h", "linux/fs.h", "linux/mman.h", "linux/uaccess.h", "kunit/test.h"]
# Folders of headers that are not libc's, and glibc's that its other headers include.
FOREIGN = {"linux", "asm", "asm-generic", "c++", "drm", "mtd", "misc", "rdma", "sound", "video",
           "xen", "bits", "gnu", "finclude"}
# The kernel's jiffies are not libc's, and its inline functions are.
CHANGED = {"HZ", "__always_inline"}
# Behind <linux/byteorder.h> only the machine's order has a name.
BYTE_ORDERS = {"__BIG_ENDIAN", "__LITTLE_ENDIAN"}
STRUCTURE = re.compile(r"\b(?:struct|union)\s+(\w+)\s*(?:__attribute__\s*\(\(.*?\)\)\s*)?\{")
SHOWN_LINES = 4
REMOVED = re.compile(r'#error "Linux \d+\.\d+ removed <')


def is_removed(header):
    path = KERNEL / header
    return path.exists() and bool(REMOVED.search(path.read_text()))


def includes(headers):
    return "".join(f"#include <{header}>\n" for header in headers)


def spelling(definition):
    """A definition without parts that have no meaning: spaces, and underscores around keywords."""
    return re.sub(r"[\s_]", "", definition)


class Compiler:
    def __init__(self, command):
        self.command = command.split()

    def run(self, text, *options, flags=FLAGS):
        return subprocess.run([*self.command, *flags, *options, "-x", "c", "-"], input=text,
                              text=True, errors="replace", capture_output=True)

    def complaint(self, headers, front=FRONT):
        """The compiler's error for these headers in this order; None if there is none."""
        result = self.run(includes(headers), *front, "-fsyntax-only")
        return result.stderr if result.returncode else None

    def folders(self):
        """Where <...> is looked for."""
        said = self.run("", "-E", "-v").stderr
        listed = said.partition("#include <...> search starts here:\n")[2].partition("\nEnd of")[0]
        return [Path(line.strip()) for line in listed.splitlines()]

    def offers(self, headers, *front):
        """The macros, each with its definition, and the structures that these headers define."""
        macros = self.run(includes(headers), *front, "-E", "-dM").stdout
        text = self.run(includes(headers), *front, "-E", "-P").stdout
        return (dict(re.findall(r"^#define (\w+)(.*)$", macros, re.M)),
                set(STRUCTURE.findall(text)))


def packaged_headers(folder):
    """The files of the package that <features.h> is in; None where nobody knows."""
    try:
        owner = subprocess.run(["dpkg", "-S", folder / "features.h"], text=True,
                               capture_output=True)
        package = owner.stdout.partition(": ")[0]
        listed = subprocess.run(["dpkg", "-L", package], text=True, capture_output=True)
    except FileNotFoundError:
        return None
    return set(listed.stdout.splitlines()) if owner.returncode == 0 else None


def libc_headers(compiler):
    """The names of libc's headers on this machine. The folder of <features.h> is libc's."""
    folders = [folder for folder in compiler.folders() if "gcc" not in folder.parts]
    home = [folder for folder in folders if (folder / "features.h").exists()]
    if not home:
        sys.exit("no <features.h>: is a libc installed?")
    packaged = packaged_headers(home[0])
    names = set()
    for folder in folders if packaged else home:
        for path in folder.rglob("*.h"):
            name = path.relative_to(folder)
            if name.parts[0] in FOREIGN or folder / name.parts[0] in folders:
                continue
            if packaged is not None and str(path) not in packaged:
                continue
            names.add(str(name))
    # Without a package manager: glibc's name it, and what is beside them is others'.
    if packaged is None and (home[0] / "gnu").is_dir():
        names = {name for name in names
                 if any("GNU C Library" in (folder / name).read_text(errors="replace")
                        for folder in folders if (folder / name).exists())}
    return sorted(names)


class Checker:
    def __init__(self, args):
        self.compiler = Compiler(args.compiler)
        self.jobs, self.long = args.jobs, args.long
        self.passed = self.failed = 0

    def report(self, name, complaint):
        if complaint is None:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED {name}")
        lines = [line for line in complaint.splitlines() if "error" in line]
        print("\n".join((lines or complaint.splitlines())[:SHOWN_LINES]))

    def each(self, function, things):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(function, things))

    def alone(self, header):
        """What is wrong with it alone, and which headers of include/kernel it brings along."""
        without = self.compiler.run(includes([header]), "-fsyntax-only")
        if without.returncode:
            return header, None, set()	# some of libc's do not compile by themselves
        result = self.compiler.run(includes([header]), *FRONT, "-fsyntax-only", "-H")
        brought = {path[len(str(KERNEL)) + 1:]
                   for path in re.findall(r"^\.+ (.+)$", result.stderr, re.M)
                   if path.startswith(str(KERNEL))}
        if result.returncode:
            return header, result.stderr, brought
        if not brought:
            return header, "", brought
        macros, structures = self.compiler.offers([header])
        our_macros, our_structures = self.compiler.offers([header], *FRONT)
        lost = (macros.keys() - our_macros.keys()) | (structures - our_structures)
        if "linux/byteorder.h" in brought:
            lost -= BYTE_ORDERS
        changed = sorted(name for name in macros.keys() & our_macros.keys()
                         if spelling(macros[name]) != spelling(our_macros[name]) and
                         name not in CHANGED)
        wrong = [f"error: it lacks {name}" for name in sorted(lost)]
        wrong += [f"error: {name} is{our_macros[name]}, not{macros[name]}" for name in changed]
        return header, "\n".join(wrong), brought

    def together(self, name, order, headers):
        """order makes the list of headers of some of libc's. In one source if they can be."""
        groups = [[header] for header in headers] if self.long else self.groups(headers, order)
        complaints = self.each(lambda group: self.compiler.complaint(order(group)), groups)
        for group, complaint in zip(groups, complaints):
            self.report(f"{name}: <{group[0]}> and {len(group) - 1} more", complaint)

    def groups(self, headers, order=list, front=FRONT):
        """As few as libc's headers can be in, in this order with others. A header that cannot even
        be alone is a group as well."""
        groups, rest = [], headers
        while rest:
            group, left = rest, []
            while len(group) > 1:
                complaint = self.compiler.complaint(order(group), front)
                if complaint is None:
                    break
                # The header in which it happened, or half of them.
                named = [header for header in group[1:]
                         if re.search(rf"/{re.escape(header)}:\d+:\d+: error", complaint)]
                named = named or group[len(group) // 2:]
                left += named
                group = [header for header in group if header not in named]
            groups.append(group)
            rest = left
        return groups

    def check_headers(self):
        headers = libc_headers(self.compiler)
        if len(headers) < 50:
            sys.exit(f"only {len(headers)} headers of libc")
        usable, brought = [], set()
        for header, complaint, brings in self.each(self.alone, headers):
            if complaint is None:
                continue
            usable.append(header)
            brought |= brings
            self.report(f"<{header}> alone", complaint or None)
        brought -= {header for header in brought if header in headers}
        print(f"{len(usable)} headers of libc, which bring {len(brought)} of include/kernel")
        self.together("in front of the usual kernel headers", lambda some: some + USUAL, usable)
        self.together("behind the usual kernel headers", lambda some: USUAL + some, usable)
        self.together("behind what some libc header brings",
                      lambda some: sorted(brought) + some, usable)
        return self.groups(usable, front=[])[0]

    def library_functions(self):
        """The names that libc exports, where it is a shared library that nm can read."""
        names = set()
        for library in ("libc.so.6", "libm.so.6"):
            path = subprocess.run([*self.compiler.command, f"-print-file-name={library}"],
                                  text=True, capture_output=True).stdout.strip()
            listed = subprocess.run(["nm", "--dynamic", "--defined-only", path], text=True,
                                    capture_output=True).stdout
            names |= set(re.findall(r"^[0-9a-f]+ [TWi] (\w+)", listed, re.M))
        return sorted(name for name in names if not name.startswith("_"))

    def check_macros(self, libc):
        """All of libc's functions are macros: calls work, and what calls them by a name that is in
        parentheses; anything else is an error."""
        functions = self.library_functions()
        if not functions:
            print("libc's names are not known: skipped what may be a macro")
            return
        macros = "".join(f"#undef {name}\n#define {name}(...) (1 ? ({name})(__VA_ARGS__) : "
                         f"({name})(__VA_ARGS__))\n"
                         for name in [*functions, "_tolower", "_toupper"])
        # These have macros for names of types and members.
        plain = [header for header in libc
                 if header not in ("sys/queue.h", "resolv.h") and not header.startswith("arpa/")]
        ours = sorted(str(path.relative_to(KERNEL)) for path in KERNEL.glob("*/**/*.h"))
        ours += sorted(f"usermm/{path.name}" for path in (ROOT / "include/usermm").glob("*.h"))
        # A header that Linux has removed is an error.
        ours = [header for header in ours if header not in libc and not is_removed(header)]
        result = self.compiler.run(includes(plain) + macros + includes(ours), *FRONT, "-Werror",
                                   "-Wno-error=cpp", "-fsyntax-only")
        self.report("headers where libc has macros", result.stderr if result.returncode else None)

        options = ["-I", str(ROOT / "src"), "-I", str(ROOT / "include"), "-DUSERMM_DEBUG=0",
                   "-fsyntax-only"]
        # Those that define what libc has; with --long all.
        folder = ROOT / "src" if self.long else ROOT / "src" / "malloc"
        sources = [path for path in sorted(folder.rglob("*.c")) if "avx2" not in path.name]

        # What src includes of libc comes in front of the macros. <malloc.h> it includes nowhere.
        used = {header for path in (ROOT / "src").rglob("*.[ch]")
                for header in re.findall(r"^#include <(.*)>$", path.read_text(), re.M)}
        text = includes(sorted(used & set(libc))) + macros

        def compile_source(path):
            return self.compiler.run(f'{text}#include "{path}"\n', *options)
        for path, result in zip(sources, self.each(compile_source, sources)):
            self.report(f"{path.relative_to(ROOT)} where libc has macros",
                        result.stderr if result.returncode else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="cc", help="with arguments, if any")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--long", action="store_true", help="each of libc's headers by itself")
    args = parser.parse_args()

    checker = Checker(args)
    libc = checker.check_headers()
    checker.check_macros(libc)
    print(f"{checker.passed} passed, {checker.failed} failed")
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
