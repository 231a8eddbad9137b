#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares Linux 6.12 and usermm by the benchmarks of the four seeds.

    compare_linux.py [--usermm FILE] [--runs N] [--json FILE] [--short]

The modules of bench/module run in Linux as a user process and by `usermm module`, in turns, N times
each (default 5). The table has the medians, the seeds' own figures, and how many times longer Linux
takes. A row that only one side has gets no ratio. --short does few loops: it shows that everything
works, but its figures mean nothing.
"""
import argparse
import errno
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import build_linux
from run_linux import Module, boot, build_modules, execute
from seeds import ROWS

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = PROJECT / "bench" / "module"
# usermm goes by the rules of the Linux that it is compared with.
LINUX_RULES = "--linux=6.12"
SHORT = {
    "page_alloc_test": ["loops=2000"],
    "page_bench04_bulk": ["loops=512", "rounds=1"],
    "slab_test": ["loops=500", "rounds=1"],
    "pagetable_test": ["lifetimes=500", "pairs=64"],
}
SUITES = {
    "page-alloc": "blocks of order 3 with a second reference; ns for one loop",
    "page-bulk": "pages one at a time and in bulk, put one by one; cycles for a page",
    "kmalloc": "cycles for an object; steps are bytes",
    "quicklist": "page-table pages; ns for one allocation, on average and at least; zeroed_pair:\n"
                 "ns for a zeroed page taken and given back, step of them at a time\n"
                 "(Linux has no quicklists: its figures are the page allocator's in either row)",
}
LIMIT_SECONDS = 600
ROW = re.compile(r"\brow (\S+) (-?\d+) (\d+\.\d+)$", re.MULTILINE)

HEAD = """\
Linux {release} ({optimisation}) runs as a process (UML): with one CPU and no preemption it does
without the locks and locked instructions that it has on several CPUs, which flatters it. On
the other hand a per-CPU operation there blocks signals by calls, {signals} cycles, where a kernel
on the machine itself has one instruction. usermm is as always: ready for all CPUs.
{runs} runs of each in turns, medians. Above 1 in the last column: usermm takes less.
"""
# The cost of blocking signals: Linux pays it as a user process, not because of its allocators.
SIGNALS = ("signals_blocked", 1)


def rows_of(text):
    """Maps (name, step) to cycles, from the rows that a module printed."""
    return {(name, int(step)): float(cost) for name, step, cost in ROW.findall(text)}


def last_cpu():
    """The CPU to measure on: lower ones serve more interrupts."""
    return max(os.sched_getaffinity(0))


class Linux:
    def __init__(self, folder, params):
        self.tree = build_linux.build(build_linux.default_cache())
        self.params = {**params, "signals_cost": []}
        sources = [FOLDER / f"{name}.c" for name in params]
        sources.append(Path(__file__).with_name("signals_cost.c"))
        self.objects = build_modules(self.tree, sources, folder, ["-Wframe-larger-than=8192"])

    def release(self):
        return (self.tree / "include/config/kernel.release").read_text().strip()

    def optimisation(self):
        size = "CONFIG_CC_OPTIMIZE_FOR_SIZE=y" in (self.tree / ".config").read_text()
        return "-Os" if size else "-O2"

    def run(self):
        modules = [Module(path, [*self.params[path.stem], "rows=1"]) for path in self.objects]
        result = boot(self.tree, modules, limit=LIMIT_SECONDS, cpu=last_cpu())
        for module in modules:
            if module.init not in (0, -errno.EAGAIN):
                sys.exit(f"compare_linux: {module.name} in Linux: init returned {module.init}\n" +
                         "\n".join(result.log.splitlines()[-20:]))
        return rows_of("\n".join(line for module in modules for line in module.lines))


class Usermm:
    def __init__(self, program, folder, params):
        self.program = program
        self.folder = folder
        self.params = params

    def module(self, name, extra, cpu):
        log = self.folder / "log"
        command = [str(self.program), "module", LINUX_RULES, str(FOLDER / f"{name}.c"),
                   *self.params[name], "rows=1", *extra]
        with open(log, "wb") as file:
            status = execute(command, file, LIMIT_SECONDS, cpu)
        text = log.read_text(errors="replace")
        if status != 0:
            sys.exit(f"compare_linux: {' '.join(command)}: status {status}\n{text[-2000:]}")
        return rows_of(text)

    def run(self):
        """Runs on one CPU, as Linux does; except for the rows about several CPUs."""
        rows = {}
        for name in self.params:
            extra = ["smp=0"] if name == "slab_test" else []
            rows.update(self.module(name, extra, last_cpu()))
        rows.update(self.module("slab_test", ["single=0"], None))
        return rows

    def machine(self):
        """The machine and its calibration, as `usermm bench` prints them."""
        command = [str(self.program), "bench", "page-alloc", "--json", "-"]
        result = subprocess.run(command, text=True, capture_output=True, timeout=LIMIT_SECONDS)
        if result.returncode:
            sys.exit(f"compare_linux: {' '.join(command)} failed\n{result.stderr}")
        return json.loads(result.stdout)


def median_of(runs, key):
    """The median (None if a run lacks the row), and the values of all runs."""
    values = [run[key] for run in runs if key in run]
    return (statistics.median(values) if len(values) == len(runs) else None), values


def compare(linux_runs, usermm_runs, hz):
    """Yields a dictionary for each row that at least one side has."""
    for row in ROWS:
        scale = 1e9 / hz if row.unit == "ns" else 1
        linux, linux_values = median_of(linux_runs, row.linux_key)
        usermm, usermm_values = median_of(usermm_runs, row.usermm_key)
        if linux is None and usermm is None:
            continue
        entry = {"suite": row.suite, "name": row.name, "step": row.step, "path": row.path,
                 "unit": row.unit, "seed_before": row.before, "seed_after": row.after,
                 "linux": None if linux is None else linux * scale,
                 "usermm": None if usermm is None else usermm * scale,
                 # A time of 0 was shorter than the clock's resolution.
                 "ratio": linux / usermm if linux and usermm else None,
                 "linux_runs": [value * scale for value in linux_values],
                 "usermm_runs": [value * scale for value in usermm_values]}
        yield {key: value for key, value in entry.items() if value not in (None, [])}


def shown(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def print_table(entries):
    for suite, about in SUITES.items():
        print(f"\n{suite}: {about}")
        print(f"{'':23} {'step':>5} {'path':14} {'seed before':>11} {'seed after':>11} "
              f"{'Linux':>9} {'usermm':>9} {'Linux/usermm':>12}")
        for entry in entries:
            if entry["suite"] == suite:
                print(f"{entry['name']:23} {entry['step']:5} {entry.get('path', ''):14} "
                      f"{shown(entry.get('seed_before')):>11} {shown(entry.get('seed_after')):>11} "
                      f"{shown(entry.get('linux')):>9} {shown(entry.get('usermm')):>9} "
                      f"{shown(entry.get('ratio'), 2):>12}")


def print_head(bench, linux, linux_runs, short):
    machine, calibration = bench["machine"], bench["calibration"]
    print(f"usermm {machine['usermm']} on {machine['cpu']}, {machine['cpus']} CPUs, "
          f"TSC {machine['tsc_hz'] / 1e9:.3f} GHz, {machine['kernel']}, "
          f"{machine['percpu_mode']} by {machine['slot_index']}")
    print(f"R (bare rseq pop + push) {shown(calibration['rseq_pair_cycles'])}; L (locked add) "
          f"{shown(calibration['locked_add_cycles'])}; Z (memset of a page) "
          f"{shown(calibration['memset_page_cycles'])} cycles")
    signals, _ = median_of(linux_runs, SIGNALS)
    print(HEAD.format(release=linux.release(), optimisation=linux.optimisation(),
                      signals=shown(signals), runs=len(linux_runs)), end="")
    if short:
        print("--short: these figures mean nothing")


def take_turns(linux, usermm, runs):
    """The sides take turns in going first, so that neither always follows the other."""
    found = {linux: [], usermm: []}
    for number in range(runs):
        for side in (linux, usermm) if number % 2 == 0 else (usermm, linux):
            found[side].append(side.run())
        print(f"compare_linux: run {number + 1} of {runs}", file=sys.stderr, flush=True)
    return found[linux], found[usermm]


def nested(entries):
    suites = {suite: [] for suite in SUITES}
    for entry in entries:
        suites[entry["suite"]].append({key: entry[key] for key in entry if key != "suite"})
    return suites


def write_json(args, bench, linux, linux_runs, entries):
    text = json.dumps({
        "machine": bench["machine"], "calibration": bench["calibration"],
        "linux": {"release": linux.release(), "optimisation": linux.optimisation(),
                  "signals_blocked_cycles": median_of(linux_runs, SIGNALS)[0]},
        "runs": args.runs, "short": args.short, "suites": nested(entries)}, indent=1)
    args.json.write_text(text + "\n")


def figures_lacking(entries):
    """Yields the rows for which a seed has a figure, but Linux or usermm has none."""
    found = {(entry["suite"], entry["name"], entry["step"], entry.get("path"), side)
             for entry in entries for side in ("linux", "usermm") if side in entry}
    for row in ROWS:
        for side in ("linux", "usermm"):
            if ((row.before is not None or row.after is not None) and
                    (row.suite, row.name, row.step, row.path, side) not in found):
                yield f"{row.suite} {row.name} {row.step} ({side})"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--usermm", type=Path, default=PROJECT / "build" / "usermm")
    parser.add_argument("--runs", type=int, default=5, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--short", action="store_true")
    args = parser.parse_args()
    if args.runs < 1:
        parser.error("--runs is at least 1")
    if not args.usermm.is_file():
        parser.error(f"{args.usermm} is not there; `make build` makes it")
    if args.json and not args.json.absolute().parent.is_dir():
        parser.error(f"there is no folder for {args.json}")
    return args


def main():
    args = arguments()
    # SIGTERM also ends the processes that were started.
    signal.signal(signal.SIGTERM, build_linux.raise_exit)
    params = SHORT if args.short else {name: [] for name in SHORT}
    with tempfile.TemporaryDirectory(prefix="usermm-compare-") as name:
        folder = Path(name)
        linux = Linux(folder / "linux", params)
        usermm = Usermm(args.usermm.resolve(), folder, params)
        bench = usermm.machine()
        linux_runs, usermm_runs = take_turns(linux, usermm, args.runs)
    entries = list(compare(linux_runs, usermm_runs, bench["machine"]["tsc_hz"]))
    print_head(bench, linux, linux_runs, args.short)
    print_table(entries)
    if args.json:
        write_json(args, bench, linux, linux_runs, entries)
    if lacking := list(figures_lacking(entries)):
        print(f"compare_linux: no figure of {', '.join(lacking)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
