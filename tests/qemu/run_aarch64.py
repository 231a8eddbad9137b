#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of an aarch64 build in an emulated machine with a Linux kernel.

User emulation has no restartable sequences; a kernel has. Debian's newest kernel
for arm64 (from the backports where there are any) is fetched into the build
directory. The machine's memory file system holds the build's tests, the cross
compilers' libc and a busybox.

The last line is "N passed, N failed".
"""
import argparse
import sys
from pathlib import Path

from debian import call
from machine import STEPS_DIVISOR, Setup, add_arguments

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARIES = ("ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
             "libgcc_s.so.1", "libstdc++.so.6", "libresolv.so.2", "libthread_db.so.1",
             "libutil.so.1", "libnss_files.so.2", "librt.so.1", "libanl.so.1")
COMPILER = "aarch64-linux-gnu-gcc"
STRIP = "aarch64-linux-gnu-strip"
QEMU = ["qemu-system-aarch64", "-machine", "virt", "-cpu", "neoverse-n1",
        "-accel", "tcg,thread=multi", "-nographic", "-no-reboot", "-nic", "none"]
BOOT = "console=ttyAMA0 quiet panic=-1 rdinit=/init"


def libraries():
    found = (Path(call(COMPILER, f"-print-file-name={name}").strip()) for name in LIBRARIES)
    return [file for file in found if file.is_absolute()]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, ROOT / "build/aarch64", STEPS_DIVISOR)
    # Tests of malloc measure and wait; what they allow themselves there is not yet known.
    parser.add_argument("--tests", default="^(?!malloc/)",
                        help="regular expression; those it matches run (all but malloc's)")
    parser.add_argument("--show", default="percpu/test_abort:rseq|selftest/percpu",
                        help="regular expression; these tests' output is shown in any case")
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--memory", default="2G")
    args = parser.parse_args()

    setup = Setup(args, "vm", "arm64", "arm64")
    setup.pack(libraries(), STRIP)
    return setup.boot([*QEMU, "-smp", str(args.cpus), "-m", args.memory], BOOT,
                      f"{args.cpus} CPUs")


if __name__ == "__main__":
    sys.exit(main())
