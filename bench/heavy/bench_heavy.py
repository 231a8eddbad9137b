#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures programs that do little but allocate under usermm and every allocator that is here.

Runs are interleaved: in each round every program (heavy.h, programs.cc) runs once under every
allocator, and the order of the allocators changes from round to round. The script prints processor
time (user and system) and peak resident memory as ratios to usermm's of the same round, medians
over the rounds: above 1 the allocator needs more than usermm. "best peer" is usermm's time as a
ratio to the least of the others' medians; its geometric mean is over all programs. With --only,
usermm runs as well.
"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "memory"))
from bench_memory import (allocators, environment_of, machine, new_parser,       # noqa: E402
                          output_file, parse_known, positive)

C_PROGRAMS = ("replace-small", "replace-many", "rounds", "bignum", "cubes", "trees", "words",
              "json", "lisp", "strings", "stages", "large", "server", "exchange")
CXX_PROGRAMS = ("maps", "pointers", "messages", "patterns")
PROGRAMS = C_PROGRAMS + CXX_PROGRAMS


class Cost(NamedTuple):
    seconds: float          # of the processors, user and system
    system: float           # seconds of it in the kernel
    peak: int               # KiB


def build(folder):
    """Answers {program: the file that has it}."""
    here = Path(__file__).parent
    c, cxx = folder / "programs", folder / "programs++"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-pthread", "-o", c,
                    *sorted(here.glob("*.c"))],
                   check=True)
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-o", cxx,
                    here / "programs.cc"], check=True)
    return dict.fromkeys(C_PROGRAMS, c) | dict.fromkeys(CXX_PROGRAMS, cxx)


def run(file, program, preload, divisor):
    """The cost, and the sum that the program printed."""
    process = subprocess.Popen([file, program, str(divisor)], stdout=subprocess.PIPE,
                               env=environment_of(preload))
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        sys.exit(f"bench_heavy: {program} under {preload or 'glibc'} ended with "
                 f"{process.returncode}")
    total, peak = map(int, text.split())
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_stime, peak), total


def run_rounds(files, found, args):
    """Answers {program: {allocator: [a Cost for each round]}}."""
    costs = {program: {name: [] for name in found} for program in args.load}
    names = list(found)
    for number in range(args.rounds):
        for program in args.load:
            sums = set()
            for name in names:
                cost, total = run(files[program], program, found[name], args.divisor)
                costs[program][name].append(cost)
                sums.add(total)
            if len(sums) > 1:
                sys.exit(f"bench_heavy: {program} printed another sum under another allocator")
        names = names[1:] + names[:1]
        print(f"round {number + 1} of {args.rounds}", file=sys.stderr, flush=True)
    return costs


def ratio(costs, usermm, field):
    """The median over the rounds of a ratio to usermm's cost in the same round."""
    return statistics.median(getattr(its, field) / max(getattr(mine, field), 1e-3)
                             for its, mine in zip(costs, usermm))


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def print_table(title, costs, field, names):
    print(f"\n{title}")
    print(f"{'':15}{'usermm':>9}{'best peer':>11}" + "".join(f"{name[:14]:>15}" for name in names))
    ratios = {program: {name: ratio(of[name], of["usermm"], field) for name in names}
              for program, of in costs.items()}
    best = {program: 1 / min(of.values()) for program, of in ratios.items()}
    for program, of in ratios.items():
        mine = statistics.median(getattr(cost, field) for cost in costs[program]["usermm"])
        mine = f"{mine:.3f}" if field == "seconds" else f"{mine / 1024:.1f}"
        print(f"{program:15}{mine:>9}{best[program]:11.3f}"
              + "".join(f"{of[name]:15.3f}" for name in names))
    print(f"{'geometric mean':15}{'':9}{geometric_mean(best.values()):11.3f}"
          + "".join(f"{geometric_mean(of[name] for of in ratios.values()):15.3f}"
                    for name in names))


def arguments():
    parser = new_parser(__doc__, PROGRAMS)
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--json", type=output_file,
                        help="write each run's figures to this file as well")
    args = parse_known(parser, PROGRAMS)
    found = allocators(args.library, args.peers)
    if args.only:
        wanted = {"usermm", *args.only.split(",")}
        if unknown := sorted(wanted - set(found)):
            parser.error(f"no allocator {', '.join(unknown)}; there are {', '.join(found)}")
        found = {name: path for name, path in found.items() if name in wanted}
    if len(found) < 2:
        parser.error("nothing to compare with")
    return args, found


def main():
    args, found = arguments()
    with tempfile.TemporaryDirectory() as folder:
        costs = run_rounds(build(Path(folder)), found, args)
    facts = machine()
    print(f"{facts['model']}, {facts['cpus']} CPUs, Linux {facts['kernel']}")
    others = [name for name in found if name != "usermm"]
    print_table("Processor time: seconds, and as ratios", costs, "seconds", others)
    print_table("Peak resident memory: MiB, and as ratios", costs, "peak", others)
    if args.json:
        args.json.write_text(json.dumps({
            "machine": facts, "libraries": found, "divisor": args.divisor,
            "programs": {program: {name: [cost._asdict() for cost in of_allocator]
                                   for name, of_allocator in of.items()}
                         for program, of in costs.items()}}, indent=1) + "\n")


if __name__ == "__main__":
    main()
