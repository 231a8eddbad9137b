#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that there is no weak reference that some linkers make 0 for good.

    check_weak.py COMPILER FILE...

FILE is an object, an archive or an executable. Some of glibc's names are in its loader alone. The
linker does not get the loader as a library, only as something that libc.so may need. For a weak
reference mold 1, and lld with -no-pie, do not look there. They make the reference 0, although the
loader has the name when the program runs. So a name that the loader has and libc.so lacks may not
be weak. Each offence is one line; the exit status is then 1.
"""
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported(library):
    """The names that a shared library has."""
    rows = (line.split() for line in output("nm", "-D", "--defined-only", library).splitlines())
    return {row[2].split("@")[0] for row in rows if len(row) == 3}


def names_of_loader(compiler):
    """The names that the loader has and libc.so lacks. Empty where libc is its own loader."""
    libc = output(compiler, "-print-file-name=libc.so.6").strip()
    if "/" not in libc:
        return set()
    needed = re.findall(r"NEEDED.*\[(ld[^\]]*)\]", output("readelf", "-d", libc))
    loaders = [output(compiler, f"-print-file-name={name}").strip() for name in needed]
    return set().union(*map(exported, loaders)) - exported(libc)


def weak_references(path):
    """(member, name) of the weak undefined names of a file."""
    member = ""
    for line in output("nm", "--undefined-only", path).splitlines():
        words = line.split()
        if line.endswith(":"):
            member = line[:-1]
        elif len(words) == 2 and words[0] in ("w", "v"):
            yield member, words[1].split("@")[0]


def main():
    if not sys.argv[2:]:
        sys.exit(__doc__)
    compiler, *files = sys.argv[1:]
    loader, offences = names_of_loader(compiler), 0
    for path in files:
        for member, name in weak_references(path):
            if name in loader:
                print(f"{path}: {member}: {name} is weak, and only "
                      "libc's loader has it; refer to it without weak, or look it up")
                offences += 1
    print(f"check_weak: {len(files)} files, {len(loader)} names of the loader, {offences} offences")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
