#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does `usermm inspect` survive damaged cores? Each damage is chosen by a fixed seed.

    run_damaged.py [--rounds N] USERMM LEAKY LIBRARY

It may find less, or refuse, but it ends soon, by itself, and in few lines.
"""
import argparse
import random
import struct
import sys
from pathlib import Path

from inspecting import inspect, make_core, scratch

SKIPPED = 77
STATUSES = {0, 1, 5, 6, 7, 8, 9, 10, 13, 15}
SECONDS = 60
COMMANDS = (["summary"], ["caches", "--json"], ["leaks", "--json"], ["verify"], ["map"], ["owners"],
            ["whatis", "0x7f0000000000"])
LISTS, SPARSE = 2, 13


def loads(core):
    """Offsets and sizes of the core's parts."""
    offset, = struct.unpack_from("<Q", core, 32)
    number, = struct.unpack_from("<H", core, 56)
    for i in range(number):
        kind, _, at, address, _, bytes_ = struct.unpack_from("<IIQQQQ", core, offset + i * 56)
        yield kind, at, address, bytes_


def damage(core, rng):
    """What to do to the core: (offset, bytes) to overwrite, and its new length."""
    parts = [part for part in loads(core) if part[3]]
    headers = 64 + 56 * len(list(loads(core)))
    changes = []
    length = len(core)
    way = rng.randrange(8)
    if way == 0:
        length = rng.randrange(len(core))
    elif way == 1:	# headers
        for _ in range(rng.randint(1, 4)):
            changes.append((rng.randrange(headers), rng.randbytes(rng.choice((1, 2, 8)))))
    elif way == 2:	# notes
        _, at, _, bytes_ = next(part for part in parts if part[0] == 4)
        for _ in range(rng.randint(1, 8)):
            changes.append((at + rng.randrange(bytes_), rng.randbytes(4)))
    elif way == 3:	# the first bytes of a part: notes of files, heads of tables
        _, at, _, bytes_ = rng.choice(parts)
        for _ in range(rng.randint(1, 16)):
            changes.append((at + rng.randrange(min(bytes_, 4096)), rng.randbytes(8)))
    elif way == 4:	# words anywhere become addresses of other parts, or small numbers
        for _ in range(rng.randint(10, 2000)):
            _, at, _, bytes_ = rng.choice(parts)
            word = rng.choice((rng.choice(parts)[2] + rng.randrange(4096), rng.randrange(4096),
                               rng.getrandbits(64)))
            changes.append((at + rng.randrange(bytes_) // 8 * 8, struct.pack("<Q", word)))
    elif way < 7:	# words of variables and tables
        small = [part for part in parts if part[0] == 1 and part[3] <= 1 << 20]
        for _ in range(rng.randint(1, 200)):
            _, at, _, bytes_ = rng.choice(small)
            changes.append((at + rng.randrange(bytes_) // 8 * 8,
                            struct.pack("<Q", rng.choice((0, 1, rng.getrandbits(64),
                                                          rng.choice(parts)[2])))))
    else:		# a part is zero, or noise
        _, at, _, bytes_ = rng.choice(parts)
        bytes_ = min(bytes_, 1 << 16)
        changes.append((at, rng.choice((bytes(bytes_), rng.randbytes(bytes_)))))
    return changes, length


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("usermm")
    parser.add_argument("leaky")
    parser.add_argument("library")
    given = parser.parse_args()
    failures = 0
    with scratch() as folder:
        cores = []
        for number in LISTS, SPARSE:
            path = make_core(given.leaky, given.library, number, folder)
            if not path:
                print("this machine makes no core here")
                sys.exit(SKIPPED)
            cores.append(path.read_bytes())
        for seed in range(given.rounds):
            rng = random.Random(seed)
            core = cores[seed % len(cores)]
            changes, length = damage(core, rng)
            damaged = bytearray(core)
            for at, bytes_ in changes:
                damaged[at:at + len(bytes_)] = bytes_
            victim = Path(folder) / "damaged"
            victim.write_bytes(damaged[:length])
            command = rng.choice(COMMANDS)
            done = inspect(given.usermm, victim, *command, timeout=SECONDS)
            if done.returncode not in STATUSES or done.stderr.count("\n") > 3:
                failures += 1
                print(f"FAILED: seed {seed}, {command}: exit status {done.returncode}, "
                      f"{done.stderr[:500]!r}")
    sys.exit(failures > 0)


main()
