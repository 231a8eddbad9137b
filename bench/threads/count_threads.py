#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts what threads of many CPUs share in malloc() and free(): per million of these calls.

The loads of loads.c run on emulated machines with 2, 4, 8 and 16 CPUs, a thread for each CPU,
under usermm, glibc and the peers that are named. Times in an emulator mean nothing, so this counts
events:

    exchanges    a CPU's sheaf is refilled from, or flushed to, what all CPUs share (a barn, then
                 slabs). Each takes one lock and moves its line, and those of a batch, to this CPU
    pages        slabs are made, and a CPU's list of pages is refilled or spilled: the zone's lock
    waits        a thread waits in the kernel for a lock. An emulated CPU loses its processor while
                 it holds a lock, as no real CPU does, so these are too many rather than too few
    membarriers  a thread interrupts other CPUs to change what is theirs
    lines        a library's instruction reads or writes a line that another CPU has
                 (remote_lines.c); libc's own instructions are among them
    program's    the same of the load's own instructions: they take batches from another thread, and
                 write to blocks that another CPU had last

The first two are usermm's own counters. The last line says what follows for 64 CPUs: the share of
the time for which one lock is held if all blocks are of one size (each size class has a lock of its
own), an exchange holds it for HELD_NS and a CPU makes RATE million calls a second, as programs do
that do little but allocate.
"""
import argparse
import re
import subprocess
import sys
from math import isnan, nan as NAN
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
    lines: float
    programs: float


def parse(lines, remote, has_stats):
    """lines: what a load printed. remote: what remote_lines.c wrote about it."""
    text = "\n".join(lines)
    found = re.search(r"^(\d+) (-?\d+) (-?\d+)$", text, re.MULTILINE)
    if not found:
        sys.exit(f"count_threads: a load did not run to its end:\n{text}")
    operations, waits, membarriers = map(int, found.groups())
    if waits < 0 or membarriers < 0:
        sys.exit("count_threads: the kernel does not count system calls (tracefs)")
    if remote == "full":
        sys.exit("count_threads: a load touched more lines than remote_lines.c has room for: give "
                 "fewer --operations")

    def sum_of(name):
        if not has_stats:
            return NAN
        return sum(int(re.search(rf"^ *{row} +(\d+)$", text, re.MULTILINE).group(1))
                   for row in COUNTED[name])

    program, libraries = map(int, remote.split())
    return Counts(*(count * 1e6 / operations
                    for count in (sum_of("exchanges"), sum_of("pages"), waits, membarriers,
                                  libraries, program)))


def build_loads(folder):
    program = folder / "loads"
    subprocess.run(["cc", "-O2", "-fPIE", "-pie", "-pthread", "-o", program,
                    Path(__file__).with_name("loads.c")], check=True)
    return program


def build_plugin(folder):
    plugin = folder / "remote_lines.so"
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", plugin,
                    Path(__file__).with_name("remote_lines.c")], check=True)
    return plugin


def environment_of(setup, name, library):
    """What a load gets in its environment under that allocator."""
    if not library:
        return []
    return [f"LD_PRELOAD={setup.inside(library)}",
            *(["USERMM_OPTIONS=stats=1"] if name == "usermm" else [])]


def run_machine(setup, program, libraries, cpus, args):
    """Answers {(load, allocator): its counts} on a machine with that many CPUs."""
    runs = [(load, name) for load in LOADS for name in libraries]
    setup.tests = [(f"{load}-{name}", [str(program), load, str(cpus), str(args.operations * cpus)],
                    environment_of(setup, name, libraries[name]), args.seconds)
                   for load, name in runs]
    setup.pack(setup.libraries())
    remote = setup.place / f"remote-{cpus}.txt"
    machine = setup.run(["-smp", str(cpus), "-m", "2G", "-plugin",
                         f"{build_plugin(setup.place)},to={remote}"], console=f"console-{cpus}.log")
    written = remote.read_text(encoding="utf-8").splitlines()
    if len(written) != len(runs):
        sys.exit(f"count_threads: {len(written)} of {len(runs)} loads ran to their end; "
                 f"console: {machine.log.name}")
    return {(load, name): parse(machine.output[f"{load}-{name}"], line, name == "usermm")
            for (load, name), line in zip(runs, written)}


def show(rows):
    print(f"\n{'load':<11}{'CPUs':>5} {'allocator':<15}"
          + "".join(f"{name:>12}" for name in (*Counts._fields[:-1], "program's")))
    for (load, cpus, name), counts in rows.items():
        print(f"{load:<11}{cpus:>5} {name:<15}"
              + "".join(f"{'-' if isnan(count) else f'{count:.1f}':>12}" for count in counts))
    most = max(counts.exchanges for counts in rows.values() if not isnan(counts.exchanges))
    print(f"\n64 CPUs at {RATE} million calls a second each, all of one size: the lock is held "
          f"{64 * RATE * most * HELD_NS / 1e9:.0%} of the time")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--operations", type=int, default=2000000, help="of each thread")
    parser.add_argument("--peer", type=Path, action="append", default=[], metavar="LIBRARY",
                        help="an allocator to run beside usermm and glibc")
    parser.add_argument("cpus", type=int, nargs="*", default=CPUS, help="default: 2 4 8 16")
    args = parser.parse_args()
    if args.operations < OPERATIONS_MIN:
        parser.error(f"--operations takes {OPERATIONS_MIN} or more, not {args.operations}")
    if wrong := [cpus for cpus in args.cpus if not 1 <= cpus <= CPUS_MAX]:
        parser.error(f"a machine has 1 to {CPUS_MAX} CPUs, not {wrong[0]}")

    if missing := [library for library in args.peer if not library.is_file()]:
        parser.error(f"--peer: there is no file {missing[0]}")

    setup = Setup(SimpleNamespace(**vars(args), tests="^$", show="^$"), "threads", "amd64")
    setup.fetch()
    program = build_loads(setup.place)
    peers = {library.name.split(".")[0]: library.resolve() for library in args.peer}
    setup.files = [(library, setup.inside(library)) for library in peers.values()]
    libraries = {"usermm": setup.build / "libusermm_malloc.so", "glibc": None, **peers}
    rows = {}
    for cpus in args.cpus:
        print(f"a machine with {cpus} CPUs", flush=True)
        for (load, name), counts in run_machine(setup, program, libraries, cpus, args).items():
            rows[load, cpus, name] = counts
    show(dict(sorted(rows.items())))


if __name__ == "__main__":
    main()
