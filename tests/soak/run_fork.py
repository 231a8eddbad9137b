#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fork() from a process whose threads allocate, under usermm and under libc's malloc.

    run_fork.py --program FILE --library FILE [--forks N] [--rounds N] [--bound US]

The forks of each malloc are shared among the rounds, in which the two take turns, so that a
machine that gets slower does so for both. Every child checks what it inherited and
allocates; one that hangs or fails ends the run. Then: the median and the 99th percentile
of the time that fork() took, in microseconds. With --bound the exit status is 1 if usermm's
99th percentile is more than that above libc's.
"""
import argparse
import os
import subprocess
import sys

# Seconds for each fork, in addition to the program's own limit: only a run that is stuck takes that
# long.
SECONDS_PER_FORK = 1
SECONDS_SPARE = 60


def run_round(program, library, forks):
    """Answers the times of the round's forks, in microseconds."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    if library:
        environment["LD_PRELOAD"] = library
    done = subprocess.run([program, str(forks)], env=environment, stdout=subprocess.PIPE,
                          text=True, stdin=subprocess.DEVNULL,
                          timeout=SECONDS_SPARE + SECONDS_PER_FORK * forks)
    if done.returncode:
        raise SystemExit(f"{'usermm' if library else 'libc'}: status {done.returncode}\n"
                         f"{done.stdout[-2000:]}")
    times = [int(line) / 1000 for line in done.stdout.split()]
    if len(times) != forks:
        raise SystemExit(f"{len(times)} of {forks} forks were told")
    return times


def percentile(times, share):
    """The least of the times that is not exceeded by so large a share of them."""
    ordered = sorted(times)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--forks", type=int, default=100000, help="under each malloc")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--bound", type=float, help="microseconds")
    arguments = parser.parse_args()
    if not 0 < arguments.rounds <= arguments.forks:
        parser.error("a round has a fork at least")

    libraries = {"libc": None, "usermm": arguments.library}
    times = {name: [] for name in libraries}
    for number in range(arguments.rounds):
        # Who begins changes as well.
        for name in list(libraries)[::1 if number % 2 else -1]:
            times[name] += run_round(arguments.program, libraries[name],
                                     arguments.forks // arguments.rounds)

    rows = {name: (percentile(values, 50), percentile(values, 99))
            for name, values in times.items()}
    more = tuple(ours - theirs for ours, theirs in zip(rows["usermm"], rows["libc"]))
    print(f"{'fork(), us':<12}{'p50':>10}{'p99':>10}")
    for name, row in (*rows.items(), ("difference", more)):
        print(f"{name:<12}{row[0]:>10.0f}{row[1]:>10.0f}")
    print(f"{len(times['usermm'])} forks under each, none hung, each child had its blocks")
    if arguments.bound is not None and more[1] > arguments.bound:
        print(f"the 99th percentile is more than {arguments.bound:.0f} us above libc's")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
