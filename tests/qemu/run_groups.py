#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of memory cgroups on emulated machines: one of version 2, one of version 1.

Programs run in a cgroup that others fill, in one whose limit changes meanwhile, and in one that
stalls; and the command shows a process whose limit changes. Two of Debian's cloud kernels for amd64
are fetched into the build directory: the newest, which has no version 1 any more, and the one of
Debian 12.

The last line is "N passed, N failed"; the exit status is 0 if none failed.
"""
import argparse
import sys
from pathlib import Path

from machine import ARCHITECTURES, ROOT, Setup, add_arguments

sys.path.insert(0, str(ROOT / "tools" / "linux"))
from debian import Apt  # noqa: E402

SIZE = ["-m", "2048M", "-smp", "2"]
TESTS = ("^malloc/test_group:(rseq|locked)|^mm/test_budget:rseq"
         "|^page/test_(limits|pressure):rseq|^command/resized")
RESIZED_SECONDS = 60
VERSIONS = {
    "version 2": """ifconfig lo up
mount -t cgroup2 none /sys/fs/cgroup
echo +memory > /sys/fs/cgroup/cgroup.subtree_control
""",
    "version 1": """ifconfig lo up
mount -t tmpfs none /sys/fs/cgroup
mkdir /sys/fs/cgroup/memory
mount -t cgroup -o memory none /sys/fs/cgroup/memory
""",
}


def fetch_old_kernel(place):
    kernel = place / "vmlinuz-old"
    if not kernel.exists():
        apt = Apt(place / "apt-old", "amd64", ["bookworm"])
        apt.fetch_kernel(apt.newest_kernel(ARCHITECTURES["amd64"].kernel, "bookworm"), kernel)
    return kernel


def add_resized(setup):
    """The script asks for metrics by the loopback device."""
    command = setup.build / "usermm"
    setup.add_script("command/resized", ROOT / "tests/command/run_resized.py",
                     [command, setup.build / "libusermm_malloc.so", "--group"], RESIZED_SECONDS,
                     [command, setup.build / "usermm-inspect", ROOT / "include/usermm/stats.h"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--tests", default=TESTS,
                        help="regular expression; those it matches run")
    parser.add_argument("--show", default="malloc/test_group|page/test_pressure|command/resized",
                        help="regular expression; these tests' output is shown in any case")
    args = parser.parse_args()

    setup = Setup(args, "groups", "amd64")
    add_resized(setup)
    setup.fetch()
    kernels = {"version 2": setup.kernel, "version 1": fetch_old_kernel(setup.place)}
    failed = 0
    for version, commands in VERSIONS.items():
        setup.pack(setup.libraries(), commands)
        machine = setup.run(SIZE, console=f"{version.replace(' ', '_')}.log",
                            kernel=kernels[version])
        failed |= machine.summary([test[0] for test in setup.tests], args.show,
                                  f"memory cgroups of {version}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
