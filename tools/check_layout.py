#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The variables of the shared libraries that every process writes to lie side by side.

    check_layout.py LIBRARY...

Large arrays of zeros come last (__large_bss in src/base/compiler.h), and the linker sorts what is
to be sorted (cmake/flags.cmake): a page with a few words between two arrays costs each process that
starts 4 us (docs/PERFORMANCE.md). So of the small variables few lie behind the first large one:
those that were told to. Each library where it is otherwise is one line; the exit status is 1 then.
"""
import subprocess
import sys

LARGE_BYTES = 1024
SMALL_BEHIND_BYTES_MAX = 6144


def zeroed_variables(library):
    """(address, bytes) of each, in order."""
    listing = subprocess.run(["nm", "-n", "-S", library], capture_output=True, text=True,
                             check=True).stdout
    fields = [line.split() for line in listing.splitlines()]
    found = [(int(one[0], 16), int(one[1], 16)) for one in fields
             if len(one) == 4 and one[2] in "bB"]
    if not found:
        sys.exit(f"{library}: no symbols")
    return found


def small_behind(variables):
    """The bytes of small variables behind the first large one."""
    first = min((at for at, size in variables if size >= LARGE_BYTES), default=float("inf"))
    return sum(size for at, size in variables if at > first and size < LARGE_BYTES)


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__)
    offences = 0
    for library in sys.argv[1:]:
        behind = small_behind(zeroed_variables(library))
        if behind > SMALL_BEHIND_BYTES_MAX:
            print(f"{library}: {behind} bytes of small variables lie behind large ones, "
                  f"{SMALL_BEHIND_BYTES_MAX} may")
            offences += 1
    print(f"check_layout: {len(sys.argv) - 1} libraries, {offences} offences")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
