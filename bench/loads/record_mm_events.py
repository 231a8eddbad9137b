#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records what a command and its children do to their address spaces.

    record_mm_events.py --output FILE.tar.xz COMMAND [ARGUMENT...]
    record_mm_events.py --output FILE.tar.xz --script TEXT

FILE.tar.xz has one member, FILE, so that CMake can unpack it in the build folder.

Runs the command under perf(1), which needs root or perf_event_paranoid -1, and a readable
tracefs. Writes a trace in the format of trace.h (in this folder). --script reads the output of
`perf script` with FIELDS instead. The number of records of each kind goes to standard output. If
perf lost events, the recording is refused.

How perf's events become a trace:

* A task has its own address space from its fork (without CLONE_VM) or exec on. At exec the new
  space begins when the task is renamed, before the kernel writes to the new stack.
* A page fault touches its page. A second fault on a page touches it again: a page that was only
  read is now written to.
* A system call counts if it succeeded. munmap, a brk that shrinks, MADV_DONTNEED and an mmap to
  a fixed address unmap; mprotect changes rights; mremap moves mapped pages.
* The events of several CPUs become one sequence. Events of different address spaces in the same
  millisecond are ordered by space; fork, exec and exit stay where they were.

perf does not see two things: pages with arguments and environment before exec (the kernel fills
them), and pages that the kernel maps around a faulting page of a file.
"""
import argparse
import collections
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import zlib
from pathlib import Path

SYSCALLS = ["mmap", "munmap", "mprotect", "brk", "mremap", "madvise"]
EVENTS = ["page-faults", "task:task_newtask", "task:task_rename", "sched:sched_process_exec",
          "sched:sched_process_exit",
          *(f"syscalls:sys_{way}_{name}" for name in SYSCALLS for way in ("enter", "exit"))]
FIELDS = "pid,tid,time,event,addr,trace"

PAGE_SHIFT = 12
USER_END = 1 << 47
WINDOW_NS = 1_000_000

CLONE_VM, CLONE_THREAD = 0x100, 0x10000
MAP_FIXED, MAP_POPULATE = 0x10, 0x8000
MADV_DONTNEED = 4

MAGIC = b"usermm mm events 1\n"
KINDS = ["space", "new", "copy", "exit", "touch", "unmap", "protect", "move"]
# The kinds of records with a range.
RANGES = {"touch", "unmap", "protect", "move"}
MAX_SPACES = 1024
NR_ENDS = 4
NEAR_PAGES = 1024

Event = collections.namedtuple("Event", "kind space page pages extra", defaults=(0, 0, 0))


class Wrong(Exception):
    """Why the recording cannot be used."""


class Spaces:
    """Allocates numbers of address spaces (the lowest free one), and counts each one's users."""

    def __init__(self):
        self.users = {}

    def new(self):
        space = next(i for i in range(len(self.users) + 1) if i not in self.users)
        if space >= MAX_SPACES:
            raise Wrong(f"more than {MAX_SPACES} address spaces at once")
        self.users[space] = 1
        return space

    def drop(self, space):
        """Removes a user of the space. True if it was the last one."""
        self.users[space] -= 1
        if self.users[space]:
            return False
        del self.users[space]
        return True


