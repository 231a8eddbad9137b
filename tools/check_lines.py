#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that no line of a source, a script or a build file is longer than 100 columns.

    check_lines.py [FOLDER...]

Tab stops are 8 columns apart. Without arguments it checks all of the project's folders. Each
offence is one line, FILE:LINE: how long it is; the exit status is then 1.
"""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "include", "kernel", "bench", "tests", "tools", "examples", "cmake",
           "bindings")
SUFFIXES = {".c", ".cc", ".h", ".def", ".S", ".py", ".pml", ".cmake", ".rs"}
COLUMNS, TAB = 100, 8


def is_built(path):
    """Did cargo write it? tools/inspect/target/ is a folder of sources."""
    return {"rust", "target"} <= set(path.parts)


def too_long(path):
    """Yields (line number, columns) of each line of the file that is too long."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        columns = len(line.expandtabs(TAB))
        if columns > COLUMNS:
            yield number, columns


def main():
    folders = [Path(name) for name in sys.argv[1:]] or [ROOT / name for name in FOLDERS]
    files = sorted(path for folder in folders for path in folder.rglob("*")
                   if path.suffix in SUFFIXES and not is_built(path))
    offences = 0
    for path in files:
        for number, columns in too_long(path):
            print(f"{path}:{number}: {columns} columns, {COLUMNS} are the limit; wrap it")
            offences += 1
    print(f"check_lines: {len(files)} files, {offences} offences")
    return 1 if offences or not files else 0


if __name__ == "__main__":
    sys.exit(main())
