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
import re
import sys

from machine import Setup, add_arguments

SIZE = ["-m", "2048M", "-smp", "2"]
LIMITS = ("sysctl.vm.overcommit_memory=2 sysctl.vm.overcommit_ratio=60 "
          "sysctl.vm.max_map_count=200")
# Short tests that need no more memory than there is.
TESTS = ("^malloc_core/test_cpus:"
         "|^malloc/test_(fork|fork_handlers|trim|fault_calls):rseq")
# Those that also run with hardened=1, where each large block needs two mappings more. Not
# test_trim, because with the option the memory has gone when blocks are freed; nor
# test_fault_calls, which sets the option itself.
HARDENED = "^malloc_core/test_cpus:rseq|^malloc/test_(fork|fork_handlers):rseq"


def hardened(test):
    name, command, environment, seconds = test
    environment = [e for e in environment if not e.startswith("USERMM_OPTIONS=")]
    return (name.replace(":rseq", ":hardened"), command,
            [*environment, "USERMM_OPTIONS=hardened=1"], seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--tests", default=TESTS,
                        help="regular expression; those it matches run")
    parser.add_argument("--show", default="malloc_core/test_cpus:rseq",
                        help="regular expression; these tests' output is shown in any case")
    parser.add_argument("--boot", default=LIMITS, help="for the kernel, instead of these limits")
    args = parser.parse_args()

    setup = Setup(args, "limits", "amd64")
    if args.options is None:
        setup.tests += [hardened(test) for test in setup.tests if re.search(HARDENED, test[0])]
    setup.fetch()
    setup.pack(setup.libraries())
    return setup.boot(SIZE, args.boot, args.boot)


if __name__ == "__main__":
    sys.exit(main())