class Converter:
    """Converts perf's events, given in order of time, to trace events (self.events)."""

    def __init__(self):
        self.events = []
        self.spaces = Spaces()
        self.space_of = {}      # pid: space
        self.brk_of = {}        # space: where its heap ends
        self.calls = {}         # tid: the system call it is in
        self.renamed = {}       # tid: pages touched since its rename; an exec may follow
        self.waiting = {}       # space: its events of this window
        self.window = 0

    def take(self, pid, tid, ns, name, addr, text):
        if ns // WINDOW_NS != self.window:
            self.flush_all()
            self.window = ns // WINDOW_NS
        if name == "page-faults":
            self.fault(pid, tid, addr)
        elif name == "task:task_rename":
            self.not_exec(pid, tid)
            self.renamed[tid] = []
        elif name == "sched:sched_process_exec":
            self.exec(pid, tid)
        else:
            self.not_exec(pid, tid)
            if name == "task:task_newtask":
                self.fork(pid, text)
            elif name == "sched:sched_process_exit":
                self.exit(pid, tid, text)
            elif name.startswith("syscalls:sys_enter_"):
                self.calls[tid] = name.removeprefix("syscalls:sys_enter_"), numbers(text)
            elif name.startswith("syscalls:sys_exit_"):
                self.call(pid, tid, name.removeprefix("syscalls:sys_exit_"),
                          int(text.split()[0], 16))
            else:
                raise Wrong(f"{name}: an event that nobody asked for")

    def end(self):
        """Ends all processes that have not ended."""
        self.flush_all()
        for pid in list(self.space_of):
            self.leave(pid)

    # --- Order. -----------------------------------------------------------------------

    def add(self, kind, space, start, length, extra=0):
        page, end = start >> PAGE_SHIFT, (start + length + (1 << PAGE_SHIFT) - 1) >> PAGE_SHIFT
        if end > page and end <= USER_END >> PAGE_SHIFT:
            self.waiting.setdefault(space, []).append(Event(kind, space, page, end - page, extra))

    def flush(self, space):
        self.events += self.waiting.pop(space, [])

    def flush_all(self):
        for space in sorted(self.waiting):
            self.flush(space)

    # --- Tasks. -----------------------------------------------------------------------

    def space(self, pid):
        if pid not in self.space_of:
            raise Wrong(f"process {pid} came from nowhere")
        return self.space_of[pid]

    def fork(self, parent, text):
        child, flags = int(field(text, "pid")), int(field(text, "clone_flags"), 16)
        if flags & CLONE_THREAD:
            return
        space = self.space(parent)
        if flags & CLONE_VM:
            self.spaces.users[space] += 1
            self.space_of[child] = space
            return
        self.flush(space)
        copy = self.spaces.new()
        self.events.append(Event("copy", space, extra=copy))
        self.space_of[child] = copy
        if space in self.brk_of:
            self.brk_of[copy] = self.brk_of[space]

    def leave(self, pid):
        space = self.space_of.pop(pid)
        if self.spaces.drop(space):
            self.flush(space)
            self.events.append(Event("exit", space))
            self.brk_of.pop(space, None)

    def exec(self, pid, tid):
        if pid in self.space_of:
            self.leave(pid)
        space = self.space_of[pid] = self.spaces.new()
        self.events.append(Event("new", space))
        for addr in self.renamed.pop(tid, []):
            self.add("touch", space, addr, 1)
        self.calls.pop(tid, None)

    def not_exec(self, pid, tid):
        """The rename was not part of an exec."""
        for addr in self.renamed.pop(tid, []):
            self.add("touch", self.space(pid), addr, 1)

    def exit(self, pid, tid, text):
        self.calls.pop(tid, None)
        if field(text, "group_dead") == "true":
            self.leave(pid)

    # --- Pages. -----------------------------------------------------------------------

    def fault(self, pid, tid, addr):
        if addr >= USER_END:
            return
        if tid in self.renamed:
            self.renamed[tid].append(addr)
        else:
            self.add("touch", self.space(pid), addr, 1)

    def call(self, pid, tid, name, result):
        entered, args = self.calls.pop(tid, (None, None))
        failed = result >= (1 << 64) - 4095
        if entered == name and not failed:
            getattr(self, name)(self.space(pid), result, args)

    def mmap(self, space, result, args):
        if args["flags"] & MAP_FIXED:
            self.add("unmap", space, result, args["len"])
        if args["flags"] & MAP_POPULATE and args["prot"]:
            self.add("touch", space, result, args["len"])

    def munmap(self, space, _result, args):
        self.add("unmap", space, args["addr"], args["len"])

    def mprotect(self, space, _result, args):
        self.add("protect", space, args["start"], args["len"], args["prot"] & 7)

    def madvise(self, space, _result, args):
        if args["behavior"] == MADV_DONTNEED:
            self.add("unmap", space, args["start"], args["len_in"])

    def brk(self, space, result, _args):
        old = self.brk_of.get(space, result)
        self.brk_of[space] = result
        first, last = -(-result >> PAGE_SHIFT), -(-old >> PAGE_SHIFT)
        if last > first:
            self.add("unmap", space, first << PAGE_SHIFT, (last - first) << PAGE_SHIFT)

    def mremap(self, space, result, args):
        old, old_bytes, new_bytes = args["addr"], args["old_len"], args["new_len"]
        if result != old:
            self.add("move", space, old, min(old_bytes, new_bytes), result >> PAGE_SHIFT)
        if new_bytes < old_bytes:
            self.add("unmap", space, old + new_bytes, old_bytes - new_bytes)


def field(text, name):
    return re.search(rf"\b{name}=(\S+)", text).group(1)


def numbers(text):
    """Parses "addr: 0x00001000, ..." to {"addr": 0x1000, ...}."""
    return {name: int(value, 16) for name, value in re.findall(r"(\w+): (0x[0-9a-f]+)", text)}


def join_touches(events):
    """Joins touches of consecutive pages to one record."""
    last = None
    for event in events:
        if (last and event.kind == last.kind == "touch" and event.space == last.space and
                event.page == last.page + last.pages):
            last = last._replace(pages=last.pages + event.pages)
            continue
        if last:
            yield last
        last = event
    if last:
        yield last


# --- The format: see trace.h. ----------------------------------------------------------

def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


