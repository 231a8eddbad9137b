#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs real programs and servers with glibc's malloc and with libusermm_malloc.so.

The results have to be the same byte for byte: output, written files, a server's data and answers.
The library's own counters, which each process writes when it ends, show that the memory came from
it, in every step and in the server's own process. The report has a line for each program and ends
with "N passed, N failed".
"""
import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import workloads
from real_programs import ResultTable, objects_of, objects_served


def difference(plain, preloaded):
    if plain.output.keys() != preloaded.output.keys():
        return f"other outputs: {sorted(plain.output.keys() ^ preloaded.output.keys())}"
    differing = [name for name in plain.output if plain.output[name] != preloaded.output[name]]
    return f"differs: {', '.join(differing[:5])}" if differing else None


def without_library(bench):
    """Names of steps and servers whose counters show no objects from the library."""
    said = "\n".join(bench.errors)
    return ([name for name, errors in bench.steps if not objects_served(errors)] +
            [name for name, pid in bench.servers if not objects_of(pid, said)])


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
    objects = [objects_served(errors) for errors in preloaded.errors]
    wrong, without = difference(plain, preloaded), without_library(preloaded)
    if not wrong and without:
        wrong = f"no sign of the library on stderr of {', '.join(without)}"
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
    table = ResultTable()
    with tempfile.TemporaryDirectory(prefix="usermm-programs-") as base:
        # Some servers run as another user, who may not read the build folder.
        Path(base).chmod(0o755)
        library = Path(shutil.copy(args.library, base))
        for workload in chosen:
            if not workloads.is_here(workload):
                table.skip(workload.name)
                continue
            table.begin()
            table.add(workload.name, *check(workload, Path(base), library, args.options,
                                            0.2 if args.short else 1))
    return table.finish()


if __name__ == "__main__":
    sys.exit(main())
