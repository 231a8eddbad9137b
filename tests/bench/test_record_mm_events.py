#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does bench/loads/record_mm_events.py make the right trace from perf's events?

What `perf script` would have printed is given. The reader's own test has the same trace by
hand, and the recorder has to write it byte for byte.
"""
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zlib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
RECORDER = PROJECT / "bench" / "loads" / "record_mm_events.py"
sys.path.insert(0, str(RECORDER.parent))

from record_mm_events import Event, Wrong, events_of, join_touches  # noqa: E402


class Script:
    """perf script's lines; each event a second behind the one before, unless told otherwise."""

    def __init__(self):
        self.lines = []
        self.ns = 10**9

    def line(self, pid, event, text, tid=None, after=10**9):
        self.ns += after
        second, ns = divmod(self.ns, 10**9)
        self.lines.append(f" {pid}/{tid or pid} {second}.{ns:09}: {event:>30}: {text}\n")
        return self

    def tracepoint(self, pid, event, text, **more):
        return self.line(pid, event, f"{text}               0", **more)

    def rename(self, pid, **more):
        return self.tracepoint(pid, "task:task_rename", f"pid={pid} oldcomm=a newcomm=b c", **more)

    def exec(self, pid, **more):
        return self.rename(pid, **more).tracepoint(
            pid, "sched:sched_process_exec", f"filename=/bin/a b pid={pid} old_pid={pid}", **more)

    def fork(self, parent, child, flags=0x1200000):
        return self.tracepoint(parent, "task:task_newtask",
                               f"pid={child} comm=a pid=9 clone_flags={flags:x} oom_score_adj=0")

    def exit(self, pid, group_dead=True, **more):
        return self.tracepoint(pid, "sched:sched_process_exit",
                               f"comm=a pid={pid} prio=120 group_dead={str(group_dead).lower()}",
                               **more)

    def fault(self, pid, addr, **more):
        return self.line(pid, "page-faults", f"{addr:16x}", **more)

    def call(self, pid, name, result, **args):
        text = ", ".join(f"{arg}: {value:#010x}" for arg, value in args.items())
        return (self.tracepoint(pid, f"syscalls:sys_enter_{name}", text)
                .tracepoint(pid, f"syscalls:sys_exit_{name}", f"{result & (1 << 64) - 1:#x}"))

    def events(self):
        return list(join_touches(events_of(self.lines)))


def convert(text, output):
    return subprocess.run([sys.executable, RECORDER, "--output", output, "--script", text],
                          text=True, capture_output=True)


def page(number):
    return number << 12


