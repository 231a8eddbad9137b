#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says where the resident memory of a program lies when it has most of it.

Runs workloads of make bench-programs, one after the other, under libc's malloc and under a library,
and looks every millisecond at each process that they start. Whenever one has more resident memory
than any before it, its mappings are read. The script prints, for each workload, what the mappings
had at the last such moment: the files of the library, other files, the library's variables, its
heap (the largest anonymous mapping with a page of reserved memory behind it), and the other
mappings.
"""
import argparse
import contextlib
import re
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "programs"))
import workloads  # noqa: E402

HEAD = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$")


class Watch:
    """
    The mappings of this process's largest descendant, when it was largest. A descendant counts only
    if it was executed with the library. A forked process that has not executed its program yet does
    not count.
    """

    def __init__(self, preload):
        self.mark = f"LD_PRELOAD={preload}"
        self.most = 0
        self.maps = ""
        self.argv = ""

    def look(self, pid):
        text = workloads.contents(Path(f"/proc/{pid}/status"))
        rss = re.search(r"VmRSS:\s+(\d+)", text)
        if not rss or int(rss.group(1)) <= self.most:
            return
        environment = workloads.contents(Path(f"/proc/{pid}/environ"))
        maps = workloads.contents(Path(f"/proc/{pid}/smaps"))
        if not maps or self.mark not in environment.split("\0"):
            return
        self.most, self.maps = int(rss.group(1)), maps
        self.argv = workloads.contents(Path(f"/proc/{pid}/cmdline")).replace("\0", " ")[:60]

    def watch(self, root, end):
        while not end.is_set():
            for pid in workloads.tree_of(root)[1:]:
                with contextlib.suppress(OSError):
                    self.look(pid)
            time.sleep(0.001)


def mappings(text):
    """Answers (start, end, rights, path, resident KiB) of each mapping."""
    found = []
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            found.append([int(head.group(1), 16), int(head.group(2), 16), head.group(3),
                          head.group(4), 0])
        elif line.startswith("Rss:"):
            found[-1][4] = int(line.split()[1])
    return found


def sums_of(text, library):
    """KiB by kind."""
    sums, before = {}, None
    for one in mappings(text):
        start, _, rights, path, rss = one
        file = before[3] if before and before[1] == start and before[3].startswith("/") else ""
        if library and (path == library or file == library and not path):
            kind = "library: " + ("code and constants" if path and "w" not in rights else
                                  "variables")
        elif path.startswith("/"):
            kind = "other files"
        elif file:
            kind, path = "other files", file
        elif path:
            kind = path
        else:
            kind = f"anonymous {start:x} {(one[1] - start) // 1024} KiB"
        sums[kind] = sums.get(kind, 0) + rss
        before = [start, one[1], rights, path]
    return sums


def run(workload, name, library, args, base):
    folder = base / name
    folder.mkdir()
    folder.chmod(0o755)
    preload = library or "libc.so.6"
    watch, end = Watch(preload), threading.Event()
    thread = threading.Thread(target=watch.watch, args=(workloads.os.getpid(), end))
    thread.start()
    try:
        bench = workloads.run(workload, folder, {"LD_PRELOAD": preload}, args.scale)
    finally:
        end.set()
        thread.join()
    return watch, bench


def show(title, watch, bench, library, most_rows):
    sums = sums_of(watch.maps, library)
    print(f"{title}: {bench.peak_kib} KiB at the peak, {watch.most} seen, {bench.seconds:.2f} s: "
          f"{watch.argv}")
    rows = sorted(sums.items(), key=lambda row: -row[1])
    for kind, rss in rows[:most_rows]:
        print(f"{rss:10} {kind}")
    print(f"{sum(rss for _, rss in rows[most_rows:]):10} others")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, type=Path, help="path of libusermm_malloc.so")
    parser.add_argument("--scale", type=float, default=0.2, help="how much the programs have to do")
    parser.add_argument("--rows", type=int, default=12, help="the largest mappings that are shown")
    parser.add_argument("program", nargs="*", help="run these alone")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="usermm-peaks-") as base:
        Path(base).chmod(0o755)
        library = shutil.copyfile(args.library, Path(base) / "usermm.so")
        library.chmod(0o644)
        for workload in workloads.WORKLOADS:
            if args.program and workload.name not in args.program or \
               not workloads.is_here(workload):
                continue
            for name, path in (("libc", ""), ("usermm", str(library))):
                watch, bench = run(workload, f"{workload.name}-{name}", path, args, Path(base))
                show(f"{workload.name} under {name}", watch, bench, path, args.rows)


if __name__ == "__main__":
    main()
