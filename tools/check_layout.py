#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a library's small zeroed variables lie side by side, before the large ones.

    check_layout.py LIBRARY...

Every process writes to these small variables. If some of them lie between two large arrays, each
process touches one more page at its start, which costs 4 us (docs/notes/start-up.md). So no small
variable of .bss (at most SMALL_BYTES_MAX) may lie behind a large one (at least LARGE_BYTES_MIN);
sizes between these two may lie anywhere. Large variables have __large_bss, or __eager_bss if each
process writes to them (src/base/compiler.h), and the linker sorts the rest (cmake/flags.cmake).
Each offence is one line, LIBRARY: the variable; the exit status is then 1.
"""
import subprocess
import sys

SMALL_BYTES_MAX = 255
LARGE_BYTES_MIN = 1024


def listing(*how):
    return [line.split() for line in subprocess.run(["readelf", "-W", *how], capture_output=True,
                                                    text=True, check=True).stdout.splitlines()]


def section_number(library, name):
    for fields in listing("-S", library):
        text = " ".join(fields).replace("[ ", "[")
        if text.startswith("[") and text.split()[1] == name:
            return text[1:text.index("]")]
    return sys.exit(f"{library}: no {name}")


def variables(library):
    """(address, bytes, name) of each variable in .bss, in order of address."""
    section = section_number(library, ".bss")
    found = {(int(fields[1], 16), int(fields[2], 0), fields[7])
             for fields in listing("-s", library)
             if len(fields) == 8 and fields[3] == "OBJECT" and fields[6] == section}
    if not found:
        sys.exit(f"{library}: no symbols")
    return sorted(found)


def behind_large_ones(library):
    large = None
    for _, size, name in variables(library):
        if size >= LARGE_BYTES_MIN:
            large = name
        elif large and size <= SMALL_BYTES_MAX:
            yield f"{name} lies behind {large}; mark {large} __large_bss"


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__)
    offences = 0
    for library in sys.argv[1:]:
        for offence in behind_large_ones(library):
            print(f"{library}: {offence}")
            offences += 1
    print(f"check_layout: {len(sys.argv) - 1} libraries, {offences} offences")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
