#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how much memory loads need under usermm, glibc's malloc and the peers that are here.

Runs are interleaved: in each round every load (memory_loads.c) runs once under every allocator. For
each run it prints

    peak      the most that was resident, at any sample
    after     what is resident when the load has rested (12 seconds)
    / in use  the same as a ratio to the bytes that the load then has in use
    CPU s     user and system time
    faults    page faults, in thousands

The figures are medians over the rounds. --plot draws resident memory over time, one picture for
each load, if matplotlib is there; --json writes every sample.
"""
import argparse
import glob
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

LOADS = ("cache-server", "phase-changes", "compiler", "web-server", "json", "producer", "peak",
         "turns")
PEERS = {"jemalloc": "libjemalloc.so.2", "mimalloc": "libmimalloc.so.2*",
         "tcmalloc": "libtcmalloc_minimal.so.4"}
# What an allocator's process needs beside the preload. Google's tcmalloc has caches for each CPU
# only if libc leaves restartable sequences to it.
VARIABLES = {"libtcmalloc-google.so": {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}}
SAMPLE_SECONDS = 0.02
MIB = 1 << 20


class Run(NamedTuple):
    peak: int               # bytes
    resident: int           # bytes, when the rest ends
    live: int               # bytes that the load has in use then
    seconds: float          # of CPU, user and system
    faults: int
    samples: list           # (seconds, resident, bytes in use at the last phase)


def allocators(library, peers):
    """The libraries to preload; peers is the folder of those that `make bench-peers` builds."""
    found = {"usermm": str(library.resolve()), "glibc": ""}
    for name, pattern in PEERS.items():
        if paths := sorted(glob.glob(f"/usr/lib/*/{pattern}")):
            found[name] = paths[0]
    for path in sorted(peers.glob("lib*.so*")) if peers else []:
        name = path.name.removeprefix("lib").partition(".so")[0]
        found[f"{name}-new" if name in found else name] = str(path.resolve())
    return found


def environment_of(preload):
    """The variables of a process under that library, or under glibc's malloc if it is empty."""
    environment = {"PATH": os.environ["PATH"]} | VARIABLES.get(Path(preload).name, {})
    return environment | ({"LD_PRELOAD": preload} if preload else {})


def positive(text):
    """For an argument: a whole number above 0."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not above 0")
    return number


def output_file(text):
    """For an argument: a file that can be written. So a bad path is refused before the long run."""
    try:
        open(text, "a").close()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error.strerror}") from error
    return Path(text)


def new_parser(text, loads):
    """A parser with the arguments that say what runs under which allocators."""
    parser = argparse.ArgumentParser(description=text,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True, help="path of libusermm_malloc.so")
    parser.add_argument("--peers", type=Path, help="folder with more allocators (lib*.so*)")
    parser.add_argument("--only", help="only these allocators, separated by commas")
    parser.add_argument("--divisor", type=positive, default=1, help="loads do that much less")
    parser.add_argument("load", nargs="*", default=loads)
    return parser


def parse_known(parser, loads):
    """The arguments, with loads that are known, and a library that exists."""
    args = parser.parse_args()
    if unknown := sorted(set(args.load) - set(loads)):
        parser.error(f"no load {', '.join(unknown)}; there are {', '.join(loads)}")
    if not args.library.exists():
        parser.error(f"{args.library} does not exist; `make build` makes it")
    if args.peers and not args.peers.is_dir():
        parser.error(f"{args.peers} is no folder; `make bench-peers` fills build/peers")
    return args


def parse(parser):
    """The arguments, and the chosen allocators."""
    args = parse_known(parser, LOADS)
    found = allocators(args.library, args.peers)
    if args.only:
        found = {name: path for name, path in found.items() if name in args.only.split(",")}
    if not found:
        parser.error(f"no allocator is called {args.only}")
    return args, found


def build_loads(folder):
    source = Path(__file__).with_name("memory_loads.c")
    program = folder / "memory_loads"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-pthread", "-o", program, source],
                   check=True)
    return program


def resident_bytes(pid):
    """
    What of a process is resident, without the load's own arrays, which are shared memory; None if
    it has ended.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    sizes = re.findall(r"^Rss(?:Anon|File):\s+(\d+) kB", status, re.M)
    return sum(map(int, sizes)) * 1024 if sizes else None


