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
from pathlib import Path

from debian import call
from machine import ARCHITECTURES, Setup, add_arguments

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARIES = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1",
             "libstdc++.so.6", "libresolv.so.2", "libthread_db.so.1", "libutil.so.1",
             "libnss_files.so.2", "librt.so.1", "libanl.so.1")


def libraries(compiler):
    """What programs of the compiler need, their loader included."""
    found = [Path(call(compiler, f"-print-file-name={name}").strip()) for name in LIBRARIES]
    found = [file for file in found if file.is_absolute()]
    return [*found, *found[0].parent.glob("ld-linux-*.so.*")]


def main():
    crosses = [name for name in ARCHITECTURES if ARCHITECTURES[name].tools]
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("architecture", choices=crosses)
    add_arguments(parser, None)
    # Tests of malloc measure and wait; what they allow themselves there is not yet known.
    parser.add_argument("--tests", default="^(?!malloc/)",
                        help="regular expression; those it matches run (all but malloc's)")
    parser.add_argument("--show", default="percpu/test_abort:rseq|selftest/percpu",
                        help="regular expression; these tests' output is shown in any case")
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--memory", default="2G")
    args = parser.parse_args()

    architecture = ARCHITECTURES[args.architecture]
    args.build = args.build or ROOT / "build" / architecture.preset
    setup = Setup(args, "vm", args.architecture)
    setup.pack(libraries(architecture.tools + "gcc"))
    return setup.boot(["-smp", str(args.cpus), "-m", args.memory], f"{args.cpus} CPUs")


if __name__ == "__main__":
    sys.exit(main())