class Recorder(unittest.TestCase):
    def check(self, script, *expected):
        """Behind the first exec of process 10, and before everybody's end."""
        events = script.events()
        self.assertEqual(events[0], Event("new", 0))
        self.assertEqual([event for event in events[1:] if event.kind != "exit"], list(expected))

    def test_page_faults(self):
        self.check(Script().exec(10).fault(10, 0x1fff).fault(10, 0x2000).fault(10, 0x2008),
                   Event("touch", 0, 1, 2), Event("touch", 0, 2, 1))

    def test_faults_in_the_kernels_half(self):
        self.check(Script().exec(10).fault(10, 0xffff888000000000))

    def test_faults_between_rename_and_exec_are_the_new_programs(self):
        script = Script().exec(10).fork(10, 11).fault(11, page(1)).rename(11).fault(11, page(2))
        script.tracepoint(11, "sched:sched_process_exec", "filename=/b pid=11 old_pid=11")
        self.assertEqual(script.events(),
                         [Event("new", 0), Event("copy", 0, extra=1), Event("touch", 1, 1, 1),
                          Event("exit", 1), Event("new", 1), Event("touch", 1, 2, 1),
                          Event("exit", 0), Event("exit", 1)])

    def test_renamed_without_exec(self):
        self.check(Script().exec(10).rename(10).fault(10, page(7)).call(10, "brk", 0x5000, brk=0),
                   Event("touch", 0, 7, 1))

    def test_vfork_shares_until_exec(self):
        script = Script().exec(10).fork(10, 11, 0x4100).fault(11, page(3)).exec(11)
        self.check(script.fault(11, page(4)), Event("touch", 0, 3, 1), Event("new", 1),
                   Event("touch", 1, 4, 1))

    def test_vfork_shares_until_exit(self):
        script = Script().exec(10).fork(10, 11, 0x4100).exit(11).fault(10, page(3))
        self.check(script, Event("touch", 0, 3, 1))

    def test_threads_are_their_process(self):
        script = Script().exec(10).fork(10, 12, 0x3d0f00).fault(10, page(3), tid=12)
        self.check(script.exit(10, group_dead=False, tid=12).fault(10, page(5)),
                   Event("touch", 0, 3, 1), Event("touch", 0, 5, 1))

    def test_numbers_are_used_again(self):
        script = Script().exec(10).fork(10, 11).fork(10, 12).exit(11).fork(10, 13)
        self.check(script, *(Event("copy", 0, extra=number) for number in (1, 2, 1)))

    def test_unmapping(self):
        fixed, anywhere = 0x32, 0x22
        script = (Script().exec(10).call(10, "munmap", 0, addr=page(1), len=0x1001)
                  .call(10, "mmap", page(8), addr=page(8), len=0x2000, prot=3, flags=fixed)
                  .call(10, "mmap", page(9), addr=0, len=0x2000, prot=3, flags=anywhere)
                  .call(10, "madvise", 0, start=page(5), len_in=0x1000, behavior=4)
                  .call(10, "madvise", 0, start=page(6), len_in=0x1000, behavior=14))
        self.check(script, Event("unmap", 0, 1, 2), Event("unmap", 0, 8, 2),
                   Event("unmap", 0, 5, 1))

    def test_calls_that_fail(self):
        script = Script().exec(10)
        for name, args in (("munmap", {"addr": 0x1000, "len": 0x1000}),
                           ("mprotect", {"start": 0x1000, "len": 0x1000, "prot": 1}),
                           ("mmap", {"addr": 0x1000, "len": 0x1000, "prot": 1, "flags": 0x12}),
                           ("mremap", {"addr": 0x1000, "old_len": 0x1000, "new_len": 0x9000})):
            script.call(10, name, -22, **args)
        self.check(script)

    def test_populated(self):
        self.check(Script().exec(10).call(10, "mmap", page(8), addr=0, len=0x3000, prot=1,
                                          flags=0x8002), Event("touch", 0, 8, 3))

    def test_brk(self):
        script = Script().exec(10)
        for end in (0x10000, 0x14800, 0x12001, 0x12fff):
            script.call(10, "brk", end, brk=end)
        self.check(script, Event("unmap", 0, 0x13, 2))

    def test_brk_of_a_child(self):
        script = Script().exec(10).call(10, "brk", 0x14000, brk=0).fork(10, 11)
        self.check(script.call(11, "brk", 0x10000, brk=0x10000), Event("copy", 0, extra=1),
                   Event("unmap", 1, 0x10, 4))

    def test_mremap(self):
        script = Script().exec(10)
        for result, old, new in ((page(0x20), 2, 3), (page(0x10), 2, 3), (page(0x10), 4, 1),
                                 (page(0x30), 4, 1)):
            script.call(10, "mremap", result, addr=page(0x10), old_len=page(old),
                        new_len=page(new), flags=1)
        self.check(script, Event("move", 0, 0x10, 2, 0x20), Event("unmap", 0, 0x11, 3),
                   Event("move", 0, 0x10, 1, 0x30), Event("unmap", 0, 0x11, 3))

    def test_events_of_one_millisecond_are_put_in_order(self):
        script = Script().exec(10).fork(10, 11).fault(11, page(1))
        for number in range(2, 5):
            script.fault(10, page(number), after=100).fault(11, page(number), after=100)
        self.check(script, Event("copy", 0, extra=1), Event("touch", 0, 2, 3),
                   Event("touch", 1, 1, 4))

    def test_parent_comes_before_its_copy(self):
        script = Script().exec(10).fault(10, page(1)).fork(10, 11)
        self.check(script, Event("touch", 0, 1, 1), Event("copy", 0, extra=1))

    def test_bad_input(self):
        for script in (Script().fault(10, page(1)), Script().exec(10).fault(11, page(1)),
                       Script().exec(10).tracepoint(10, "sched:sched_switch", "a=b")):
            with self.assertRaises(Wrong):
                script.events()
        with self.assertRaises(Wrong):
            list(events_of(["LOST 5 events\n"]))


class Format(unittest.TestCase):
    def test_readers_trace(self):
        script = Script().exec(10)
        for number in (0x400, 0x401, 0x402, 0x7fff0, 0x402):
            script.fault(10, page(number))
        script.call(10, "munmap", 0, addr=page(0x500), len=page(8) + 1)
        script.call(10, "mprotect", 0, start=page(0x401), len=0x1000, prot=1)
        script.fork(10, 11).fault(11, page(0x400)).exit(11)
        script.call(10, "mremap", page(0x600), addr=page(0x401), old_len=0x2000, new_len=0x2000,
                    flags=1)
        script.fork(10, 12, 0x4100).exec(12).fault(12, page(0x400)).exit(12).exit(10)
        source = (PROJECT / "tests" / "bench" / "test_trace.c").read_text()
        array = re.search(r"small\[\] = \{(.*?)\};", source, re.DOTALL).group(1)
        array = re.sub(r"/\*.*?\*/", "", array)
        expected = b"usermm mm events 1\n" + bytes(int(n, 0) for n in array.split(",") if n.strip())
        expected += zlib.crc32(expected).to_bytes(4, "little")
        with tempfile.TemporaryDirectory() as folder:
            text, output = Path(folder, "script"), Path(folder, "trace.tar.xz")
            text.write_text("".join(script.lines))
            result = convert(text, output)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            with tarfile.open(output) as archive:
                self.assertEqual(archive.getnames(), ["trace"])
                trace = archive.extractfile("trace").read()
            self.assertEqual(trace.hex(" "), expected.hex(" "))
        self.assertIn("touch    5\n", result.stdout)
        self.assertIn("pages    7\n", result.stdout)

    def test_nothing_is_written_if_something_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            text, output = Path(folder, "script"), Path(folder, "trace.tar.xz")
            text.write_text("nonsense\n")
            result = convert(text, output)
            self.assertEqual((result.returncode, result.stderr),
                             (1, "record_mm_events: perf script says: nonsense\n"))
            self.assertFalse(output.exists())


if __name__ == "__main__":
    unittest.main()
