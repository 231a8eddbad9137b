#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do `usermm inspect`, `top` and `record` survive memory that changes, or is damaged, meanwhile?

    run_damaged_live.py [--rounds N] USERMM LEAKY LIBRARY

They may find less, or refuse, but they end soon, by themselves, and in one line of complaint. Each
damage is chosen by a fixed seed, and is done and undone again and again while the command runs. The
process waits, and does not see it.
"""
import argparse
import ctypes
import os
import random
import signal
import struct
import subprocess
import sys
import threading
from pathlib import Path

from inspecting import Program

STATUSES = {0, 1, 5, 6, 8, 9, 10, 15}
SECONDS = 60
# PID stands for the process.
COMMANDS = [words.split() for words in (
    "inspect PID summary", "inspect PID caches --json", "inspect PID leaks --json",
    "inspect PID verify", "inspect PID map", "inspect PID map --json",
    "inspect PID zones", "inspect PID owners", "inspect PID options",
    "inspect PID whatis 0x7f0000000000", "top PID -b -n 2 -d 0.01", "record PID -n 2 -i 0.01 -o -")]
# Words that the output for an undamaged process always has.
PLAIN = {"summary", "caches", "map", "zones", "options", "top", "record"}
LISTS, SPARSE = 2, 13
# Requests of ptrace(2), and the bit of waitpid(2) for tracers.
PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_GET_RSEQ_CONFIGURATION = (
    17, 0x4206, 0x4207, 0x420f)
WALL = 0x40000000
# The bytes of a struct rseq_cs.
RSEQ_CS_BYTES = 32
failures = 0


def run(usermm, pid, words):
    return subprocess.run([usermm, *(str(pid) if word == "PID" else word for word in words)],
                          text=True, capture_output=True, errors="replace", timeout=SECONDS)


def fail(what):
    global failures
    failures += 1
    print(f"FAILED: {what}")


def check(what, done, must_be_good=False):
    if (done.returncode not in STATUSES or done.stderr.count("\n") > 1 or
            must_be_good and done.returncode):
        fail(f"{what}: exit status {done.returncode}, {done.stderr[:500]!r}")


def ranges_of(pid, library):
    """Two lists: the parts of the library's note and variables; and of tables and slabs."""
    library = Path(library).resolve()
    variables, tables = [], []
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        words = line.split(maxsplit=5)
        start, end = (int(word, 16) for word in words[0].split("-"))
        path = words[5] if len(words) > 5 else ""
        if path == str(library) and (words[2] == "00000000" or "w" in words[1]):
            variables.append((start, end))
        elif not path and words[1].startswith("rw"):
            tables.append((start, end))
    return variables, tables


