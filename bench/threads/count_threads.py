#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts what threads of many CPUs share in malloc() and free(): per million of these calls.

The loads of loads.c run under the library on emulated machines with 2, 4, 8 and 16 CPUs, a thread
for each CPU. Times in an emulator mean nothing, so this counts events:

    exchanges    a CPU's sheaf is refilled from, or flushed to, what all CPUs share (a barn, then
                 slabs). Each takes one lock and moves its line, and those of a batch, to this CPU
    pages        slabs are made, and a CPU's list of pages is refilled or spilled: the zone's lock
    waits        a thread waits in the kernel for a lock. An emulated CPU loses its processor while
                 it holds a lock, as no real CPU does, so these are too many rather than too few
    membarriers  a thread interrupts other CPUs to change what is theirs

The last line says what follows for 64 CPUs: the share of the time for which one lock is held if all
blocks are of one size (each size class has a lock of its own), an exchange holds it for HELD_NS and
a CPU makes RATE million calls a second, as programs do that do little but allocate.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "qemu"))
from machine import Setup, add_arguments        # noqa: E402

LOADS = ("hand-over", "sessions")
CPUS = (2, 4, 8, 16)
# What loads.c takes: threads, and operations of each.
CPUS_MAX = 64
OPERATIONS_MIN = 240
# What `stats=1` prints that belongs to each count.
COUNTED = {"exchanges": ("sheaf refills", "sheaf flushes"),
           "pages": ("slabs created", "page list refills", "page list spills")}
HELD_NS = 200
RATE = 20


class Counts(NamedTuple):
    """Per million operations."""

    exchanges: float
    pages: float
    waits: float
    membarriers: float


def parse(lines):
    text = "\n".join(lines)
    found = re.search(r"^(\d+) (-?\d+) (-?\d+)$", text, re.MULTILINE)
    if not found:
        sys.exit(f"count_threads: a load did not run to its end:\n{text}")
    operations, waits, membarriers = map(int, found.groups())
    if waits < 0 or membarriers < 0:
        sys.exit("count_threads: the kernel does not count system calls (tracefs)")

    def sum_of(name):
        return sum(int(re.search(rf"^ *{row} +(\d+)$", text, re.MULTILINE).group(1))
                   for row in COUNTED[name])

    return Counts(*(count * 1e6 / operations
                    for count in (sum_of("exchanges"), sum_of("pages"), waits, membarriers)))


def build_loads(folder):
    program = folder / "loads"
    subprocess.run(["cc", "-O2", "-pthread", "-o", program, Path(__file__).with_name("loads.c")],
                   check=True)
    return program


def run_machine(setup, program, cpus, args):
    """Answers {load: its counts} on a machine with that many CPUs."""
    library = setup.build / "libusermm_malloc.so"
    setup.tests = [(load, [str(program), load, str(cpus), str(args.operations * cpus)],
                    [f"LD_PRELOAD={library}", "USERMM_OPTIONS=stats=1"], args.seconds)
                   for load in LOADS]
    setup.pack(setup.libraries())
    machine = setup.run(["-smp", str(cpus), "-m", "2G"], console=f"console-{cpus}.log")
    return {load: parse(machine.output.get(load, [])) for load in LOADS}


def show(rows):
    print(f"\n{'load':<12}{'CPUs':>6}" + "".join(f"{name:>14}" for name in Counts._fields))
    for (load, cpus), counts in rows.items():
        print(f"{load:<12}{cpus:>6}" + "".join(f"{count:>14.1f}" for count in counts))
    most = max(counts.exchanges for counts in rows.values())
    print(f"\n64 CPUs at {RATE} million calls a second each, all of one size: the lock is held "
          f"{64 * RATE * most * HELD_NS / 1e9:.0%} of the time")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--operations", type=int, default=2000000, help="of each thread")
    parser.add_argument("cpus", type=int, nargs="*", default=CPUS, help="default: 2 4 8 16")
    args = parser.parse_args()
    if args.operations < OPERATIONS_MIN:
        parser.error(f"--operations takes {OPERATIONS_MIN} or more, not {args.operations}")
    if wrong := [cpus for cpus in args.cpus if not 1 <= cpus <= CPUS_MAX]:
        parser.error(f"a machine has 1 to {CPUS_MAX} CPUs, not {wrong[0]}")

    setup = Setup(SimpleNamespace(**vars(args), tests="^$", show="^$"), "threads", "amd64")
    setup.fetch()
    program = build_loads(setup.place)
    rows = {}
    for cpus in args.cpus:
        print(f"a machine with {cpus} CPUs", flush=True)
        for load, counts in run_machine(setup, program, cpus, args).items():
            rows[load, cpus] = counts
    show(dict(sorted(rows.items())))


if __name__ == "__main__":
    main()
