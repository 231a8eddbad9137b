#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The crate's global allocator beside the preload and the other allocators' crates, and its caches
beside the C calls.

    compare.py --library LIBRARY [--rounds N] [--bench NAME]... [FILTER]

Each round runs each benchmark of benches/ once, and the malloc benchmarks once more under LIBRARY:
there Rust's System allocator is the preload, the last column. Each run takes a sample of short
measurements, and the least of each is its figure, in nanoseconds: what other processes take only
adds. The script prints the medians of the rounds, and their ratios to the group's first. FILTER is
a regular expression of the groups to run, as criterion takes it.
"""
import argparse
import json
import math
import operator
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
BENCHES = ("malloc", "cache")
# Most measurements of such a sample fit between two switches of the processor.
CRITERION = ("--bench", "--noplot", "--warm-up-time", "0.1", "--measurement-time", "0.1",
             "--sample-size", "40")
PRELOAD = "preload"


def programs(benches):
    """The built benchmarks: {name: file}."""
    wanted = [word for name in benches for word in ("--bench", name)]
    said = subprocess.run(["cargo", "bench", "--no-run", "--message-format=json", *wanted],
                          cwd=HERE, text=True, stdout=subprocess.PIPE, check=True).stdout
    messages = map(json.loads, said.splitlines())
    return {message["target"]["name"]: message["executable"] for message in messages
            if message.get("executable")}


def run(program, pattern, preload=None):
    """What it measured: {group: {name: nanoseconds}}, as criterion wrote it."""
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "CRITERION_HOME": home}
        if preload:
            env["LD_PRELOAD"] = str(preload)
        done = subprocess.run([program, *CRITERION, pattern], text=True, capture_output=True,
                              cwd=HERE, env=env)
        if done.returncode:
            sys.exit(f"compare: {program}: status {done.returncode}\n{done.stdout}{done.stderr}")
        groups = defaultdict(dict)
        for path in sorted(Path(home).glob("*/*/new/benchmark.json")):
            named = json.loads(path.read_text())
            sample = json.loads((path.parent / "sample.json").read_text())
            least = min(map(operator.truediv, sample["times"], sample["iters"]))
            groups[named["group_id"]][named["function_id"]] = least
        return groups


def one_round(found, pattern, library):
    groups = defaultdict(dict)
    for bench, program in found.items():
        for group, figures in run(program, pattern).items():
            groups[group] |= figures
        if bench == "malloc":
            preloaded = run(program, f"({pattern}).*/libc$", library)
            for group, figures in preloaded.items():
                groups[group][PRELOAD] = figures["libc"]
    return groups


def order(names):
    """The crate or the C calls first, the preload last."""
    return sorted(names, key=lambda name: (name not in ("usermm", "C calls"), name == PRELOAD,
                                           name))


def show(rounds):
    ratios = defaultdict(list)
    for group in rounds[0]:
        medians = {name: statistics.median(groups[group][name] for groups in rounds)
                   for name in order(rounds[0][group])}
        first = next(iter(medians.values()))
        print(f"{group}:")
        for name, median in medians.items():
            ratios[name].append(median / first)
            print(f"    {name:24} {median:12.2f} ns {median / first:8.3f}")
    for name, all_ratios in ratios.items():
        if len(all_ratios) > 2:
            mean = math.exp(statistics.fmean(map(math.log, all_ratios)))
            print(f"geometric mean of {len(all_ratios)} ratios, {name}: {mean:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bench", action="append", choices=BENCHES)
    parser.add_argument("filter", nargs="?", default="")
    args = parser.parse_args()
    library = args.library.resolve()
    if not library.is_file():
        sys.exit(f"compare: there is no {library}: make build")
    found = programs(args.bench or BENCHES)
    show([one_round(found, args.filter, library) for _ in range(args.rounds)])


if __name__ == "__main__":
    main()
