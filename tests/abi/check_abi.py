#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the ABI of the built library with the reference: a soname promises that nothing breaks.

    check_abi.py [--update] LIBRARY MALLOC_LIBRARY

The reference, libusermm_core.abi, is what libabigail's abidw reads from the library's debug
information by the public headers. New functions are no change. A function that is gone, other
arguments, and other fields of a public structure are changes: abidiff prints them, and the exit
status is 1. If the change is meant, the soname has to change, or, before the first release,
--update writes a new reference (`ninja -C build update_abi`).

malloc's library must have every name of the API too, since it takes the API's place in a process.
Skipped (77) without abidiff, and on other processors than x86-64.
"""
import platform
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REFERENCE = HERE / "libusermm_core.abi"
PRIVATE = HERE / "private.abignore"
SKIPPED = 77


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def update(library):
    text = output_of("abidw", "--suppressions", PRIVATE, "--headers-dir", ROOT / "include",
                     "--drop-private-types", "--drop-undefined-syms", "--no-comp-dir-path",
                     "--no-corpus-path", "--no-show-locs", "--no-elf-needed",
                     "--exported-interfaces-only", "--type-id-style", "hash", library)
    REFERENCE.write_text(text.replace(f"{ROOT}/", ""))


def compare(library):
    """True if nothing but additions is there."""
    result = subprocess.run(["abidiff", "--suppressions", PRIVATE, "--headers-dir2",
                             ROOT / "include", "--drop-private-types", "--no-added-syms",
                             REFERENCE, library], capture_output=True, text=True, timeout=300)
    if result.returncode == 0:
        return True
    print(result.stdout + result.stderr)
    print(f"FAILED: the ABI of {library} differs from {REFERENCE.relative_to(ROOT)}: keep what "
          "programs were built with, or see the head of tests/abi/check_abi.py")
    return False


def names(library):
    lines = output_of("nm", "-D", "--defined-only", library).splitlines()
    return {line.split()[-1].partition("@")[0] for line in lines}


def has_all_names(malloc_library, library):
    missing = sorted(names(library) - names(malloc_library))
    for name in missing:
        print(f"FAILED: {malloc_library}: {name} is missing, which {library} has")
    return not missing


def main():
    updates = sys.argv[1:2] == ["--update"]
    library, malloc_library = sys.argv[2 if updates else 1:]
    if not shutil.which("abidiff") or platform.machine() != "x86_64":
        print("skipped: there is no abidiff for x86-64: install abigail-tools")
        return SKIPPED
    if updates:
        update(library)
    right = compare(library)
    return 0 if has_all_names(malloc_library, library) and right else 1


if __name__ == "__main__":
    sys.exit(main())
