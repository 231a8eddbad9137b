#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of a build where the kernel or libc refuses what usermm would use.

    run_denied.py BUILD CONDITION [--all] [--jobs N]

BUILD is the build directory of the release; CONDITION is a name of CONDITIONS or all. First
`usermm doctor` has to say that the condition holds; then the unit tests run, and the
tests of malloc with the library preloaded: a short selection, or all of them. The
last line is "N passed, N failed, N skipped", which counts cases.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time
from pathlib import Path

LOCKED_NO_LIBC = {"per-CPU mode": r"locked: libc has not registered", "rseq area": "none"}
NO_STOPPING = {"per-CPU mode": "rseq: ", "rseq area": "libc's", "remote drain": "no"}
# With locked slots nobody needs membarrier(2).
NEITHER = LOCKED_NO_LIBC | {"remote drain": "yes"}
# name -> deny's argument, the environment, what `usermm doctor` must say
CONDITIONS = {
    **{f"rseq_{error}": (f"rseq={error}", {}, LOCKED_NO_LIBC)
       for error in ("ENOSYS", "EPERM", "EINVAL")},
    **{f"membarrier_{error}": (f"membarrier={error}", {}, NO_STOPPING)
       for error in ("ENOSYS", "EPERM", "EINVAL")},
    "both_ENOSYS": ("rseq=ENOSYS,membarrier=ENOSYS", {}, NEITHER),
    "tunable": (None, {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}, LOCKED_NO_LIBC),
    "valgrind": (None, {}, {"per-CPU mode": "locked: ", "rseq area": "none"}),
}
UNIT_LAYERS = ("base", "os", "percpu", "mm", "page", "slab", "quicklist", "pgtable", "stats",
               "selftest", "malloc_core")
SHORT = ("percpu/test_percpu", "percpu/test_remote", "percpu/test_thread_life",
         "percpu/test_registration", "page/test_page_alloc", "page/test_pcp_drain",
         "slab/test_slab", "quicklist/test_quicklist", "denied/test_no_syscalls",
         "malloc/test_api", "malloc/test_no_syscalls", "malloc/test_early")
SHORT_VALGRIND = ("percpu/test_percpu", "percpu/test_array", "page/test_page_alloc",
                  "slab/test_slab", "quicklist/test_quicklist")
# One thread runs at a time there, and each instruction costs many.
SLOWNESS_VALGRIND = 20
SECONDS = 120
# Behaviour of Valgrind's that no kernel has, with the cases that it makes fail.
VALGRIND_FAULTS = {
    "os/test_memory test_os_failures": "it answers EINVAL where the kernel says ENOMEM",
    **{case: "RLIMIT_AS leaves no memory for Valgrind"
       for case in ("mm/test_limits test_limits_nothing_at_all",
                    "page/test_refusals test_refusals_vacated",
                    "page/test_rounds test_rounds_refused_growth")},
    **{case: "it does not stop after each instruction"
       for case in ("percpu/test_cas_list test_cas_list_pop_disturbed",
                    "percpu/test_cas_list test_cas_list_push_disturbed",
                    "percpu/test_tagged_abort test_tagged_disturbed",
                    "percpu/test_tagged_abort test_tagged_disturbed_without_end",
                    "slab/test_slab_free test_return_swap_is_tried_again",
                    "quicklist/test_cache test_untouchable_pages")},
    **{case: "it cannot extend a child's stack for a handler"
       for case in ("page/test_signal test_signal_failure_is_not_told",
                    "slab/test_signal test_signal_double_free",
                    "slab/test_debug_life test_debug_signal_double_free",
                    "slab/test_debug_life test_debug_signal_double_free_above_call",
                    "slab/test_debug_life test_debug_signal_free_inside")},
    **{case: "a filter kills it for its own system calls"
       for case in ("page/test_mempolicy test_mempolicy_one_node",
                    "malloc_core/test_handler_pages test_storm_of_signals_maps_once")},
    "stats/test_doctor test_doctor_environment": "it cannot start itself again",
    "slab/test_kvmalloc test_kvrealloc_shrink": "it has no room for so many mappings",
}

CASE = re.compile(r"^\s*(not )?ok \d+ (?:- )?(.*?)(?: # SKIP\b ?(.*))?$", re.MULTILINE)
TOTALS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)