def run(command, rest, preload, options):
    """Runs the load, and closes its stdin `rest` seconds after its work: then the load ends."""
    environment = environment_of(preload)
    if options:
        environment["USERMM_OPTIONS"] = options
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env=environment)
    os.set_blocking(process.stdout.fileno(), False)
    samples, live, text, peak, ended = [], 0, b"", 0, None
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        text += process.stdout.read() or b""
        if pid:
            break
        if numbers := re.findall(rb"^(?:PHASE|END) (\d+)", text, re.M):
            live = int(numbers[-1])
        if resident := resident_bytes(process.pid):
            samples.append((round(time.monotonic() - begin, 3), resident, live))
            peak = max(peak, resident)
        if ended is None and re.search(rb"^END ", text, re.M):
            ended = time.monotonic()
        elif ended is not None and resident and time.monotonic() - ended >= rest:
            process.stdin.close()
        time.sleep(SAMPLE_SECONDS)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    end = re.search(rb"^END (\d+)", text, re.M)
    if process.returncode or not end or not samples:
        sys.exit(f"bench_memory: {' '.join(map(str, command))} under {preload or 'glibc'} ended "
                 f"with {process.returncode}")
    return Run(peak, samples[-1][1], int(end.group(1)), usage.ru_utime + usage.ru_stime,
               usage.ru_minflt, samples)


def run_rounds(program, found, args):
    """Answers {load: {allocator: [a Run for each round]}}."""
    runs = {load: {name: [] for name in found} for load in args.load}
    names = list(found)
    for number in range(args.rounds):
        for load in args.load:
            for name in names:
                command = [program, load, str(args.rest + 60), str(args.divisor)]
                runs[load][name].append(
                    run(command, args.rest, found[name], args.options if name == "usermm" else ""))
                last = runs[load][name][-1]
                print(f"round {number + 1}: {load} under {name}: peak {last.peak / MIB:.1f} MiB, "
                      f"after {last.resident / MIB:.1f}", file=sys.stderr, flush=True)
        names = names[1:] + names[:1]
    return runs


def medians(of_allocator):
    rows = [(r.peak / MIB, r.resident / MIB, r.resident / max(r.live, 1), r.seconds,
             r.faults / 1000) for r in of_allocator]
    return [statistics.median(column) for column in zip(*rows)]


def print_table(runs, machine):
    print(f"{machine['model']}, {machine['cpus']} CPUs, Linux {machine['kernel']}")
    print(f"{'load':15}{'allocator':12}{'peak MiB':>10}{'after MiB':>10}{'/ in use':>9}"
          f"{'CPU s':>8}{'faults':>8}")
    for load, of_load in runs.items():
        for name, of_allocator in of_load.items():
            peak, after, ratio, seconds, faults = medians(of_allocator)
            ratio = f"{ratio:.2f}" if ratio < 1000 else "-"     # hardly anything is in use
            print(f"{load:15}{name:12}{peak:10.1f}{after:10.1f}{ratio:>9}{seconds:8.2f}"
                  f"{faults:8.1f}")


def plot(folder, load, of_load):
    """The first round's samples of every allocator."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(9, 4.5))
    for name, of_allocator in of_load.items():
        samples = of_allocator[0].samples
        axes.plot([s[0] for s in samples], [s[1] / MIB for s in samples], label=name,
                  linewidth=2 if name == "usermm" else 1)
    samples = next(iter(of_load.values()))[0].samples
    axes.step([s[0] for s in samples], [s[2] / MIB for s in samples], "k:", where="post",
              label="in use at the last phase")
    axes.set(title=load, xlabel="seconds", ylabel="resident MiB")
    axes.set_ylim(bottom=0)
    axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{load}.svg")
    pyplot.close(figure)


def can_plot():
    try:
        import matplotlib       # noqa: F401
    except ImportError:
        return False
    return True


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        facts = {key.strip(): value.strip()
                 for key, _, value in (line.partition(":") for line in file)}
    model = ", ".join(before + facts[key] for key, before in
                      (("model name", ""), ("cpu family", "family "), ("model", "model "))
                      if key in facts)
    return {"model": model or platform.machine(), "cpus": os.cpu_count(),
            "kernel": platform.release()}


def arguments():
    parser = new_parser(__doc__, LOADS)
    parser.add_argument("--options", default="", help="USERMM_OPTIONS of usermm's runs")
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--rest", type=int, default=12, help="seconds")
    parser.add_argument("--json", type=output_file, help="write all samples to this file as well")
    parser.add_argument("--plot", type=Path, help="folder for pictures")
    args, found = parse(parser)
    if args.plot and not can_plot():
        print(f"bench_memory: no pictures, since {sys.executable} has no matplotlib (Debian: "
              f"python3-matplotlib, for /usr/bin/python3)", file=sys.stderr)
        args.plot = None
    return args, found


def main():
    args, found = arguments()
    with tempfile.TemporaryDirectory() as folder:
        runs = run_rounds(build_loads(Path(folder)), found, args)
    print_table(runs, machine())
    if args.plot:
        for load, of_load in runs.items():
            plot(args.plot, load, of_load)
    if args.json:
        args.json.write_text(json.dumps({
            "machine": machine(), "libraries": found, "rest_seconds": args.rest,
            "divisor": args.divisor,
            "loads": {load: {name: [r._asdict() for r in of_allocator]
                             for name, of_allocator in of_load.items()}
                      for load, of_load in runs.items()}}))


if __name__ == "__main__":
    main()
