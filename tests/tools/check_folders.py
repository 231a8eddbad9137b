#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does each folder tell a stranger where to start?

    check_folders.py [ROOT]

1. Each folder with sources has a README.md: what lives here, where to start, what it must not know.
   A folder of up to three sources may do with being named in the README.md above: `folder/`.
2. A folder has at most 30 sources.

Each offence is one line: FOLDER, which rule is broken, what to do. The exit status is then 1.
"""
import sys
from pathlib import Path

TREES = ("src", "kernel", "tests", "tools", "bench", "cmake")
SUFFIXES = {".c", ".cc", ".h", ".def", ".S", ".py", ".pml", ".cmake", ".rs", ".sh", ".js", ".css"}
SOURCES_MAX, NAMED_MAX = 30, 3
# Folders that cargo and python leave behind.
LEFT = ({"rust", "target"}, {"__pycache__"})


def folders(root):
    """{folder: number of its sources}"""
    numbers = {}
    for tree in TREES:
        for path in (root / tree).rglob("*"):
            is_left = any(parts <= set(path.parts) for parts in LEFT)
            if path.suffix in SUFFIXES and not is_left and path.is_file():
                numbers[path.parent] = numbers.get(path.parent, 0) + 1
    return numbers


def is_named_above(folder):
    above = folder.parent / "README.md"
    return above.exists() and f"{folder.name}/" in above.read_text()


def check(root):
    """Yields (folder, message) of each offence."""
    for folder, number in sorted(folders(root).items()):
        name = folder.relative_to(root).as_posix()
        if number > SOURCES_MAX:
            yield name, (f"{number} sources, {SOURCES_MAX} are the limit; move those of one "
                         "purpose to a folder of their own")
        if not (folder / "README.md").exists():
            if number > NAMED_MAX:
                yield name, ("has no README.md; write some ten lines: what lives here, where to "
                             "start, what it must not know")
            elif not is_named_above(folder):
                yield name, (f"has no README.md; write one, or name `{folder.name}/` in "
                             f"{folder.parent.relative_to(root).as_posix()}/README.md")


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    offences = list(check(root))
    for place, message in offences:
        print(f"{place}: {message}")
    number = len(folders(root))
    print(f"check_folders: {number} folders, {len(offences)} offences")
    return 1 if offences or not number else 0


if __name__ == "__main__":
    sys.exit(main())
