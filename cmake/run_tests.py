#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds flavours (presets) of usermm, runs their tests and adds them up.

While one flavour's tests run, the next ones are built with what they leave of the
processors. The last line is "N passed, N failed". A flavour that cannot be built
counts as one failure, and the others are still tried.

Tests with the label "long" run with --long alone. --check runs those with the label "check":
the layers' unit tests and the rules, for somebody who edits.
"""
import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Of a failed test's output, at the end of all: the rest is where the test was run.
TAIL_LINES = 30


def run(argv, **options):
    """Answers whether it succeeded, and how many seconds of processor time it took, with all that
    it started."""
    process = subprocess.Popen(argv, cwd=ROOT, **options)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode == 0, usage.ru_utime + usage.ru_stime


def build_flavour(preset, jobs):
    """Answers which step failed (None if none did), and what was said or how long it took."""
    said, seconds = [], 0
    # It takes a sixth less than make. A folder that was configured before keeps its generator.
    environment = {"CMAKE_GENERATOR": "Ninja"} if shutil.which("ninja") else {}
    # Here a warning is an error; it is none for who builds to use the library.
    for step, argv in (("configure", ("cmake", "--preset", preset, "-DUSERMM_WERROR=ON")),
                       ("build", ("cmake", "--build", "--preset", preset,
                                  "--parallel", str(jobs)))):
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            done, used = run(("nice", "-n", "19", *argv), env=environment | os.environ,
                             stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            output.seek(0)
            said.append(f"+ {' '.join(argv)}\n{output.read()}")
        seconds += used
        if not done:
            return step, "".join(said)
    return None, f"{preset} took {seconds:.0f} s of processor time to build"


def says_skipped(case):
    """A test that has looked and found that it cannot be run here; its output says why."""
    note = case.find("skipped")
    return note is not None and note.get("message", "").startswith("SKIP_RETURN_CODE")


def tail_of(case):
    return (case.findtext("system-out") or "").strip().splitlines()[-TAIL_LINES:]


def test_flavour(preset, jobs, which):
    """Answers how many tests passed, the end of the output of those that failed by their
    names, and the names of those that were skipped."""
    report = ROOT / "build" / f"tests-{preset}.xml"
    report.unlink(missing_ok=True)
    # Many tests wait for timers, or for children: one more for each two processors.
    argv = ("ctest", "--preset", preset, "--parallel", str(jobs + (jobs + 1) // 2),
            "--output-junit", str(report), *which)
    print("+", *argv, flush=True)
    done, seconds = run(argv)
    print(f"{preset} took {seconds:.0f} s of processor time to test", flush=True)
    if not report.exists():
        return 0, {"ctest": []}, []
    cases = xml.etree.ElementTree.parse(report).getroot().findall("testcase")
    skipped = [case.get("name") for case in cases if says_skipped(case)]
    failed = {case.get("name"): tail_of(case) for case in cases
              if case.get("status") not in ("run", "disabled") and not says_skipped(case)}
    passed = sum(case.get("status") == "run" for case in cases)
    if not done and not failed:
        failed = {"ctest": []}
    return passed, failed, skipped


def finish_flavour(preset, building, jobs, which):
    """The same, when it has been built."""
    begin = time.monotonic()
    print(f"waiting for {preset} to be built", flush=True)
    failed_step, said = building.result()
    print(said, flush=True)
    if failed_step:
        return 0, {failed_step: []}, []
    print(f"waited {time.monotonic() - begin:.0f} s", flush=True)
    return test_flavour(preset, jobs, which)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--long", action="store_const", dest="which", const=(),
                        help="all tests, also those that take long")
    extent.add_argument("--check", action="store_const", dest="which",
                        const=("--label-regex", "^check$"), help="unit tests and rules alone")
    parser.set_defaults(which=("--label-exclude", "^long$"))
    parser.add_argument("preset", nargs="+")
    args = parser.parse_args()
    begin = time.monotonic()

    with concurrent.futures.ThreadPoolExecutor(max_workers=1) as builder:
        building = {preset: builder.submit(build_flavour, preset, args.jobs)
                    for preset in args.preset}
        try:
            results = {preset: finish_flavour(preset, building[preset], args.jobs, args.which)
                       for preset in args.preset}
        finally:
            builder.shutdown(cancel_futures=True)

    print()
    for preset, (passed, failed, skipped) in results.items():
        print(f"{preset:10} {passed:4} passed {len(failed):4} failed {len(skipped):4} skipped")
        for name, said in failed.items():
            print(f"{'':10} FAILED {name}")
            for line in said:
                print(f"{'':12} {line}")
        for name in skipped:
            print(f"{'':10} skipped {name}")
    all_passed = sum(passed for passed, _, _ in results.values())
    all_failed = sum(len(failed) for _, failed, _ in results.values())
    print(f"in {time.monotonic() - begin:.0f} s")
    print(f"{all_passed} passed, {all_failed} failed")
    return 1 if all_failed else 0


if __name__ == "__main__":
    sys.exit(main())
