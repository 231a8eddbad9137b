#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every header of include/kernel alone, and all of them in several orders.

Without a warning, as each of the kernels in VERSIONS.
"""
import argparse
import concurrent.futures
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KERNEL = ROOT / "include" / "kernel"
VERSIONS = [(4, 0), (4, 19), (5, 15), (6, 1), (6, 12), (6, 18)]
FLAGS = ["-std=gnu11", "-O1", "-Wall", "-Wundef", "-Wstrict-prototypes", "-Wno-unused-function",
         "-Werror", "-I", str(KERNEL), "-I", str(ROOT / "include"), "-D__KERNEL__", "-DMODULE",
         '-DKBUILD_MODNAME="check"', "-x", "c", "-c", "-o", "/dev/null", "-"]
ORDERS = 3


def compile_source(compiler, version, headers):
    """What the compiler has to say; None if nothing."""
    source = "".join(f"#include <{header}>\n" for header in headers)
    define = f"-DLINUX_VERSION_CODE={version[0] << 16 | version[1] << 8}"
    result = subprocess.run([compiler, define, *FLAGS], input=source, text=True,
                            capture_output=True)
    return result.stderr if result.returncode else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()

    headers = sorted(str(path.relative_to(KERNEL)) for path in KERNEL.rglob("*.h"))
    if len(headers) < 50:
        sys.exit(f"only {len(headers)} headers in {KERNEL}")
    jobs = [(version, [header]) for version in VERSIONS for header in headers]
    for version in VERSIONS:
        for seed in range(ORDERS):
            order = headers[:]
            random.Random(seed).shuffle(order)
            jobs.append((version, order))

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        answers = pool.map(lambda job: compile_source(args.compiler, *job), jobs)
        for (version, order), answer in zip(jobs, answers):
            if not answer:
                continue
            failed += 1
            name = order[0] if len(order) == 1 else f"all headers, {order[0]} first"
            print(f"FAILED {version[0]}.{version[1]} {name}")
            print("\n".join(answer.splitlines()[:8]))
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
