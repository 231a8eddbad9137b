#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of a cross build in an emulated machine with a Linux kernel.

    run_cross.py ARCHITECTURE

User emulation has no restartable sequences; a kernel has. Debian's newest kernel for the
architecture (from the backports where there are any) is fetched into the build directory.
The machine's memory file system holds the build's tests, the cross compilers' libc and a
busybox.

The last line is "N passed, N failed".
"""
import argparse
import sys

from machine import ARCHITECTURES, Setup, add_arguments

def main():
    crosses = [name for name in ARCHITECTURES if ARCHITECTURES[name].tools]
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("architecture", choices=crosses)
    add_arguments(parser)
    # Tests of malloc measure and wait; their limits for an emulated machine are not known yet.
    parser.add_argument("--tests", default="^(?!malloc/)",
                        help="regular expression; those it matches run (all but malloc's)")
    parser.add_argument("--show", default="percpu/test_abort:rseq|selftest/percpu",
                        help="regular expression; these tests' output is shown in any case")
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--memory", default="2G")
    args = parser.parse_args()

    setup = Setup(args, "vm", args.architecture)
    setup.fetch()
    setup.pack(setup.libraries())
    return setup.boot(["-smp", str(args.cpus), "-m", args.memory], f"{args.cpus} CPUs")


if __name__ == "__main__":
    sys.exit(main())
