#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts what each fast path executes, and compares the counts with the golden table.

    check_fast_paths.py [--update] --golden TABLE RECORDER...
    check_fast_paths.py --same RECORDER RECORDER

Each RECORDER (tests/golden) runs every path when its fast case applies, and prints the
addresses of the executed instructions. The check counts instructions, branches (taken or
not, also calls and returns), loads and stores (also those of push, pop, call and return) of
usermm's own code. Code in libc is not counted.

The counts hold for one compiler, which the table names. With another compiler, or without
restartable sequences, the check is skipped: exit status 77. Each count that has changed is one
line; the exit status is then 1. --update rewrites the table, but not for another compiler: with
that one's counts the check would be skipped wherever it has been run before.

--same needs no table: both recorders must execute the same counts, whatever the compiler.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

from machine_code import open_images

SKIPPED = 77
COLUMNS = ("instructions", "branches", "loads", "stores")
HEAD = f"""\
# What each fast path executes when it serves the call and its sequence is not aborted.
# Written by tools/check_fast_paths.py, which says what is counted. A change of a
# number is explained in the commit that makes it.
"""
ACCEPT = """\
If that is meant: cmake --build --preset release --target update_fast_paths
and explain it in the commit."""


def compiler_of(image):
    """The compiler's name, without Debian's update number: updates do not change its code."""
    names = {re.sub(r"\+deb\d+u\d+", "", name) for name in image.compilers() if name}
    return " and ".join(sorted(names))


def count(image, addresses):
    """The four counts of a path. A rep instruction counts once, however often it repeats."""
    counts = dict.fromkeys(COLUMNS, 0)
    previous = None
    for address in addresses:
        insn = image.instructions(address, address + 16)[0]
        if insn.repeated and previous == address:
            continue
        previous = address
        counts["instructions"] += 1
        counts["branches"] += insn.kind in ("call", "return", "jump", "branch")
        counts["loads"] += insn.loads
        counts["stores"] += insn.stores
    return tuple(counts[column] for column in COLUMNS)


def record(program):
    """Returns the compiler, and a map from each path's name to its counts."""
    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    if done.returncode:
        print(f"{program}: {done.stderr.strip() or f'status {done.returncode}'}")
        sys.exit(SKIPPED if done.returncode == SKIPPED else 1)
    lines = [line.split(" ") for line in done.stdout.splitlines()]
    image = open_images(lines[0][1])[0]
    counts = {}
    for _, name, *addresses in lines[1:]:
        if not addresses:
            sys.exit(f"{program}: {name}: executes nothing of {lines[0][1]}")
        counts[name] = count(image, [int(address, 16) for address in addresses])
    return compiler_of(image), counts


def read_table(path):
    compiler, counts = "", {}
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith("compiler "):
            compiler = line.removeprefix("compiler ")
        elif words and not line.startswith("#") and words[0] != "path":
            counts[words[0]] = tuple(map(int, words[1:]))
    return compiler, counts


def write_table(path, compiler, counts):
    rows = [("path", *COLUMNS)] + [(name, *map(str, row)) for name, row in counts.items()]
    text = "".join(f"{row[0]:28}" + "".join(f"{cell:>13}" for cell in row[1:]) + "\n"
                   for row in rows)
    path.write_text(f"{HEAD}compiler {compiler}\n{text}")


def differences(golden, counts):
    for name in golden.keys() | counts.keys():
        if name not in counts:
            yield f"{name}: is in the table, but was not recorded"
        elif name not in golden:
            yield f"{name}: is not in the table"
        elif golden[name] != counts[name]:
            changes = (f"{column} {old} -> {new}"
                       for column, old, new in zip(COLUMNS, golden[name], counts[name])
                       if old != new)
            yield f"{name}: {', '.join(changes)}"


def check_same(first, second):
    """Do both recorders have equal counts? Prints the differences."""
    (_, counts), (_, others) = record(first), record(second)
    found = sorted(differences(counts, others))
    for line in found:
        print(line)
    print(f"{len(counts)} fast paths of {first}, {len(found)} differ in {second}")
    return not found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--golden", type=Path)
    parser.add_argument("--same", action="store_true")
    parser.add_argument("recorder", nargs="+")
    args = parser.parse_args()
    if args.same == bool(args.golden) or (args.same and len(args.recorder) != 2):
        parser.error("either --golden and recorders, or --same and two recorders")
    if args.same:
        return 0 if check_same(*args.recorder) else 1

    compilers, counts = set(), {}
    for program in args.recorder:
        compiler, recorded = record(program)
        compilers.add(compiler)
        counts |= recorded
    compiler = " and ".join(sorted(compilers))
    expected, golden = read_table(args.golden) if args.golden.exists() else ("", {})

    if args.update and expected not in ("", compiler):
        sys.exit(f"check_fast_paths: the table is for {expected}, and this was built by "
                 f"{compiler}: build with the table's compiler")
    if args.update:
        write_table(args.golden, compiler, counts)
    elif compiler != expected:
        print(f"skipped: the table is for {expected}, this was built by {compiler}")
        return SKIPPED
    found = sorted(differences(golden, counts))
    for line in found:
        print(line)
    if found and not args.update:
        print(ACCEPT)
        return 1
    print(f"{len(counts)} fast paths, {len(found)} differ from the table before"
          if args.update else f"{len(counts)} fast paths as in the table")
    return 0


if __name__ == "__main__":
    sys.exit(main())
