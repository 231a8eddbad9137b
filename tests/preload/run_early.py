#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program whose library allocates while the dynamic linker still relocates, under libc alone
and under the library, in several modes: what it prints must be the same."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
OPTIONS = ["", "hardened=1", "kfence_sample=1", "profile=1K", "slab_debug=FZPU", "rseq=off"]


def run(program, library="", options=""):
    env = dict(os.environ, LD_PRELOAD=library, USERMM_OPTIONS=options)
    result = subprocess.run([program], env=env, capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout, result.stderr


def build(folder, compiler):
    library, program = os.path.join(folder, "libearly.so"), os.path.join(folder, "program")
    common = [compiler, "-O1", "-Wall", "-Werror", "-fno-builtin"]
    subprocess.run([*common, "-fPIC", "-fno-plt", "-shared", "-Wl,-z,now", "-o", library,
                    HERE / "early_library.c"], check=True)
    subprocess.run([*common, "-o", program, HERE / "early_program.c", library,
                    f"-Wl,-rpath,{folder}"], check=True)
    return program


def main():
    parser = argparse.ArgumentParser(description="malloc() before the library is relocated.")
    parser.add_argument("--library", required=True)
    parser.add_argument("--compiler", default="cc")
    args = parser.parse_args()

    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, args.compiler)
        expected = run(program)
        if expected[0] or expected[2]:
            print(f"not under libc either: status {expected[0]} {expected[2].strip()}")
            return 77
        for options in OPTIONS:
            found = run(program, args.library, options)
            if found != expected:
                faults += 1
                print(f"FAIL options '{options}': status {found[0]} {found[1]} {found[2][:300]}")
    print(f"{len(OPTIONS)} modes, {faults} failures")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
