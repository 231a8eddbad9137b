#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares Linux and usermm by the benchmarks of the four seeds.

    compare_linux.py [--usermm FILE] [--kernel NAME]... [--runs N] [--json FILE] [--short]

The modules of bench/module run in Linux as a user process and by `usermm module`, in turns, N times
each (default 5). NAME is 6.12, 7.3 or 7.3-smp (build_linux.py); by default all of them. usermm runs
with the rules of each version. The table has the medians, the seeds' own figures, and how many
times longer the fastest Linux takes than the slower usermm. A row that only one side has gets no
ratio. --short does few loops: it shows that everything works, but its figures mean nothing.
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
Linux runs as a process (UML) without preemption. 6.12 and 7.3 are built for one CPU: they do
without the locks and locked instructions that they have on several CPUs, which flatters them, and
7.3 without per-CPU page lists. 7.3-smp is built for several CPUs, but runs on one, except in the
rows about several CPUs: there it has two. On the other hand a per-CPU operation in UML blocks
signals by calls, where a kernel on the machine itself has one instruction:
{signals}.
usermm is as always: ready for all CPUs. Its columns have the rules of these versions.
{runs} runs of each in turns, medians. The last column is the fastest Linux / the slower usermm:
above 1, usermm takes less.
"""
# The cost of blocking signals: Linux pays it as a user process, not because of its allocators.
SIGNALS = ("signals_blocked", 1)


def rows_of(text):
    """Maps (name, step) to cycles, from the rows that a module printed."""
    return {(name, int(step)): float(cost) for name, step, cost in ROW.findall(text)}


def last_cpu():
    """The CPU to measure on: lower ones serve more interrupts."""
    return max(os.sched_getaffinity(0))


def has_seed_0(source):
    """Do GFP flags become ALLOC flags by two ifs, as seed 0 wants, or because bits are equal?"""
    by_ifs = re.search(r"if \(gfp_mask & __GFP_HIGH\)\s+alloc_flags \|= ALLOC_", source)
    by_bits = re.search(r"BUILD_BUG_ON\(__GFP_HIGH != \(__force gfp_t\) ALLOC_", source)
    if bool(by_ifs) == bool(by_bits):
        sys.exit("compare_linux: mm/page_alloc.c makes ALLOC flags in neither way that is known")
    return bool(by_ifs)


class Linux:
    """A built Linux."""

    def __init__(self, name, folder, params):
        self.kernel = build_linux.KERNELS[name]
        self.tree = build_linux.build(build_linux.default_cache(), name)
        self.params = {**params, "signals_cost": []}
        sources = [FOLDER / f"{name}.c" for name in params]
        sources.append(Path(__file__).with_name("signals_cost.c"))
        self.objects = build_modules(self.tree, sources, folder, ["-Wframe-larger-than=8192"])

    def release(self):
        return (self.tree / "include/config/kernel.release").read_text().strip()

    def optimisation(self):
        size = "CONFIG_CC_OPTIMIZE_FOR_SIZE=y" in (self.tree / ".config").read_text()
        return "-Os" if size else "-O2"

    def has_seed_0(self):
        return has_seed_0((self.tree / "mm/page_alloc.c").read_text())

    def about(self):
        return {"release": self.release(), "optimisation": self.optimisation(),
                "seed_0_is_in": self.has_seed_0()}

    def boot(self, modules, cpu, cpus):
        result = boot(self.tree, modules, limit=LIMIT_SECONDS, cpu=cpu, cpus=cpus)
        for module in modules:
            if module.init not in (0, -errno.EAGAIN):
                sys.exit(f"compare_linux: {module.name} in Linux {self.kernel.name}: "
                         f"init returned {module.init}\n" +
                         "\n".join(result.log.splitlines()[-20:]))
        return rows_of("\n".join(line for module in modules for line in module.lines))

    def module(self, path, *extra):
        return Module(path, [*self.params[path.stem], "rows=1", *extra])

    def run(self):
        """On one CPU; with SMP on two as well, for the rows about several CPUs."""
        rows = self.boot([self.module(path) for path in self.objects], last_cpu(), 1)
        if self.kernel.smp:
            slab = next(path for path in self.objects if path.stem == "slab_test")
            rows.update(self.boot([self.module(slab, "single=0")], None, 2))
        return rows


class Usermm:
    """usermm with the rules of a version."""

    def __init__(self, version, program, folder, params):
        self.version = version
        self.program = program
        self.folder = folder
        self.params = params

    def module(self, name, extra, cpu):
        log = self.folder / "log"
        command = [str(self.program), "module", f"--linux={self.version}",
                   str(FOLDER / f"{name}.c"), *self.params[name], "rows=1", *extra]
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


def medians_of(sides, key, scale):
    """{side: median}, {side: values}, for each side that has the row."""
    found = {side: median_of(runs, key) for side, runs in sides.items()}
    return ({side: median * scale for side, (median, _) in found.items() if median is not None},
            {side: [value * scale for value in values]
             for side, (_, values) in found.items() if values})


def compare(linux_runs, usermm_runs, hz):
    """Yields a dictionary for each row that at least one side has.

    linux_runs: for each kernel's name the rows of its runs; usermm_runs: for each version.
    """
    for row in ROWS:
        scale = 1e9 / hz if row.unit == "ns" else 1
        linux, linux_values = medians_of(linux_runs, row.linux_key, scale)
        usermm, usermm_values = medians_of(usermm_runs, row.usermm_key, scale)
        if not linux and not usermm:
            continue
        fastest, slower = min(linux.values(), default=0), max(usermm.values(), default=0)
        entry = {"suite": row.suite, "name": row.name, "step": row.step, "path": row.path,
                 "unit": row.unit, "seed_before": row.before, "seed_after": row.after,
                 "linux": linux, "usermm": usermm,
                 # A time of 0 was shorter than the clock's resolution.
                 "ratio": fastest / slower if fastest and slower else None,
                 "linux_runs": linux_values, "usermm_runs": usermm_values}
        yield {key: value for key, value in entry.items() if value not in (None, {})}


def shown(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def line_of(name, step, path, seed, linux, usermm, last):
    """A line of the table; seed, linux and usermm are lists of texts."""
    columns = [*(f"{text:>8}" for text in seed), *(f"{text:>9}" for text in [*linux, *usermm])]
    return f"{name:23} {step:>5} {path:14} {' '.join(columns)} {last:>8}"


def print_suite(suite, entries, kernels, versions):
    print(line_of("", "", "", ["seed", ""], ["Linux", *[""] * (len(kernels) - 1)],
                  ["usermm", *[""] * (len(versions) - 1)], "Linux/").rstrip())
    print(line_of("", "step", "path", ["before", "after"], kernels, versions, "usermm"))
    if suite == "page-alloc":
        print(line_of("seed 0's change is in", "", "", ["no", "yes"],
                      ["yes" if linux.has_seed_0() else "no" for linux in kernels.values()],
                      ["-" for _ in versions], "-"))
    for entry in entries:
        if entry["suite"] == suite:
            print(line_of(entry["name"], entry["step"], entry.get("path", ""),
                          [shown(entry.get("seed_before")), shown(entry.get("seed_after"))],
                          [shown(entry.get("linux", {}).get(name)) for name in kernels],
                          [shown(entry.get("usermm", {}).get(name)) for name in versions],
                          shown(entry.get("ratio"), 2)))


def print_table(entries, kernels, versions):
    for suite, about in SUITES.items():
        print(f"\n{suite}: {about}")
        print_suite(suite, entries, kernels, versions)


def print_head(bench, kernels, linux_runs, args):
    machine, calibration = bench["machine"], bench["calibration"]
    print(f"usermm {machine['usermm']} on {machine['cpu']}, {machine['cpus']} CPUs, "
          f"TSC {machine['tsc_hz'] / 1e9:.3f} GHz, {machine['kernel']}, "
          f"{machine['percpu_mode']} by {machine['slot_index']}")
    print(f"R (bare rseq pop + push) {shown(calibration['rseq_pair_cycles'])}; L (locked add) "
          f"{shown(calibration['locked_add_cycles'])}; Z (memset of a page) "
          f"{shown(calibration['memset_page_cycles'])} cycles")
    print("; ".join(f"{name}: Linux {linux.release()} ({linux.optimisation()})"
                    for name, linux in kernels.items()))
    signals = "; ".join(f"{name}: {shown(median_of(runs, SIGNALS)[0])} cycles"
                        for name, runs in linux_runs.items())
    print(HEAD.format(signals=signals, runs=args.runs), end="")
    if args.short:
        print("--short: these figures mean nothing")


def take_turns(sides, runs):
    """{side: rows of its runs}. Each side is the first in turn, so none always follows another."""
    found = {side: [] for side in sides}
    for number in range(runs):
        first = number % len(sides)
        for side in [*sides[first:], *sides[:first]]:
            found[side].append(side.run())
        print(f"compare_linux: run {number + 1} of {runs}", file=sys.stderr, flush=True)
    return found


def nested(entries):
    suites = {suite: [] for suite in SUITES}
    for entry in entries:
        suites[entry["suite"]].append({key: entry[key] for key in entry if key != "suite"})
    return suites


def write_json(args, bench, kernels, linux_runs, entries):
    linux = {name: {**kernel.about(),
                    "signals_blocked_cycles": median_of(linux_runs[name], SIGNALS)[0]}
             for name, kernel in kernels.items()}
    text = json.dumps({
        "machine": bench["machine"], "calibration": bench["calibration"], "linux": linux,
        "runs": args.runs, "short": args.short, "suites": nested(entries)}, indent=1)
    args.json.write_text(text + "\n")


def figures_lacking(entries, kernels, versions):
    """Yields the rows for which a seed has a figure, but a Linux or usermm has none."""
    found = {(entry["suite"], entry["name"], entry["step"], entry.get("path"), side, name)
             for entry in entries for side in ("linux", "usermm") for name in entry.get(side, ())}
    sides = [("linux", name, build_linux.KERNELS[name].version) for name in kernels]
    sides += [("usermm", version, version) for version in versions]
    for row in ROWS:
        for side, name, version in sides:
            if (row.is_of_seed() and row.exists_in(version) and
                    (row.suite, row.name, row.step, row.path, side, name) not in found):
                yield f"{row.suite} {row.name} {row.step} ({side} {name})"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--usermm", type=Path, default=PROJECT / "build" / "usermm")
    parser.add_argument("--kernel", action="append", choices=build_linux.KERNELS)
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
    names = [name for name in build_linux.KERNELS if not args.kernel or name in args.kernel]
    with tempfile.TemporaryDirectory(prefix="usermm-compare-") as name:
        folder = Path(name)
        kernels = {name: Linux(name, folder / name, params) for name in names}
        usermm = {linux.kernel.version: Usermm(linux.kernel.version, args.usermm.resolve(), folder,
                                               params) for linux in kernels.values()}
        bench = next(iter(usermm.values())).machine()
        found = take_turns([*kernels.values(), *usermm.values()], args.runs)
    linux_runs = {name: found[side] for name, side in kernels.items()}
    usermm_runs = {version: found[side] for version, side in usermm.items()}
    entries = list(compare(linux_runs, usermm_runs, bench["machine"]["tsc_hz"]))
    print_head(bench, kernels, linux_runs, args)
    print_table(entries, kernels, list(usermm))
    if args.json:
        write_json(args, bench, kernels, linux_runs, entries)
    if lacking := list(figures_lacking(entries, kernels, usermm)):
        print(f"compare_linux: no figure of {', '.join(lacking)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
