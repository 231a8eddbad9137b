#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures real programs under glibc's malloc, usermm and the peers that are installed.

Runs are interleaved: in each round every program runs once under every allocator, and the
order of the allocators changes from round to round. Each round has copies of its own of all
the libraries: a program may take 2 % longer with one copy of a file than with another.
The script prints wall time and peak resident memory as ratios to glibc's of the same round: the
median, with the lowest and the highest; and the geometric means over all programs. No new round
begins that would not end within the given time.
"""
import argparse
import glob
import json
import math
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import workloads

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "memory"))
from bench_memory import PEERS, machine, output_file, positive       # noqa: E402


def libraries(usermm):
    """The files of the allocators that are here, except glibc's."""
    found = {"usermm": usermm}
    for name, pattern in PEERS.items():
        paths = sorted(glob.glob(f"/usr/lib/*/{pattern}"))
        if paths:
            found[name] = Path(paths[0])
    return found


def preloads(files, folder):
    """
    Each allocator's variables, for copies of the files in that folder. redis-server is linked
    with jemalloc, so without another allocator libc goes first.
    """
    folder.mkdir()
    folder.chmod(0o755)			# also for users other than root
    copies = {name: shutil.copyfile(file, folder / f"{name}.so") for name, file in files.items()}
    for copy in copies.values():
        copy.chmod(0o644)
    return {name: {"LD_PRELOAD": str(path)}
            for name, path in ({"glibc": "libc.so.6"} | copies).items()}


def measure(workload, base, preload, scale):
    bench = workloads.run(workload, base, preload, scale)
    return workloads.Cost(bench.seconds, bench.peak_kib)


def run_rounds(chosen, files, base, args):
    """Answers {(workload, allocator): [a Cost for each round]}."""
    names = ["glibc", *files]
    costs = {(workload.name, name): [] for workload in chosen for name in names}
    start = time.monotonic()
    longest = 0.0
    for number in range(args.rounds):
        begin = time.monotonic()
        if number and begin - start + longest > args.minutes * 60:
            print(f"{number} rounds; no time for more", file=sys.stderr)
            break
        allocators = preloads(files, base / f"round{number + 1}")
        for workload in chosen:
            for name in names:
                cost = measure(workload, base, allocators[name], args.scale)
                costs[workload.name, name].append(cost)
                print(f"round {number + 1}: {workload.name} under {name}: {cost.seconds:.2f} s, "
                      f"{cost.peak_kib} KiB", file=sys.stderr, flush=True)
        names = names[1:] + names[:1]
        longest = max(longest, time.monotonic() - begin)
    return costs


def ratios(costs, plain, field):
    """Ratios of each round, so that other work of the machine is in both figures."""
    values = sorted(getattr(mine, field) / getattr(its, field) for mine, its in zip(costs, plain))
    return statistics.median(values), values[0], values[-1]


def rows_of(costs):
    rows = []
    for (workload, name), mine in costs.items():
        plain = costs[workload, "glibc"]
        wall, wall_low, wall_high = ratios(mine, plain, "seconds")
        peak, peak_low, peak_high = ratios(mine, plain, "peak_kib")
        rows.append({
            "name": workload, "allocator": name, "rounds": len(mine),
            "seconds": statistics.median(cost.seconds for cost in mine),
            "peak_kib": statistics.median(cost.peak_kib for cost in mine),
            "seconds_ratio": wall, "seconds_ratio_low": wall_low, "seconds_ratio_high": wall_high,
            "peak_ratio": peak, "peak_ratio_low": peak_low, "peak_ratio_high": peak_high,
        })
    return rows


def means_of(rows, allocators):
    """Geometric means of the ratios over all programs."""
    means = []
    for name in allocators:
        mine = [row for row in rows if row["allocator"] == name]
        means.append({"name": "geometric mean", "allocator": name} | {
            field: math.exp(statistics.fmean(math.log(row[field]) for row in mine))
            for field in ("seconds_ratio", "peak_ratio")})
    return means


def print_table(title, field, rows, means, allocators):
    print(f"\n{title}, as a ratio to glibc's: median (lowest to highest)")
    print(f"{'':16}" + "".join(f"{name:>22}" for name in allocators))
    for workload in dict.fromkeys(row["name"] for row in rows):
        cells = {row["allocator"]: f"{row[field]:.2f} ({row[field + '_low']:.2f} to "
                                   f"{row[field + '_high']:.2f})"
                 for row in rows if row["name"] == workload}
        print(f"{workload:16}" + "".join(f"{cells[name]:>22}" for name in allocators))
    cells = {row["allocator"]: f"{row[field]:.3f}" for row in means}
    print(f"{'geometric mean':16}" + "".join(f"{cells[name]:>22}" for name in allocators))


def check(parser, args):
    """Refuses arguments with which a long run would fail later."""
    known = [workload.name for workload in workloads.WORKLOADS]
    if unknown := sorted(set(args.program) - set(known)):
        parser.error(f"no program {', '.join(unknown)}; there are {', '.join(known)}")
    if args.scale <= 0:
        parser.error("--scale has to be above 0")
    if not args.library.exists():
        parser.error(f"{args.library} does not exist; `make build` makes it")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, type=Path, help="path of libusermm_malloc.so")
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--minutes", type=float, default=14)
    parser.add_argument("--scale", type=float, default=0.5, help="how much the programs have to do")
    parser.add_argument("--json", type=output_file,
                        help="write the figures to this file as well")
    parser.add_argument("program", nargs="*", help="measure these alone")
    args = parser.parse_args()
    check(parser, args)

    chosen = [workload for workload in workloads.WORKLOADS
              if (not args.program or workload.name in args.program)]
    for workload in chosen:
        if not workloads.is_here(workload):
            print(f"{workload.name}: not here, skipped", file=sys.stderr)
    chosen = [workload for workload in chosen if workloads.is_here(workload)]
    if not chosen:
        sys.exit("bench_programs: none of the programs is here")
    facts, files = machine() | {"load": os.getloadavg()[0]}, libraries(args.library)
    with tempfile.TemporaryDirectory(prefix="usermm-programs-") as base:
        Path(base).chmod(0o755)
        costs = run_rounds(chosen, files, Path(base), args)
    rows = rows_of(costs)
    names = list(dict.fromkeys(row["allocator"] for row in rows))
    means = means_of(rows, names)
    print(f"{facts['model']}, {facts['cpus']} CPUs, Linux {facts['kernel']}, "
          f"load {facts['load']:.1f} at the start")
    print_table("wall time", "seconds_ratio", rows, means, names)
    print_table("peak resident memory", "peak_ratio", rows, means, names)
    if args.json:
        args.json.write_text(json.dumps({"machine": facts,
                                         "suites": {"programs": rows + means}}, indent=1) + "\n")


if __name__ == "__main__":
    main()
