#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how much memory loads need under usermm, glibc's malloc and the peers that are here.

    bench_memory.py --loads FILE --library FILE [--rounds N] [--peers FOLDER] [--json FILE]
                    [--plot FOLDER] [LOAD...]

FILE of --loads is the program memory_loads. Runs are interleaved: in each round every load runs
once under every allocator. For each run it prints the peak of the resident memory, what is
resident 12 seconds after the load has ended, as a ratio to the bytes in use, and the CPU time; the
figures are medians over the rounds. --plot draws resident memory over time, one picture for each
load (python3-matplotlib).
"""
import argparse
import glob
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

LOADS = ("cache-server", "phase-changes", "compiler", "web-server", "json", "producer", "peak")
PEERS = {"jemalloc": "libjemalloc.so.2", "mimalloc": "libmimalloc.so.2*",
         "tcmalloc": "libtcmalloc_minimal.so.4"}
SAMPLE_SECONDS = 0.05
MIB = 1 << 20


class Run(NamedTuple):
    peak: int			# bytes
    resident: int		# bytes, when the rest ends
    live: int			# bytes that the load has in use then
    seconds: float		# of CPU, user and system
    samples: list		# (seconds, resident, bytes in use)


def allocators(library, peers):
    found = {"usermm": str(library.resolve()), "glibc": ""}
    for name, pattern in PEERS.items():
        if paths := sorted(glob.glob(f"/usr/lib/*/{pattern}")):
            found[name] = paths[0]
    for path in sorted(peers.glob("*.so")) if peers else []:
        found[path.stem.removeprefix("lib")] = str(path.resolve())
    return found


def resident(pid):
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return 0
    return int(re.search(r"^Rss:\s+(\d+)", text, re.M).group(1)) * 1024


def run(loads, load, preload, rest, extra):
    environment = {"PATH": os.environ["PATH"], **extra}
    if preload:
        environment["LD_PRELOAD"] = preload
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    process = subprocess.Popen([loads, load, str(rest)], stdout=subprocess.PIPE, env=environment)
    os.set_blocking(process.stdout.fileno(), False)
    samples, live, text = [], 0, b""
    while process.poll() is None:
        text += process.stdout.read() or b""
        if numbers := re.findall(rb"^(?:PHASE|END) (\d+)", text, re.M):
            live = int(numbers[-1])
        if now := resident(process.pid):
            samples.append((time.monotonic() - begin, now, live))
        time.sleep(SAMPLE_SECONDS)
    text += process.stdout.read() or b""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode or not samples:
        sys.exit(f"bench_memory: {load} under {preload or 'glibc'} ended with "
                 f"{process.returncode}")
    live = int(re.findall(rb"^END (\d+)", text, re.M)[-1])
    return Run(max(now for _, now, _ in samples), samples[-1][1], live,
               after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, samples)


def plot(folder, load, runs):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(9, 4.5))
    for name, of_allocator in runs.items():
        samples = of_allocator[0].samples
        axes.plot([s[0] for s in samples], [s[1] / MIB for s in samples], label=name,
                  linewidth=2 if name == "usermm" else 1)
    samples = runs["usermm"][0].samples
    axes.step([s[0] for s in samples], [s[2] / MIB for s in samples], "k:", where="post",
              label="in use at the last phase")
    axes.set(title=load, xlabel="seconds", ylabel="resident MiB", ylim=0)
    axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{load}.svg")
    pyplot.close(figure)


def processor():
    match = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    return match.group(1) if match else platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rest", type=int, default=12, help="seconds")
    parser.add_argument("--only", help="allocators, with commas")
    parser.add_argument("--options", default="", help="USERMM_OPTIONS of usermm's runs")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("load", nargs="*", default=LOADS)
    args = parser.parse_args()
    if unknown := set(args.load) - set(LOADS):
        sys.exit(f"bench_memory: no load {', '.join(sorted(unknown))}; there are {', '.join(LOADS)}")
    found = allocators(args.library, args.peers)
    if args.only:
        found = {name: path for name, path in found.items() if name in args.only.split(",")}
    extra = {"USERMM_OPTIONS": args.options} if args.options else {}
    runs = {load: {name: [] for name in found} for load in args.load}
    for _ in range(args.rounds):
        for load in args.load:
            for name, path in found.items():
                runs[load][name].append(run(args.loads.resolve(), load, path, args.rest, extra))
    print(f"{processor()}, {os.cpu_count()} CPUs, Linux {platform.release()}; "
          f"medians of {args.rounds}")
    print(f"{'load':15} {'allocator':12} {'peak MiB':>9} {'after MiB':>9} {'/ in use':>8} "
          f"{'CPU s':>7}")
    for load, of_load in runs.items():
        for name, of_allocator in of_load.items():
            peak, after, ratio, seconds = (statistics.median(values) for values in zip(
                *((r.peak, r.resident, r.resident / r.live, r.seconds) for r in of_allocator)))
            print(f"{load:15} {name:12} {peak / MIB:9.1f} {after / MIB:9.1f} {ratio:8.2f} "
                  f"{seconds:7.2f}")
        if args.plot:
            plot(args.plot, load, of_load)
    if args.json:
        args.json.write_text(json.dumps({load: {
            name: [r._asdict() for r in of_allocator] for name, of_allocator in of_load.items()}
            for load, of_load in runs.items()}))


if __name__ == "__main__":
    main()
