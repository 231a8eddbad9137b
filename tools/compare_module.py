#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares kmalloc and kfree in a module with the same loops in a plain program.

    compare_module.py [--build DIR] [--runs N] [--short]

`usermm module` runs bench/module/slab_test.c. plain_slab_test.c is built as any user of
libusermm.so would build it. Both run N times in turns on one CPU; medians are compared. For
streams and for pairs, the median over the sizes counts: the exit status is 1 if the module takes
more than 5 % longer in either. (A single size may differ more, since each run lies elsewhere in
memory.) --short does few loops and always succeeds.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
MODULE = PROJECT / "bench" / "module" / "slab_test.c"
PLAIN = PROJECT / "bench" / "module" / "plain_slab_test.c"
LIMIT = 1.05
LIMIT_SECONDS = 300
SHORT = (500, 1)		# loops, rounds
ROW = re.compile(r"\brow (\S+) (\d+) (\d+\.\d+)$", re.MULTILINE)


def build_plain(build, folder):
    program = folder / "plain"
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu17", "-O2", f"-I{PROJECT}/src",
                    f"-I{PROJECT}/include", PLAIN, "-o", program, f"-L{build}", "-lusermm",
                    f"-Wl,-rpath,{build}"], check=True)
    return program


def run(command, cpu):
    result = subprocess.run([str(part) for part in command], text=True, capture_output=True,
                            timeout=LIMIT_SECONDS,
                            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    rows = {(name, int(step)): float(cost) for name, step, cost in ROW.findall(result.stdout)}
    if result.returncode or not rows:
        sys.exit(f"compare_module: {command[0]}: status {result.returncode}\n"
                 f"{result.stdout}{result.stderr}")
    return rows


def take_turns(commands, runs):
    """The rows of each run, for each command. The commands take turns in going first."""
    cpu = max(os.sched_getaffinity(0))
    found = [[] for _ in commands]
    for number in range(runs):
        order = range(len(commands))
        for which in order if number % 2 == 0 else reversed(order):
            found[which].append(run(commands[which], cpu))
    return found


def medians(runs):
    return {key: statistics.median(rows[key] for rows in runs) for key in runs[0]}


def print_table(plain, module):
    """Prints the table. Returns a map: kind -> median of its sizes' ratios."""
    ratios = {}
    print(f"{'cycles':10} {'bytes':>6} {'plain':>8} {'module':>8} {'module/plain':>13}")
    for (kind, size), cost in plain.items():
        ratio = module[kind, size] / cost
        ratios.setdefault(kind, []).append(ratio)
        print(f"{kind:10} {size:6} {cost:8.2f} {module[kind, size]:8.2f} {ratio:13.3f}")
    return {kind: statistics.median(values) for kind, values in ratios.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=PROJECT / "build")
    parser.add_argument("--runs", type=int, default=9, metavar="N")
    parser.add_argument("--short", action="store_true")
    args = parser.parse_args()
    build = args.build.resolve()
    if args.runs < 1:
        parser.error("--runs is at least 1")
    if not (build / "usermm").is_file():
        parser.error(f"{build} has no usermm; `make build` makes it")
    loops = [f"loops={SHORT[0]}", f"rounds={SHORT[1]}"] if args.short else []
    with tempfile.TemporaryDirectory(prefix="usermm-compare-") as folder:
        commands = [[build_plain(build, Path(folder)), *(SHORT if args.short else ())],
                    [build / "usermm", "module", MODULE, "rows=1", "smp=0", *loops]]
        plain, module = map(medians, take_turns(commands, args.runs))
    overall = print_table(plain, module)
    for kind, ratio in overall.items():
        print(f"{kind:10} median of the ratios {ratio:.3f}")
    return 0 if args.short or max(overall.values()) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
