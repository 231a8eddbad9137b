# SPDX-License-Identifier: MIT
"""What the checks of include/kernel share: sources are compiled as in some kernel, and judged."""
import argparse
import concurrent.futures
import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
KERNEL = ROOT / "include" / "kernel"
FLAGS = ["-O1", "-Wall", "-Werror", "-I", str(KERNEL), "-I", str(ROOT / "include"), "-x", "c", "-c",
         "-o", "/dev/null"]
SHOWN_LINES = 8


class Job(NamedTuple):
    version: tuple
    name: str
    flags: list
    source: str


def parse_arguments(doc):
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def compile_source(compiler, job):
    """What the compiler has to say; None if nothing."""
    define = f"-DLINUX_VERSION_CODE={job.version[0] << 16 | job.version[1] << 8}"
    result = subprocess.run([compiler, *FLAGS, define, *job.flags, "-"], input=job.source,
                            text=True, capture_output=True)
    return result.stderr if result.returncode else None


def compile_all(args, jobs):
    """How many failed, each of them told."""
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        answers = pool.map(lambda job: compile_source(args.compiler, job), jobs)
        for job, answer in zip(jobs, answers):
            if answer:
                failed += 1
                lines = [line for line in answer.splitlines() if "error" in line]
                print(f"FAILED {job.version[0]}.{job.version[1]} {job.name}")
                print("\n".join(lines[:SHOWN_LINES]))
    return failed
