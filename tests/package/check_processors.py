#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is a processor that usermm cannot be built for refused in one line that says what works?

    check_processors.py CMAKE

No program of such a processor is linked, so this needs only a compiler that knows -m32.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = {
    "32 bits": (["-DCMAKE_C_FLAGS=-m32"], "no 32-bit processor"),
    "an unknown one": (["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=vax"],
                       "nobody has tried vax"),
}


def configure(cmake, arguments):
    with tempfile.TemporaryDirectory() as build:
        return subprocess.run([cmake, "-S", ROOT, "-B", build, *arguments,
                               "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY"],
                              capture_output=True, text=True)


def main():
    failed = 0
    for name, (arguments, expected) in CASES.items():
        done = configure(sys.argv[1], arguments)
        said = [" ".join(line.split()) for line in done.stderr.split("\n\n")]
        if not done.returncode or not any(
                expected in line and "It works on x86_64," in line for line in said):
            print(f"FAILED {name}: status {done.returncode}\n{done.stderr}")
            failed += 1
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
