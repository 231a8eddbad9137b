#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do all commands show the present limit of a process whose limit somebody changes while it runs?

    run_resized.py USERMM LIBRARY [--group]

The limit is RLIMIT_DATA or RLIMIT_AS, set from outside, and that of a memory cgroup, of either
version. It is looked for in `usermm inspect`, in the metrics of `usermm export`, in
usermm_stats_read() within the process, and in `usermm doctor` beside it. They must show it as soon
as the process has grown once. Exit status 77: this process may not make a memory cgroup, and all
that can be looked at without was well. With --group there must be a memory cgroup, and nothing else
is looked at.
"""
import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

SKIPPED = 77
MIB = 1 << 20
PATIENCE_SECONDS = 60
GROUPS = (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max"))

# A limit that was read is believed for 100 ms (limits_known_ms in src/page/reclaim/limits.c).
BELIEVED_SECONDS = 0.2

# At a line "grow" the process grows by 20 MB; at a line "stats" it prints its budget.
PROGRAM = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
blocks = []
for line in sys.stdin:
    if line == "grow\\n":
        blocks += [bytes(100000) for _ in range(200)]
        print("grown", flush=True)
    else:
        stats = (ctypes.c_size_t * 200)()
        library.usermm_stats_read(stats)
        print(stats[BUDGET], flush=True)
"""


class Resized:
    """A process that grows when it is told to, and the places that show its limit."""

    def __init__(self, usermm, library, group):
        self.usermm, self.group = usermm, group
        text = PROGRAM.replace("BUDGET", str(budget_word()))
        self.child = subprocess.Popen([sys.executable, "-c", text, library], text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      preexec_fn=self.enter,
                                      env=os.environ | {"LD_PRELOAD": library})
        self.ask("grow")
        self.export = subprocess.Popen([usermm, "export", "--listen=127.0.0.1:0",
                                        str(self.child.pid)], text=True, stdout=subprocess.PIPE)
        self.address = re.search(r"http://\S+", self.export.stdout.readline())[0]

    def enter(self):
        if self.group:
            (self.group / "cgroup.procs").write_text("0")

    def ask(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()
        return self.child.stdout.readline().strip()

    def inspected(self):
        done = subprocess.run([self.usermm, "inspect", "--json", str(self.child.pid)], check=True,
                              text=True, capture_output=True)
        return json.loads(done.stdout)["stats"]["budget_bytes"]

    def metric(self):
        with urllib.request.urlopen(self.address, timeout=60) as answer:
            return int(re.search(r"^usermm_budget_bytes(?:{.*})? (\d+)$", answer.read().decode(),
                                 re.MULTILINE)[1])

    def doctor(self, also):
        def begin():
            self.enter()
            also()
        done = subprocess.run([self.usermm, "doctor"], check=True, text=True, capture_output=True,
                              preexec_fn=begin)
        return re.search(r"^limit +(\S+ \S+)", done.stdout, re.MULTILINE)[1]

    def end(self):
        self.export.send_signal(signal.SIGTERM)
        self.child.stdin.close()
        for process in (self.export, self.child):
            process.wait(PATIENCE_SECONDS)


def budget_word():
    header = Path(__file__).resolve().parents[2] / "include" / "usermm" / "stats.h"
    fields = re.findall(r"^\tsize_t (\w+);", header.read_text(), re.MULTILINE)
    return fields.index("budget_bytes")


def fits(budget, limit):
    return limit // 4 * 3 <= budget <= limit


def expect(process, what, limit, shown, also=lambda: None):
    """The process grows once, and all places show the limit."""
    time.sleep(BELIEVED_SECONDS)
    process.ask("grow")
    figures = {"inspect": process.inspected(), "export": process.metric(),
               "usermm_stats_read()": int(process.ask("stats"))}
    for place, budget in figures.items():
        if not fits(budget, limit):
            sys.exit(f"{what} of {limit // MIB} MiB: {place} shows {budget / MIB:.1f}")
    doctor = process.doctor(also)
    if doctor != shown:
        sys.exit(f"{what} of {limit // MIB} MiB: doctor shows {doctor}")


@contextlib.contextmanager
def own_group():
    for parent, name in GROUPS:
        group = Path(parent) / f"usermm-resized-{os.getpid()}"
        with contextlib.suppress(OSError):
            group.mkdir()
            try:
                (group / name).write_text(str(1024 * MIB))
            except OSError:
                group.rmdir()
                continue
            try:
                yield group, group / name
            finally:
                group.rmdir()
            return
    yield None, None


def resize_group(usermm, library):
    """False if there is no group to resize."""
    with own_group() as (group, limit_file):
        if not group:
            return False
        process = Resized(usermm, library, group)
        try:
            for mib in (1024, 256, 600):
                limit_file.write_text(str(mib * MIB))
                shown = f"{mib / 1024:.1f} GiB" if mib >= 1024 else f"{mib}.0 MiB"
                expect(process, "memory cgroup", mib * MIB, shown)
        finally:
            process.end()
    return True


def resize_address_space(usermm, library, name, limit):
    process = Resized(usermm, library, None)
    try:
        for gib in (8, 4, 6):
            limits = (gib << 30, resource.RLIM_INFINITY)
            resource.prlimit(process.child.pid, limit, limits)
            expect(process, name, gib << 30, f"{gib}.0 GiB",
                   lambda limits=limits: resource.setrlimit(limit, limits))
    finally:
        process.end()


def main():
    usermm, library = sys.argv[1], str(Path(sys.argv[2]).resolve())
    if sys.argv[3:] == ["--group"]:
        return 0 if resize_group(usermm, library) else "this process may not make a memory cgroup"
    resize_address_space(usermm, library, "RLIMIT_DATA", resource.RLIMIT_DATA)
    resize_address_space(usermm, library, "RLIMIT_AS", resource.RLIMIT_AS)
    if not resize_group(usermm, library):
        print("this process may not make a memory cgroup")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
