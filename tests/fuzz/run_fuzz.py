#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds libFuzzer's programs (preset fuzz) and runs them for some seconds each.

The seconds are shared by the modes of the library that a program is run in; with USERMM_OPTIONS
set that is the only one. What a run has found to reach new code is kept in the build folder and
is where the next one begins, in any mode. An input that fails is left there as well; its path is
in the output, and the program runs it again when it is given that path.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The options of each mode.
PROGRAMS = {
    "fuzz_malloc": ("", "hardened=1", "kfence_sample=2", "profile=64K", "limit=64M", "rseq=off"),
    "fuzz_slab": ("", "slab_debug=FZPU", "slab_cpu_cache=slab", "rseq=off"),
}
# With --coverage: the functions that allocate, free and resize a block.
CORE = ("malloc/malloc.c", "malloc/malloc_slow.c", "malloc/free.c", "malloc/realloc.c",
        "malloc/checked_blocks.c", "malloc/checked_realloc.c")
# Some hundred calls: enough for sheaves to run empty and full.
INPUT_BYTES_MAX = 1500


def build(folder, jobs, flags=""):
    own = [f"-DCMAKE_C_FLAGS={flags}"] if flags else []
    for argv in (("cmake", "--preset", "fuzz", "-B", folder, *own),
                 ("cmake", "--build", folder, "--parallel", str(jobs), "--target", *PROGRAMS)):
        done = subprocess.run(argv, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode:
            sys.exit(f"run_fuzz: {' '.join(map(str, argv))}\n{done.stdout[-4000:]}")


def modes_of(program):
    own = os.environ.get("USERMM_OPTIONS")
    return PROGRAMS[program] if own is None else (own,)


def corpus_of(folder, program):
    return folder / f"{program}-corpus"


def fuzz(folder, program, options, seconds):
    corpus = corpus_of(folder, program)
    corpus.mkdir(exist_ok=True)
    # What is there already is tried first, and takes as long as it does.
    done = subprocess.run([folder / "fuzz" / program, f"-max_total_time={seconds}",
                           f"-max_len={INPUT_BYTES_MAX}", "-len_control=0", "-timeout=60",
                           "-rss_limit_mb=0", "-print_final_stats=1",
                           f"-artifact_prefix={folder}/", corpus],
                          cwd=folder, env=os.environ | {"USERMM_OPTIONS": options}, text=True,
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    mode = f"{program} {options}".rstrip()
    if done.returncode:
        print(f"{mode}:\n{done.stdout[-6000:]}")
        return False
    runs = [line for line in done.stdout.splitlines() if "number_of_executed_units" in line]
    print(f"{mode}: {seconds} s, {runs[0].split()[-1] if runs else 0} inputs, "
          f"{len(list(corpus.iterdir()))} kept", flush=True)
    return bool(runs)


def print_coverage(folder, jobs):
    """Lines of the core that the kept inputs reach, in any mode."""
    instrumented = folder.with_name(f"{folder.name}-coverage")
    program = instrumented / "fuzz" / "fuzz_malloc"
    build(instrumented, jobs, "-fprofile-instr-generate -fcoverage-mapping")
    raw = [instrumented / f"mode{i}.profraw" for i, _ in enumerate(modes_of("fuzz_malloc"))]
    for path, options in zip(raw, modes_of("fuzz_malloc")):
        subprocess.run([program, "-runs=0", "-rss_limit_mb=0", corpus_of(folder, "fuzz_malloc")],
                       env=os.environ | {"USERMM_OPTIONS": options, "LLVM_PROFILE_FILE": path},
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    data = instrumented / "modes.profdata"
    subprocess.run(["llvm-profdata", "merge", "-o", data, *raw], check=True)
    report = subprocess.run(["llvm-cov", "export", "-summary-only", f"-instr-profile={data}",
                             program], check=True, text=True, stdout=subprocess.PIPE).stdout
    files = {file["filename"]: file["summary"]["lines"]
             for file in json.loads(report)["data"][0]["files"]}
    lines = [files[str(ROOT / "src" / name)] for name in CORE]
    for name, part in zip(CORE, lines):
        print(f"{name}: {part['covered']} of {part['count']} lines")
    share = sum(part["covered"] for part in lines) / sum(part["count"] for part in lines)
    print(f"together: {100 * share:.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--seconds", type=int, default=300, help="for each program")
    parser.add_argument("--coverage", action="store_true",
                        help="say what of malloc, free and realloc the inputs come to")
    parser.add_argument("--jobs", type=int, default=2, help="for building")
    args = parser.parse_args()
    folder = args.build.resolve()
    build(folder, args.jobs)
    results = [fuzz(folder, program, options, max(1, args.seconds // len(modes_of(program))))
               for program in PROGRAMS for options in modes_of(program)]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    if args.coverage and all(results):
        print_coverage(folder, args.jobs)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