def present_pages(pid, ranges):
    """The addresses of pages that have memory."""
    with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pagemap:
        for start, end in ranges:
            for at in range(start, min(end, start + (1 << 28)), 1 << 24):
                pagemap.seek(at // 4096 * 8)
                words = memoryview(pagemap.read((min(end, at + (1 << 24)) - at) // 4096 * 8))
                yield from (at + i * 4096 for i, word in enumerate(words.cast("Q")) if word >> 62)


def change(rng, pages):
    """(address, bytes) to be written."""
    address = rng.choice(pages) + rng.randrange(512) * 8
    word = rng.choice((0, 1, rng.getrandbits(64), rng.choice(pages) + rng.randrange(512) * 8,
                       rng.getrandbits(16)))
    return address, word.to_bytes(8, sys.byteorder)


def ptrace(request, pid, address=None, data=None):
    call = ctypes.CDLL(None, use_errno=True).ptrace
    call.argtypes = ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p
    call.restype = ctypes.c_long
    return call(request, pid, address, data)


def rseq_area(pid):
    """(address, bytes) of the main thread's struct rseq; (0, 0) if the system tells of none."""
    if ptrace(PTRACE_SEIZE, pid):
        return 0, 0
    ptrace(PTRACE_INTERRUPT, pid)
    os.waitpid(pid, WALL)
    # The kernel's struct ptrace_rseq_configuration.
    layout = "=QIIII"
    told = ctypes.create_string_buffer(struct.calcsize(layout))
    got = ptrace(PTRACE_GET_RSEQ_CONFIGURATION, pid, len(told), ctypes.addressof(told))
    ptrace(PTRACE_DETACH, pid)
    return struct.unpack(layout, told.raw)[:2] if got > 0 else (0, 0)


def vital_ranges(pid):
    """The addresses where a damage kills the process, though it sleeps.

    A command pauses the process by ptrace(2). When the process goes back to its system call, the
    kernel reads the thread's struct rseq, and the descriptor that its word rseq_cs points to. If a
    word there is wrong, it sends SIGSEGV, whose si_code is SI_KERNEL and whose si_addr is zero. It
    reads nothing else of a process that sleeps and has no signal handler; and the process itself
    runs only the instruction that enters the system call again.
    """
    address, bytes_ = rseq_area(pid)
    if not address:
        return []
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(address + 8)
        descriptor = int.from_bytes(memory.read(8), sys.byteorder)
    return [(address, address + bytes_), (descriptor, descriptor + RSEQ_CS_BYTES)]


def is_vital(address, ranges):
    """Does the word at the address touch one of the ranges?"""
    return any(start - 8 < address < end for start, end in ranges)


def end_of(program):
    """How the process has ended; None if it still waits."""
    program.wait_for_sleep()
    status = program.process.poll()
    if status is None:
        return None
    return f"died of {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"


class Damage:
    """Writes and takes back all changes until the block is left."""

    def __init__(self, pid, changes):
        self.changes = changes
        self.memory = open(f"/proc/{pid}/mem", "r+b", buffering=0)
        self.former = [self.at(address).read(len(bytes_)) for address, bytes_ in changes]
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.toggle)

    def at(self, address):
        self.memory.seek(address)
        return self.memory

    def write(self):
        for address, bytes_ in self.changes:
            self.at(address).write(bytes_)

    def restore(self):
        for (address, _), bytes_ in zip(reversed(self.changes), reversed(self.former)):
            self.at(address).write(bytes_)

    def toggle(self):
        while not self.done.wait(0.001):
            self.restore()
            self.write()

    def __enter__(self):
        self.write()
        self.thread.start()

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        self.restore()
        self.memory.close()


def damaged(usermm, leaky, library, rounds):
    for part, number in enumerate((LISTS, SPARSE)):
        # A thread of the library must not see the damage.
        options = "background=off" + (":slab_debug=U" if number == LISTS else "")
        with Program(leaky, library, number, options) as program:
            lists = [list(present_pages(program.pid, ranges))
                     for ranges in ranges_of(program.pid, library)]
            vital = vital_ranges(program.pid)
            for seed in range(part, rounds, 2):
                rng = random.Random(seed)
                pages = rng.choice(lists)
                changes = [change(rng, pages) for _ in range(rng.choice((1, 10, 300)))]
                changes = [one for one in changes if not is_vital(one[0], vital)]
                command = rng.choice(COMMANDS)
                with Damage(program.pid, changes):
                    done = run(usermm, program.pid, command)
                check(f"seed {seed}, {command}", done)
                if end := end_of(program):
                    fail(f"seed {seed}, {command}: the damaged program {end}. It should sleep: did "
                         "the kernel read a damaged word? Its core, if there is one, has the "
                         "signal's si_code and si_addr")
                    return
            done = run(usermm, program.pid, "inspect PID verify".split())
            check("all was restored", done, True)


def moving(usermm, leaky, library):
    """A program that allocates and frees all the time is not taken for a damaged one."""
    with Program(Path(leaky).with_name("inspect_busy"), library, 0) as program:
        for command in COMMANDS:
            done = run(usermm, program.pid, command)
            check(f"a busy process, {command}", done, PLAIN.intersection(command))
        top = run(usermm, program.pid, "top PID -b -n 20 -d 0.01".split())
        check("top of a busy process", top, True)
        if top.stdout.count("usermm top: ") != 20:
            fail(f"top of a busy process: pictures: {top.stdout[:500]!r}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=80)
    parser.add_argument("usermm")
    parser.add_argument("leaky")
    parser.add_argument("library")
    given = parser.parse_args()
    damaged(given.usermm, given.leaky, given.library, given.rounds)
    moving(given.usermm, given.leaky, given.library)
    sys.exit(failures > 0)


main()
