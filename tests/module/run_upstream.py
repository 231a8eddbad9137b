#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the kernel's own tests of its allocators, unchanged, on usermm.

    run_upstream.py USERMM linux-source-6.12.tar.xz --build DIR [--verbose]

They are taken from the archive into DIR and are no part of usermm. A test
that usermm does not pass yet is listed below with what is missing; that it passes all
the same, or no longer does what it does, is a failure as well, so the list stays true.
"""
import argparse
import re
import subprocess
import sys
import tarfile
from pathlib import Path

# Tests that leave memory behind on purpose.
LEAKING = {"lib/slub_kunit.c"}
# File, arguments, what its output has to show; or what is missing.
TESTS = [
    ("lib/test_free_pages.c", [], r"test_free_pages: Test completed", None),
    ("lib/test_meminit.c", ["-DCONFIG_INIT_ON_ALLOC_DEFAULT_ON=1"],
     r"test_meminit: all \d+ tests passed!", None),
    ("lib/slub_kunit.c", [], r"# slub_test: pass:8 fail:0 skip:0", None),
]
LIMIT_SECONDS = 300


def unpack(archive, folder):
    """Looking through the archive takes a minute, so what is there already stays."""
    wanted = {name for name, *_ in TESTS if not (folder / name).exists()}
    if not wanted:
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            name = member.name.partition("/")[2]
            if name in wanted:
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(tar.extractfile(member).read())
                wanted.remove(name)
                if not wanted:
                    return
    sys.exit(f"{archive} lacks {', '.join(sorted(wanted))}")


def leaks(name, result):
    return name not in LEAKING and "leak:" in result.stderr


def run(usermm, folder, test):
    """The verdict, whether it is as listed, and the output."""
    name, arguments, pattern, missing = test
    result = subprocess.run([usermm, "module", *arguments, str(folder / name)], text=True,
                            capture_output=True, timeout=LIMIT_SECONDS)
    output = result.stdout + result.stderr
    passed = result.returncode == 0 and not leaks(name, result) and "\nnot ok" not in output
    if pattern:
        passed = passed and bool(re.search(pattern, output))
    if missing:
        return ("passes, but is listed" if passed else f"not yet: {missing}"), not passed, output
    return ("passed" if passed else "FAILED"), passed, output


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("usermm")
    parser.add_argument("archive")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()

    unpack(args.archive, args.build)
    failed = 0
    for test in TESTS:
        verdict, as_listed, output = run(args.usermm, args.build, test)
        if args.verbose or not as_listed:
            print(output)
        print(f"{test[0]:24} {verdict}", flush=True)
        failed += not as_listed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
