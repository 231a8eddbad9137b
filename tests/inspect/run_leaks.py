#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does `usermm inspect leaks` find what leaky.c loses, and nothing else?

    run_leaks.py [--valgrind] USERMM LEAKY LIBRARY

Each block of leaky.c begins with a word that names the line that asked for it. --valgrind compares
with memcheck, line by line: at least 95 % of the blocks that it calls definitely lost are found,
and no block that it calls still reachable. Without it, the numbers of the table below are expected.
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

from inspecting import Program, inspect

SKIPPED = 77
TAG = 0x7a67
PROGRAMS = 15
# Blocks that each program loses.
LOST = [10, 1000, 256 + 127, 110, 20, 4, 100, 2, 100, 500, 13, 12, 400, 350, 29]
# Modes in which blocks are kept in other ways.
OPTIONS = ["", "rseq=off", "hardened=1", "slab_debug=FZPU", "kfence_sample=2", "profile=1K",
           "slab_cpu_cache=slab"]
# The programs that run in all modes; the others run in the first one only. Mixed slabs (13, 14) are
# only in two modes.
MODES = {1: OPTIONS, 2: OPTIONS, 9: OPTIONS, 13: OPTIONS[:2] + OPTIONS[4:5], 14: OPTIONS[:2],
         15: OPTIONS}
# Functions of leaky.c that allocate for a line of another one.
HELPERS = ("grow", "get_aligned", "list_of")
# Runs of a program: an address may stay by chance in a register, or in a hole of the stack.
TRIES = 4
failures = 0


def fail(text):
    global failures
    failures += 1
    print(f"FAILED: {text}")


def lines_of(pid, addresses):
    """How many of the blocks come from each line of leaky.c; 0: not tagged."""
    counts = Counter()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for address in addresses:
            memory.seek(int(address, 16))
            word = int.from_bytes(memory.read(8), sys.byteorder)
            counts[word & 0xffffffff if word >> 48 == TAG else 0] += 1
    return counts


def leaks_of(usermm, pid):
    done = inspect(usermm, pid, "leaks", "--json", timeout=120)
    if done.stderr or done.returncode not in (0, 1):
        fail(f"exit status {done.returncode}: {done.stderr}")
        return {"blocks": 0, "bytes": 0, "groups": []}
    leaks = json.loads(done.stdout)
    groups = leaks["groups"]
    if (done.returncode != (leaks["blocks"] > 0) or
            leaks["blocks"] != sum(group["blocks"] for group in groups) or
            leaks["bytes"] != sum(group["bytes"] for group in groups) or
            any(group["blocks"] != len(group["addresses"]) for group in groups)):
        fail(f"the sums are wrong: {leaks}")
    return leaks


def found(usermm, leaky, library, number, options=""):
    with Program(leaky, library, number, options) as program:
        leaks = leaks_of(usermm, program.pid)
        return lines_of(program.pid, (address for group in leaks["groups"]
                                      for address in group["addresses"])), leaks


def memcheck(leaky, number):
    """For each kind of memcheck's, the number of blocks from each line."""
    kinds = {name: Counter() for name in ("Leak_DefinitelyLost", "Leak_IndirectlyLost",
                                          "Leak_PossiblyLost", "Leak_StillReachable")}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        subprocess.run(["valgrind", "--leak-check=full", "--show-leak-kinds=all",
                        "--leak-resolution=high", "--xml=yes", f"--xml-file={report}", leaky,
                        str(number)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=300, check=True)
        tree = ElementTree.parse(report)
    for error in tree.iter("error"):
        lines = [int(frame.findtext("line")) for frame in error.iter("frame")
                 if frame.findtext("file") == "leaky.c" and
                 frame.findtext("fn") not in HELPERS]
        kind = error.findtext("kind")
        if lines and kind in kinds:
            kinds[kind][lines[0]] += int(error.findtext("xwhat/leakedblocks"))
    return kinds


def compare(usermm, leaky, library):
    definitely = of_them = 0
    for number in range(1, PROGRAMS + 1):
        kinds = memcheck(leaky, number)
        ours, _ = found(usermm, leaky, library, number)
        lost = kinds["Leak_DefinitelyLost"]
        definitely += sum(lost.values())
        of_them += sum(min(ours[line], blocks) for line, blocks in lost.items())
        for line, blocks in ours.items():
            may_be = sum(kinds[kind][line] for kind in kinds if kind != "Leak_StillReachable")
            if line and blocks > may_be and kinds["Leak_StillReachable"][line]:
                fail(f"program {number}, line {line}: {blocks} blocks, memcheck has {may_be}")
        print(f"program {number}: memcheck {sum(lost.values())} definitely and "
              f"{sum(kinds['Leak_IndirectlyLost'].values())} indirectly lost; found "
              f"{sum(ours.values())}")
    print(f"{of_them} of {definitely} definitely lost blocks found")
    if not definitely or of_them < 0.95 * definitely:
        fail("less than 95 %")


def check_stacks(options, leaks):
    stacks = [group.get("stack", []) for group in leaks["groups"]]
    if not any("leaky.c" in frame for stack in stacks for frame in stack):
        fail(f"{options}: stacks {stacks}")


def check_program(usermm, leaky, library, number, options):
    for _ in range(TRIES):
        ours, leaks = found(usermm, leaky, library, number, options)
        if sum(ours.values()) >= LOST[number - 1]:
            break
    if sum(ours.values()) != LOST[number - 1] or ours[0]:
        fail(f"program {number} with {options!r}: {dict(ours)}, expected {LOST[number - 1]} blocks")
    if options in ("slab_debug=FZPU", "kfence_sample=2") and number == 9:
        check_stacks(options, leaks)


def check(usermm, leaky, library):
    for number in range(1, PROGRAMS + 1):
        for options in MODES.get(number, OPTIONS[:1]):
            check_program(usermm, leaky, library, number, options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--valgrind", action="store_true")
    parser.add_argument("usermm")
    parser.add_argument("leaky")
    parser.add_argument("library")
    given = parser.parse_args()
    if given.valgrind and not shutil.which("valgrind"):
        print("valgrind is not there")
        sys.exit(SKIPPED)
    (compare if given.valgrind else check)(given.usermm, given.leaky, given.library)
    sys.exit(failures > 0)


main()
