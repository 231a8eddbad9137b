#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs tests of a build on an emulated machine that grants little and takes CPUs away.

Its kernel charges all memory that may be written to (vm.overcommit_memory=2, a small
ratio) and lets a process have 200 mappings; and its CPUs are the tests' own, so they go
and come back under them (malloc_core/test_cpus). Debian's newest cloud kernel for amd64 is
fetched into the build directory.

The last line is "N passed, N failed"; the exit status is 0 if none failed.
"""
import argparse
import sys
from pathlib import Path

from machine import Machine, add_arguments, fetch_parts, make_tree, pack, read_tests
from run_numa import BOOT, QEMU, libraries

ROOT = Path(__file__).resolve().parent.parent.parent
SIZE = ["-m", "2048M", "-smp", "2"]
LIMITS = ("sysctl.vm.overcommit_memory=2 sysctl.vm.overcommit_ratio=60 "
          "sysctl.vm.max_map_count=200")
# Short ones, which want no more than there is.
TESTS = ("^malloc_core/test_cpus:"
         "|^malloc/test_(fork|fork_handlers|trim|fault_calls):rseq")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, ROOT / "build")
    parser.add_argument("--tests", default=TESTS,
                        help="regular expression; those it matches run")
    parser.add_argument("--show", default="malloc_core/test_cpus:rseq",
                        help="regular expression; these tests' output is shown in any case")
    parser.add_argument("--boot", default=LIMITS, help="for the kernel, instead of these limits")
    args = parser.parse_args()

    build = args.build.resolve()
    place = build / "limits"
    place.mkdir(exist_ok=True)
    kernel, busybox = fetch_parts(place, "amd64", "cloud-amd64")
    tests = read_tests(build, args)
    make_tree(place / "tree", build, busybox, libraries(tests), tests, args.slowness)
    pack(place / "tree", place / "initrd.gz")
    with open(place / "console.log", "w", encoding="utf-8", buffering=1) as log:
        machine = Machine(log)
        machine.run([*QEMU, *SIZE, "-kernel", str(args.kernel or kernel), "-initrd",
                     str(place / "initrd.gz"), "-append", f"{BOOT} {args.boot}"], args.seconds)
    return machine.summary([test[0] for test in tests], args.show, args.boot)


if __name__ == "__main__":
    sys.exit(main())
