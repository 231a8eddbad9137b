#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Starts a program beside libraries that own one of libc's functions each.

Another preloaded library may define any function of libc. Such an owner often does something once,
at the first call, under a lock: it loads a library, or allocates. If malloc() called this function,
it would wait for a lock that its own thread holds. So this test takes each function that the
library imports from libc, makes an owner of it (owner.c), and starts a program with the owner in
front of the library and behind it. Where the program starts with the owner alone, it starts with
both. With --long also where the library has its thread from the start, and without sequences.

A new import is tested by itself: the list comes from the library.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Communication libraries own these to learn what memory is in use. So they are to be called, and
# their owners run inside any malloc().
SEEN_BY_OTHERS = {"mmap", "munmap", "mremap", "madvise", "mprotect"}
# Compilers call these by themselves, from anywhere; errno, too, is a call.
OF_COMPILERS = {"memcpy", "memmove", "memset", "__errno_location"}
OPTIONS = "", "background=on", "rseq=off"


def functions_of(path):
    """The functions that a shared library exports."""
    lines = subprocess.run(["readelf", "--dyn-syms", "--wide", path], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    fields = [line.split() for line in lines]
    return {f[7].split("@")[0] for f in fields
            if len(f) > 7 and f[3] in ("FUNC", "IFUNC") and f[6] != "UND"}


def imports_of(path):
    lines = subprocess.run(["nm", "--dynamic", "--undefined-only", path], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def libc_of(path):
    """libc and the dynamic loader, as the loader finds them."""
    lines = subprocess.run(["ldd", path], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    words = [word for line in lines for word in line.split() if word.startswith("/")]
    return [word for word in words if os.path.basename(word).startswith(("libc.so", "ld-"))]


def run(program, preloads, options):
    env = dict(os.environ, LD_PRELOAD=":".join(preloads), USERMM_OPTIONS=options)
    try:
        result = subprocess.run([program], env=env, capture_output=True, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return "hangs"
    if result.returncode or result.stdout != "done\n" or result.stderr:
        return f"status {result.returncode}: {result.stderr.strip()[:200]}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--long", action="store_true", help="with more options")
    parser.add_argument("functions", nargs="*", help="only these")
    args = parser.parse_args()

    if platform.machine() not in ("x86_64", "aarch64"):
        print("skipped: owner.c has no instructions for this processor")
        return 77
    libc = libc_of(args.library)
    functions = imports_of(args.library) & set().union(*map(functions_of, libc))
    functions = sorted(args.functions or functions - SEEN_BY_OTHERS - OF_COMPILERS)
    if not functions:
        print("no function is imported from libc: is that right?")
        return 1

    failures = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        build = [args.compiler, "-O1", "-w", "-pthread"]
        program, loaded = os.path.join(folder, "program"), os.path.join(folder, "loaded.so")
        subprocess.run(build + ["-o", program, os.path.join(HERE, "owned_program.c")], check=True)
        subprocess.run(build + ["-shared", "-fPIC", "-o", loaded, "-x", "c", "-"], check=True,
                       input="__thread int own; int use(void) { return own++; }", text=True)
        for function in functions:
            owner = os.path.join(folder, "owner.so")
            subprocess.run(build + ["-shared", "-fPIC", "-fno-builtin", f"-DOWNED={function}",
                                    f'-DLOADED="{loaded}"', "-Wl,-Bsymbolic", "-o", owner,
                                    os.path.join(HERE, "owner.c"), "-ldl"], check=True)
            fault = run(program, [owner], "")
            if fault:
                print(f"{function}: not under plain libc either ({fault})")
                continue
            compared += 1
            for preloads in ([owner, args.library], [args.library, owner]):
                for options in OPTIONS if args.long else OPTIONS[:1]:
                    fault = run(program, preloads, options)
                    if fault:
                        failures += 1
                        order = "in front" if preloads[0] == owner else "behind"
                        print(f"FAIL {function}, owner {order}, options '{options}': {fault}")
    print(f"{compared} functions, {failures} failures")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