class Writer:
    def __init__(self):
        self.records = bytearray()
        self.counts = dict.fromkeys(KINDS, 0)
        self.pages = 0                  # touched
        self.current = None
        self.ends = {}                  # space: where the last ranges ended, latest first

    def head(self, kind, low, bits, high=0):
        """Writes the first byte: kind, `high`, `low` in so many bits; the rest of low follows."""
        most = (1 << bits) - 1
        self.records.append(KINDS.index(kind) << 5 | high << bits | min(low, most))
        if low >= most:
            self.records += varint(low - most)
        self.counts[kind] += 1

    def distance(self, space, which, page, pages):
        ends = self.ends[space]
        delta = page - ends[which]
        ends.pop(which if abs(delta) < NEAR_PAGES else -1)
        ends.insert(0, page + pages)
        self.records += varint(delta << 1 if delta >= 0 else ~delta << 1 | 1)

    def range(self, event):
        ends = self.ends[event.space]
        which = min(range(NR_ENDS), key=lambda i: abs(event.page - ends[i]))
        self.head(event.kind, event.pages - 1, 3, which)
        self.distance(event.space, which, event.page, event.pages)
        if event.kind == "touch":
            self.pages += event.pages
        elif event.kind == "protect":
            self.records += varint(event.extra)
        elif event.kind == "move":
            self.distance(event.space, 0, event.extra, event.pages)

    def event(self, event):
        if event.kind == "new":
            self.head("new", event.space, 5)
            self.current, self.ends[event.space] = event.space, [0] * NR_ENDS
            return
        if event.space != self.current:
            self.head("space", event.space, 5)
            self.current = event.space
        if event.kind in RANGES:
            self.range(event)
        elif event.kind == "copy":
            self.head("copy", event.extra, 5)
            self.ends[event.extra] = list(self.ends[event.space])
        else:
            self.head("exit", 0, 5)
            self.current = None

    def file(self):
        head = b"".join(varint(n) for n in [*self.counts.values(), self.pages])
        body = MAGIC + head + bytes(self.records)
        return body + zlib.crc32(body).to_bytes(4, "little")


# --- perf. -------------------------------------------------------------------------------

LINE = re.compile(r"\s*(\d+)/(\d+)\s+(\d+)\.(\d{9}):\s+(\S+?):\s+(.*)")


def events_of(lines):
    converter = Converter()
    for line in lines:
        match = LINE.match(line)
        if not match:
            raise Wrong(f"perf script says: {line.strip()}")
        pid, tid, seconds, nanoseconds, name, rest = match.groups()
        # A tracepoint's text is here; the line ends with an address of 0.
        addr = int(rest, 16) if name == "page-faults" else 0
        converter.take(int(pid), int(tid), int(seconds) * 10**9 + int(nanoseconds), name, addr,
                       rest)
    converter.end()
    return converter.events


def check_complete(data):
    """Asks perf report for losses: LOST records, and samples that the kernel dropped."""
    dump = subprocess.run(["perf", "report", "-i", data, "--stats"], text=True, check=True,
                          stdin=subprocess.DEVNULL, capture_output=True).stdout
    lost = re.findall(r"(LOST(?:_SAMPLES)?|THROTTLE) events:\s*(\d+)", dump)
    if any(int(count) for _, count in lost):
        raise Wrong("perf lost events; enlarge its buffers (--buffer)")


def record(command, buffer):
    """Yields the lines of perf script."""
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "perf.data")
        status = subprocess.run(["perf", "record", "-q", "-o", data, "-m", buffer, "-c", "1", "-d",
                                 "-e", ",".join(EVENTS), "--", *command]).returncode
        if status:
            raise Wrong(f"the command ended with {status}")
        check_complete(data)
        with subprocess.Popen(["perf", "script", "-i", data, "--ns", "-F", FIELDS], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as script:
            yield from script.stdout
        if script.returncode:
            raise Wrong(f"perf script ended with {script.returncode}")


def write_packed(path, trace):
    member = tarfile.TarInfo(path.name.removesuffix(".tar.xz"))
    member.size = len(trace)
    with tarfile.open(path, "w:xz", preset=9) as archive:
        archive.addfile(member, io.BytesIO(trace))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--output", required=True, metavar="FILE.tar.xz")
    parser.add_argument("--script", metavar="TEXT", help="convert what perf script printed")
    parser.add_argument("--buffer", default="8M", help="perf's buffer for a CPU")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if bool(args.script) == bool(args.command):
        parser.error("either a command or --script")
    if not args.output.endswith(".tar.xz"):
        parser.error("the output's name has to end with .tar.xz")
    writer = Writer()
    try:
        lines = open(args.script) if args.script else record(args.command, args.buffer)
        for event in join_touches(events_of(lines)):
            writer.event(event)
    except Wrong as wrong:
        sys.exit(f"record_mm_events: {wrong}")
    trace = writer.file()
    write_packed(Path(args.output), trace)
    print(*(f"{kind:8} {count}" for kind, count in writer.counts.items()), sep="\n")
    print(f"{'pages':8} {writer.pages}")


if __name__ == "__main__":
    main()
