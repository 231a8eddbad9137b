#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code that most processes never run (cmake/seldom.cmake) is not resident in programs that run."""
import argparse
import re
import subprocess
import sys
from pathlib import Path

SECONDS = 60


def seldom_address(library):
    """Where the section begins, from the library's first byte; None if there is no such section."""
    sections = subprocess.run(["readelf", "--section-headers", "--wide", library],
                              capture_output=True, text=True, check=True).stdout
    found = re.search(r"\.text\.seldom +PROGBITS +([0-9a-f]+)", sections)
    return int(found.group(1), 16) if found else None


def resident(pid, library, address):
    """KiB of the library's mapping that the address lies in."""
    base = inside = None
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        head = re.match(r"([0-9a-f]+)-([0-9a-f]+) .*?(/.*)?$", line)
        if head:
            start, end = int(head.group(1), 16), int(head.group(2), 16)
            if base is None and head.group(3) == str(library):
                base = start
            inside = base is not None and start <= base + address < end
        elif inside and line.startswith("Rss:"):
            return int(line.split()[1])
    return None


def look(argv, library, address):
    """Runs a program that answers each line, until it has answered one; then looks."""
    child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             env={"PATH": "/usr/bin:/bin", "LD_PRELOAD": str(library)})
    try:
        child.stdin.write(b"1\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"1\n", argv
        return resident(child.pid, library, address)
    finally:
        child.stdin.close()
        child.wait(SECONDS)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path, help="path of libusermm_malloc.so")
    library = parser.parse_args().library.resolve()

    address = seldom_address(library)
    if address is None:
        print("skipped: the linker does not order code")
        sys.exit(77)
    for argv in (["cat"], ["sed", "-u", "p;d"]):
        kib = look(argv, library, address)
        print(f"{argv[0]}: {kib} KiB")
        if kib != 0:
            sys.exit(f"{argv[0]} has {kib} KiB of code resident that is seldom run")


if __name__ == "__main__":
    main()
