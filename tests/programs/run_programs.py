#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs real programs and servers with glibc's malloc and with libusermm_malloc.so.

What comes out has to be the same byte for byte: what is printed and written, what a
server holds and answers. The library's own counters, which each process writes when it
ends, show that the memory came from it. The report has a line for each program and ends
with "N passed, N failed".
"""
import argparse
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import workloads

# In a process's summary: how many objects its threads took from the slabs.
OBJECTS = re.compile(r"^usermm:.*?\bobjects=(\d+)", re.MULTILINE)


def served(bench):
    """Objects that the busiest process of each step and server took from the library."""
    return [max(map(int, OBJECTS.findall(errors)), default=0) for errors in bench.errors]


def difference(plain, preloaded):
    if plain.output.keys() != preloaded.output.keys():
        return f"other outputs: {sorted(plain.output.keys() ^ preloaded.output.keys())}"
    differing = [name for name in plain.output if plain.output[name] != preloaded.output[name]]
    return f"differs: {', '.join(differing[:5])}" if differing else None


def check(workload, base, library, options, scale):
    """Answers (what is wrong or None, objects served)."""
    counted = ":".join(filter(None, [options, "stats=1"]))
    preload = {"LD_PRELOAD": str(library), "USERMM_OPTIONS": counted}
    try:
        plain = workloads.run(workload, base, {}, scale)
    except (RuntimeError, OSError) as trouble:
        return f"without the library: {trouble}", 0
    try:
        preloaded = workloads.run(workload, base, preload, scale)
    except (RuntimeError, OSError) as trouble:
        return str(trouble), 0
    objects = served(preloaded)
    wrong = difference(plain, preloaded)
    if not wrong and not any(objects):
        wrong = "no sign of the library on its stderr"
    return wrong, sum(objects)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, type=Path, help="path of libusermm_malloc.so")
    parser.add_argument("--options", default="", help="USERMM_OPTIONS of the preloaded programs")
    parser.add_argument("--short", action="store_true", help="some programs, with little to do")
    parser.add_argument("program", nargs="*", help="run these alone")
    args = parser.parse_args()

    chosen = [workload for workload in workloads.WORKLOADS
              if (workload.name in args.program if args.program else
                  workload.short or not args.short)]
    results = {}
    print(f"{'program':10} {'ok':4} {'objects':>10} {'seconds':>8}")
    with tempfile.TemporaryDirectory(prefix="usermm-programs-") as base:
        # Some servers run as another user, who may not see where the library was built.
        Path(base).chmod(0o755)
        library = Path(shutil.copy(args.library, base))
        for workload in chosen:
            if not workloads.is_here(workload):
                print(f"{workload.name:10} not here, skipped")
                continue
            start = time.monotonic()
            wrong, objects = check(workload, Path(base), library, args.options,
                                   0.2 if args.short else 1)
            results[workload.name] = wrong
            print(f"{workload.name:10} {'no' if wrong else 'yes':4} {objects:10} "
                  f"{time.monotonic() - start:8.1f}", flush=True)
    for name, wrong in results.items():
        if wrong:
            print(f"FAILED {name}: {wrong}")
    failed = sum(1 for wrong in results.values() if wrong)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