class Runner:
    def __init__(self, build, condition):
        self.build = build
        self.denied, environment, self.doctor_says = CONDITIONS[condition]
        self.valgrind = condition == "valgrind"
        self.faults = VALGRIND_FAULTS if self.valgrind else {}
        self.environment = dict(os.environ, USERMM_OPTIONS="", **environment)
        self.seconds = SECONDS * (SLOWNESS_VALGRIND if self.valgrind else 1)

    def wrap(self, program, preload=None):
        """The command line; what is preloaded is for the program alone."""
        argv = [str(program)]
        if preload:
            argv = ["env", f"LD_PRELOAD={preload}", *argv]
        if self.denied:
            argv = [str(self.build / "tests/denied/deny"), self.denied, "--", *argv]
        if self.valgrind:
            argv = ["valgrind", "--tool=none", "--quiet", "--fair-sched=yes", *argv]
        return argv

    def call(self, program, *args, preload=None):
        """Answers the exit status (None: too late) and what was said."""
        process = subprocess.Popen([*self.wrap(program, preload), *args], text=True,
                                   errors="replace", env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            said = process.communicate(timeout=self.seconds)[0]
            return process.returncode, said
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return None, process.communicate()[0]

    def check_condition(self):
        """What is wrong in `usermm doctor`'s output; empty if the condition holds."""
        status, said = self.call(self.build / "usermm", "doctor")
        print(said, end="")
        rows = dict(re.findall(r"^(\S.*?)  +(.*)$", said, re.MULTILINE))
        wrong = [f"doctor: {name}: {rows.get(name)!r} instead of {pattern!r}"
                 for name, pattern in self.doctor_says.items()
                 if not re.match(pattern, rows.get(name, ""))]
        return wrong if status == 0 else [f"doctor: exit status {status}", *wrong]

    def test(self, name):
        started = time.monotonic()
        preload = self.build / "libusermm_malloc.so" if name.startswith("malloc/") else None
        status, said = self.call(self.build / "tests" / name, preload=preload)
        return name, status, said, time.monotonic() - started


def all_tests(build, valgrind):
    # Valgrind refuses programs that start themselves again, as most of malloc's do, and needs a
    # kernel that answers.
    layers = UNIT_LAYERS if valgrind else (*UNIT_LAYERS, "denied", "malloc")
    return [f"{layer}/{path.name}" for layer in layers
            for path in sorted((build / "tests" / layer).glob("test_*"))]


def read_report(said):
    """How many cases passed, who failed, and who was skipped and why."""
    cases = CASE.findall(said)
    skipped = [(name, reason) for _, name, reason in cases if reason]
    totals = TOTALS.search(said)    # the unit tests': their suites and cases have parts
    failed = [name for bad, name, _ in cases if bad and (not totals or name.startswith("test_"))]
    passed = int(totals[1]) if totals else len(cases) - len(failed) - len(skipped)
    return passed, failed, skipped


def run_condition(build, condition, everything, jobs):
    """Answers how many cases passed, what failed, and how many were skipped."""
    runner = Runner(build, condition)
    print(f"--- {condition}", flush=True)
    failures = runner.check_condition()
    short = SHORT_VALGRIND if runner.valgrind else SHORT
    names = all_tests(build, runner.valgrind) if everything else short
    passed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, status, said, seconds in pool.map(runner.test, names):
            right, wrong, reasons = read_report(said)
            faults = [case for case in wrong if f"{name} {case}" in runner.faults]
            reasons += [(case, runner.faults[f"{name} {case}"]) for case in faults]
            passed += right
            skipped += len(reasons)
            print(f"{name}: {right} passed, {seconds:.1f} s", flush=True)
            for case, reason in reasons:
                print(f"    skipped {case}: {reason}")
            excused = status == 1 and faults and faults == wrong
            if status != 0 and not excused or not right + len(reasons):
                failures += [f"{name} {case}" for case in wrong] or [f"{name}: status {status}"]
                print(said)
    return passed, [f"{condition}: {failure}" for failure in failures], skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("condition", choices=(*CONDITIONS, "all"))
    parser.add_argument("--all", action="store_true", help="not only the short selection")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()

    passed, failures, skipped = 0, [], 0
    for condition in CONDITIONS if args.condition == "all" else (args.condition,):
        right, wrong, left_out = run_condition(args.build.resolve(), condition, args.all,
                                               args.jobs)
        print(f"{condition}: {right} passed, {len(wrong)} failed, {left_out} skipped", flush=True)
        passed, failures, skipped = passed + right, failures + wrong, skipped + left_out
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{passed} passed, {len(failures)} failed, {skipped} skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
