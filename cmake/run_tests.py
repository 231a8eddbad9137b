#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds flavours (presets) of usermm, runs their tests and adds them up.

The last line is "N passed, N failed". A flavour that cannot be built counts as
one failure, and the others are still tried.
"""
import argparse
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def call(*argv):
    print("+", *argv, flush=True)
    return subprocess.run(argv, cwd=ROOT).returncode == 0


def says_skipped(case):
    """A test that has looked and found that it cannot be run here; its output says why."""
    note = case.find("skipped")
    return note is not None and note.get("message", "").startswith("SKIP_RETURN_CODE")


def test_flavour(preset, jobs):
    """Answers how many tests passed, and the names of those that failed and were skipped."""
    if not call("cmake", "--preset", preset):
        return 0, ["configure"], []
    if not call("cmake", "--build", "--preset", preset, "--parallel", jobs):
        return 0, ["build"], []

    report = ROOT / "build" / f"tests-{preset}.xml"
    report.unlink(missing_ok=True)
    done = call("ctest", "--preset", preset, "--parallel", jobs, "--output-junit", str(report))
    if not report.exists():
        return 0, ["ctest"], []
    cases = xml.etree.ElementTree.parse(report).getroot().findall("testcase")
    skipped = [case.get("name") for case in cases if says_skipped(case)]
    failed = [case.get("name") for case in cases
              if case.get("status") not in ("run", "disabled") and not says_skipped(case)]
    passed = sum(case.get("status") == "run" for case in cases)
    if not done and not failed:
        failed = ["ctest"]
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("preset", nargs="+")
    args = parser.parse_args()

    results = {preset: test_flavour(preset, args.jobs) for preset in args.preset}

    print()
    for preset, (passed, failed, skipped) in results.items():
        print(f"{preset:10} {passed:4} passed {len(failed):4} failed {len(skipped):4} skipped")
        for name in failed:
            print(f"{'':10} FAILED {name}")
        for name in skipped:
            print(f"{'':10} skipped {name}")
    all_passed = sum(passed for passed, _, _ in results.values())
    all_failed = sum(len(failed) for _, failed, _ in results.values())
    print(f"{all_passed} passed, {all_failed} failed")
    return 1 if all_failed else 0


if __name__ == "__main__":
    sys.exit(main())
