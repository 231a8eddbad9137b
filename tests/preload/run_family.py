#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs programs that define some of malloc's functions, under libc alone and under the library.

Each program (own_family.cc) says of each entry point whose block it gives: the program's or the
library's. Under the preloaded library it has to say the same as under libc. So every function that
a program does not define ends where libc's would. Only aligned forms of operator new end in
aligned_alloc() whatever the C++ runtime calls: libstdc++ calls posix_memalign() since GCC 14.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FOUR = "malloc free calloc realloc"
ALL = FOUR + " aligned_alloc memalign posix_memalign malloc_usable_size"
ALIGNED = "aligned_alloc memalign posix_memalign"

# The kind of the program's functions, and which of them it has. A program whose blocks libc does
# not know needs a free() of its own.
PROGRAMS = [
    ("ARENA", ""),
    ("ARENA", "malloc free"),
    ("ARENA", "malloc free realloc"),
    ("ARENA", "free calloc realloc"),
    ("ARENA", "free realloc"),
    ("ARENA", FOUR),
    ("ARENA", FOUR + " aligned_alloc"),
    ("ARENA", FOUR + " memalign posix_memalign"),
    ("ARENA", FOUR + " malloc_usable_size"),
    ("ARENA", "free " + ALIGNED),
    ("ARENA", ALL),
    ("THROUGH", "malloc"),
    ("THROUGH", "free"),
    ("THROUGH", "realloc"),
    ("THROUGH", "malloc free"),
    ("THROUGH", "malloc calloc"),
    ("THROUGH", FOUR),
    ("THROUGH", ALL),
    ("MARKED", FOUR),
    ("MARKED", FOUR + " malloc_usable_size"),
]
OPTIONS = ["", "hardened=1", "rseq=off"]


def run(program, library="", options=""):
    env = dict(os.environ, LD_PRELOAD=library, USERMM_OPTIONS=options)
    result = subprocess.run([program], env=env, capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout, result.stderr


def differences(expected, found):
    pairs = zip(expected.splitlines(), found.splitlines())
    return "; ".join(f"'{new}' and not '{old}'" for old, new in pairs if old != new)


def check(program, library, names):
    """The faults, one line each."""
    status, expected, err = run(program)
    if status or err:
        yield f"not under libc either: status {status} {err.strip()}"
        return
    owner = "program" if "aligned_alloc" in names.split() else "library"
    expected, found = re.subn(r"(?m)^(new Wide is of the ).*", rf"\1{owner}", expected)
    if found != 1:
        yield f"{found} lines say whose block `new Wide` is"
    for options in OPTIONS:
        status, out, err = run(program, library, options)
        # This one line is right: the program has no realloc() for its blocks.
        lines = [line for line in err.splitlines() if "define that as well" not in line]
        if status or lines or out != expected:
            yield f"options '{options}': status {status} {differences(expected, out)} {err[:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--compiler", default="c++")
    args = parser.parse_args()

    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, names in PROGRAMS:
            program = os.path.join(folder, "program")
            own = [f"-DOWN_{name.upper()}" for name in names.split()]
            subprocess.run([args.compiler, "-std=c++17", "-O1", "-w", "-fno-builtin",
                            "-fsized-deallocation", f"-DKIND={kind}", *own, "-o", program,
                            HERE / "own_family.cc"], check=True)
            for fault in check(program, args.library, names):
                faults += 1
                print(f"FAIL {kind} {names or '(none)'}: {fault}")
    print(f"{len(PROGRAMS)} programs, {faults} failures")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
