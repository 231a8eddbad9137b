#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds the smallest memory cgroup in which a load lives, under usermm and other allocators.

A load (memory_loads.c) runs in a cgroup of its own, of either version, and is killed if the limit
is too low. Bisection finds the limit, to a hundredth of what the load has in use at most. All that
the kernel counts for the cgroup is in it: the heap, page tables, the program's own files if nobody
else has them. The load's own arrays are memory of this script's, so they do not count.

It needs the right to make memory cgroups; without, it says so in one line.
"""
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_memory import MIB, build_loads, environment_of, new_parser, parse

# Where each version has its cgroups, and what it calls a limit.
VERSIONS = ((Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
            (Path("/sys/fs/cgroup"), "memory.max"))
ARRAY_BYTES = 1 << 30       # addresses for all arrays of a load
ARRAY_USED = 64 * MIB       # the part at the start that a load may write to
STEP_SHARE = 100
SECONDS_MAX = 600


class Cgroup:
    """A memory cgroup with a limit; None is made where that is not possible."""

    def __init__(self, limit):
        self.folder = None
        for parent, name in VERSIONS:
            folder = parent / f"usermm-bench-{os.getpid()}"
            try:
                folder.mkdir()
            except OSError:
                continue
            try:
                (folder / name).write_text(str(limit))
                self.folder = folder
                return
            except OSError:
                folder.rmdir()

    def enter(self):
        (self.folder / "cgroup.procs").write_text("0")

    def remove(self):
        for _ in range(100):    # the kernel may still be busy with the last process
            try:
                self.folder.rmdir()
                return
            except OSError:
                time.sleep(0.02)


def new_arrays():
    """Memory for the load's arrays that this process has, so that it counts for its cgroup."""
    fd = os.memfd_create("arrays")
    os.truncate(fd, ARRAY_BYTES)
    os.posix_fallocate(fd, 0, ARRAY_USED)
    return fd


def run(command, preload, limit, arrays):
    """Returns the most bytes in use that the load told of, or None if it was killed."""
    environment = environment_of(preload) | {"MEMORY_LOADS_FD": str(arrays)}
    group = Cgroup(limit)
    if not group.folder:
        sys.exit("smallest_cgroup: this process may make no memory cgroups (root may)")
    try:
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=SECONDS_MAX, pass_fds=[arrays],
                              preexec_fn=group.enter, check=False)
    finally:
        group.remove()
    told = [int(n) for n in re.findall(rb"^(?:PHASE|END) (\d+)", done.stdout, re.M)]
    return max(told) if done.returncode == 0 and b"\nEND " in done.stdout else None


def smallest(command, preload, live, most, arrays):
    """The smallest limit in bytes, up to most * live; None if that is not enough."""
    low, high = live, int(most * live)
    if run(command, preload, high, arrays) is None:
        return None
    while high - low > live // STEP_SHARE:
        middle = (low + high) // 2
        if run(command, preload, middle, arrays) is None:
            low = middle
        else:
            high = middle
    return high


def main():
    parser = new_parser(__doc__, ["phase-changes"])
    parser.add_argument("--most", type=float, default=6.0, help="give up beyond (times in use)")
    args, found = parse(parser)
    arrays = new_arrays()
    with tempfile.TemporaryDirectory() as folder:
        program = build_loads(Path(folder))
        print(f"{'load':15}{'allocator':12}{'in use MiB':>11}{'cgroup MiB':>11}{'/ in use':>9}")
        for load in args.load:
            command = [program, load, "0", str(args.divisor)]
            live = run(command, "", 1 << 40, arrays)
            for name, preload in found.items():
                bytes_ = smallest(command, preload, live, args.most, arrays)
                text = f"{bytes_ / MIB:11.1f}{bytes_ / live:9.2f}" if bytes_ else \
                    f"{'> ' + format(args.most * live / MIB, '.0f'):>11}"
                print(f"{load:15}{name:12}{live / MIB:11.1f}{text}", flush=True)


if __name__ == "__main__":
    main()
