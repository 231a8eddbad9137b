#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How large a last block may be, in a memory cgroup that blocks of one size fill nearly.

Bisection, to 100 KiB. It needs the right to make memory cgroups; without, it says so in one line.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from smallest_cgroup import MIB, Cgroup

STEP = 100 << 10


def lives(command, preload, limit):
    group = Cgroup(limit)
    if not group.folder:
        sys.exit("last_block: this process may make no memory cgroups (root may)")
    environment = {"PATH": os.environ["PATH"]} | ({"LD_PRELOAD": preload} if preload else {})
    try:
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, preexec_fn=group.enter, check=False)
    finally:
        group.remove()
    return done.stdout == b"lives\n"


def largest(program, preload, bytes_, fill, limit):
    """The largest last block, in bytes; None if there is no room for the others."""
    low, high = 0, limit - fill + STEP
    if not lives([program, str(bytes_), str(fill), "1"], preload, limit):
        return None
    while high - low > STEP:
        middle = (low + high) // 2
        if lives([program, str(bytes_), str(fill), str(middle)], preload, limit):
            low = middle
        else:
            high = middle
    return low


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, type=Path, help="path of libusermm_malloc.so")
    parser.add_argument("--limit", type=float, default=100, help="MiB of the cgroup")
    parser.add_argument("--fill", type=float, default=94, help="MiB of blocks")
    parser.add_argument("bytes", nargs="*", type=int,
                        default=[4096, 65536, 1048576, 4000, 10000])
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "last_block"
        subprocess.run(["cc", "-O1", "-o", program, Path(__file__).with_suffix(".c")], check=True)
        print(f"{'block bytes':>12}{'usermm MiB':>12}{'glibc MiB':>12}")
        for bytes_ in args.bytes:
            row = [largest(program, preload, bytes_, int(args.fill * MIB), int(args.limit * MIB))
                   for preload in (str(args.library.resolve()), "")]
            print(f"{bytes_:12}" + "".join(f"{one / MIB:12.1f}" if one is not None else
                                           f"{'none':>12}" for one in row), flush=True)


if __name__ == "__main__":
    main()
