#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares sheaves and barns of usermm's sizes with those of Linux 7.3's.

    compare_sheaves.py --ours BUILD --linux BUILD [--rounds N] [--quick] [--short]
                       [--only speed|memory] [LOAD...]

Both are folders of builds, the second one made with -D USERMM_LINUX_SHEAVES=ON. In turns both run
`usermm bench kmalloc`, whose medians over N rounds are compared row by row, and then the loads of
bench_memory.py: peak, memory at rest, processor time. All ratios are Linux's sizes / ours: above 1
ours are better. --quick runs the suite's short form; --only one half, so that each is measured in a
few minutes. --short shows that it works; its figures mean nothing.
"""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MEMORY = Path(__file__).resolve().with_name("bench_memory.py")
NOTABLE = 0.03


def rows_of(build, options):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([build / "usermm", "bench", "kmalloc", f"--json={file.name}", *options],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        suite = json.load(open(file.name))["suites"]["kmalloc"]
    return {tuple(str(row.get(key, "")) for key in ("name", "path", "step")): row["cycles"]
            for row in suite if row.get("cycles")}


def compare_speed(builds, rounds, options):
    found = [[], []]
    for number in range(rounds):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        for which in order:
            found[which].append(rows_of(builds[which], options))
    ratios = {}
    for row in found[0][0]:
        ours, theirs = (statistics.median(rows[row] for rows in some if row in rows)
                        if any(row in rows for rows in some) else 0 for some in found)
        if ours and theirs:
            ratios[row] = theirs / ours
    print("kmalloc, cycles: Linux's sizes / ours")
    for row, ratio in sorted(ratios.items()):
        if abs(ratio - 1) > NOTABLE:
            print(f"  {' '.join(filter(None, row)):32} {ratio:.2f}")
    for name in sorted({row[:2] for row in ratios}):
        mean = statistics.geometric_mean(ratio for row, ratio in ratios.items() if row[:2] == name)
        print(f"  {' '.join(filter(None, name)):32} {mean:.3f} (all steps)")


def compare_memory(builds, rounds, short, loads):
    for title, build in zip(("ours", "Linux's sizes"), builds):
        print(f"memory, {title}:", flush=True)
        subprocess.run([sys.executable, MEMORY, "--library", build / "libusermm_malloc.so",
                        "--only", "usermm", "--rounds", str(rounds),
                        *(["--divisor", "20", "--rest", "1"] if short else []), *loads],
                       check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=Path, required=True)
    parser.add_argument("--linux", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", choices=["speed", "memory"])
    parser.add_argument("loads", nargs="*", metavar="LOAD")
    args = parser.parse_args()
    builds = [args.ours.resolve(), args.linux.resolve()]
    for build in builds:
        if not (build / "usermm").is_file() or not (build / "libusermm_malloc.so").is_file():
            parser.error(f"{build} has no usermm and libusermm_malloc.so: build them there")
    rounds = 1 if args.short else args.rounds
    if args.only != "memory":
        compare_speed(builds, rounds, ["--quick"] if args.short or args.quick else [])
    if args.only != "speed":
        compare_memory(builds, rounds, args.short, args.loads)


if __name__ == "__main__":
    main()
