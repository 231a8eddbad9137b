#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds libFuzzer's programs (preset fuzz) and runs them for some seconds each.

What an earlier run has found to reach new code is kept in the build folder and is where
the next one begins. An input that fails is left there as well; its path is in the output,
and the program runs it again when it is given that path.
"""
import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("fuzz_malloc", "fuzz_slab")
# Some hundred calls: enough for sheaves to run empty and full.
INPUT_BYTES_MAX = 1500


def build(folder, jobs):
    for argv in (("cmake", "--preset", "fuzz", "-B", folder),
                 ("cmake", "--build", folder, "--parallel", str(jobs), "--target", *PROGRAMS)):
        done = subprocess.run(argv, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode:
            sys.exit(f"run_fuzz: {' '.join(map(str, argv))}\n{done.stdout[-4000:]}")


def fuzz(folder, program, seconds):
    corpus = folder / f"{program}-corpus"
    corpus.mkdir(exist_ok=True)
    done = subprocess.run([folder / "fuzz" / program, f"-max_total_time={seconds}",
                           f"-max_len={INPUT_BYTES_MAX}", "-len_control=0", "-timeout=60",
                           "-rss_limit_mb=0", "-print_final_stats=1",
                           f"-artifact_prefix={folder}/", corpus],
                          cwd=folder, text=True, errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        print(done.stdout[-6000:])
        return False
    runs = [line for line in done.stdout.splitlines() if "number_of_executed_units" in line]
    print(f"{program}: {seconds} s, {runs[0].split()[-1] if runs else 0} inputs, "
          f"{len(list(corpus.iterdir()))} kept")
    return bool(runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--seconds", type=int, default=300, help="for each program")
    parser.add_argument("--jobs", type=int, default=2, help="for building")
    args = parser.parse_args()
    folder = args.build.resolve()
    build(folder, args.jobs)
    results = [fuzz(folder, program, args.seconds) for program in PROGRAMS]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
