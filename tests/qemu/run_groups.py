#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of memory cgroups on emulated machines: one of version 2, one of version 1.

Programs in a cgroup that others fill, and in one whose limit changes while they run. Debian's
newest cloud kernel for amd64 is fetched into the build directory.

The last line is "N passed, N failed"; the exit status is 0 if none failed.
"""
import argparse
import sys

from machine import Setup, add_arguments

SIZE = ["-m", "1024M", "-smp", "2"]
TESTS = "^malloc/test_group:(rseq|locked)|^mm/test_budget:rseq|^page/test_limits:rseq"
VERSIONS = {
    "version 2": """mount -t cgroup2 none /sys/fs/cgroup
echo +memory > /sys/fs/cgroup/cgroup.subtree_control
""",
    "version 1": """mount -t tmpfs none /sys/fs/cgroup
mkdir /sys/fs/cgroup/memory
mount -t cgroup -o memory none /sys/fs/cgroup/memory
""",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--tests", default=TESTS,
                        help="regular expression; those it matches run")
    parser.add_argument("--show", default="malloc/test_group",
                        help="regular expression; these tests' output is shown in any case")
    args = parser.parse_args()

    setup = Setup(args, "groups", "amd64")
    setup.fetch()
    failed = 0
    for version, commands in VERSIONS.items():
        setup.pack(setup.libraries(), commands)
        failed |= setup.boot(SIZE, f"memory cgroups of {version}",
                             console=f"{version.replace(' ', '_')}.log")
    return failed


if __name__ == "__main__":
    sys.exit(main())
