#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the kernel's own tests of restartable sequences on this machine.

usermm relies on the kernel to abort a sequence when its thread is preempted, moved or interrupted.
These tests (tools/testing/selftests/rseq of the kernel's source, from Debian's package
linux-source-*) are built unmodified, and check this here. The report has a line for
each and ends with "N passed, N failed, N skipped".

--short runs each program once, and each test of param_test once more with
threads that yield or are hit by signals between their sequences; half a minute.
--long does so four times as long, and adds the suite's own run_param_test.sh, which
injects delays at each point of the sequences; some ten minutes.
"""
import argparse
import ctypes
import errno
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

SUITE = "tools/testing/selftests/rseq"
# The parts of the source that the suite needs: itself, and the files that it includes.
MEMBERS = (SUITE, "tools/testing/selftests/lib.mk", "tools/testing/selftests/kselftest.h",
           "tools/include", "scripts/subarch.include")
# How a test of the kernel says that it cannot run here.
SKIPPED = 4
# What the mm_cid programs print on a kernel that has none.
NO_INDEX = "cpu id getter unavailable"

SYS_RSEQ = {"x86_64": 334, "aarch64": 293, "riscv64": 293}
SYS_MEMBARRIER = {"x86_64": 324, "aarch64": 283, "riscv64": 283}
MEMBARRIER_QUERY = 0
MEMBARRIER_PRIVATE_EXPEDITED_RSEQ = 1 << 7

BASIC = ("basic_test", "basic_percpu_ops_test", "basic_percpu_ops_mm_cid_test",
         "syscall_errors_test")
PARAM = ("param_test", "param_test_compare_twice", "param_test_mm_cid",
         "param_test_mm_cid_compare_twice")
BENCHMARK = ("param_test_benchmark", "param_test_mm_cid_benchmark")
# spinlock, list, buffer, memcpy, the latter two with barriers, increment, membarrier
KINDS = (("-T", "s"), ("-T", "l"), ("-T", "b"), ("-T", "b", "-M"), ("-T", "m"),
         ("-T", "m", "-M"), ("-T", "i"), ("-T", "r"))
# At point 9, in C in front of each sequence: every other time a yield, or a signal.
DISTURBED = (("-9", "-1", "-m", "2", "-y"), ("-9", "-1", "-m", "2", "-k"))

MEANING = """\
The kernel's own tests of restartable sequences failed: on this machine rseq cannot
be trusted, and an allocator that relies on it may hand out memory twice. Run usermm
with rseq=off (USERMM_OPTIONS=rseq=off) here, and report this to whoever maintains
the kernel."""


def rseq_available():
    """The kernel knows rseq(2) and lets this process call it."""
    number = SYS_RSEQ.get(platform.machine())
    if number is None:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(number, 0, 0, 0, 0) == -1 and ctypes.get_errno() == errno.EINVAL


def membarrier_available():
    known = ctypes.CDLL(None).syscall(SYS_MEMBARRIER[platform.machine()], MEMBARRIER_QUERY, 0, 0)
    return known > 0 and bool(known & MEMBARRIER_PRIVATE_EXPEDITED_RSEQ)


def newest_source():
    found = sorted(Path("/usr/src").glob("linux-source-*.tar.xz"),
                   key=lambda path: [int(n) for n in path.name.split("-")[2].split(".")[:2]])
    return found[-1] if found else None


def unpack(source, build):
    """Answers the suite's folder. The archive is large, so it is read only once."""
    info = source.stat()
    place = build / f"{source.name}-{info.st_size}-{int(info.st_mtime)}"
    top = source.name.removesuffix(".tar.xz")
    if not place.exists():
        partial = build / f"partial-{os.getpid()}"
        partial.mkdir(parents=True)
        subprocess.run(["tar", "-xJf", source, "-C", partial,
                        *(f"{top}/{member}" for member in MEMBERS)], check=True)
        partial.rename(place)
    return place / top / SUITE


def environment():
    """An outer make's variables would change what the suite's Makefile does."""
    return {name: value for name, value in os.environ.items()
            if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}


def run(suite, argv, seconds):
    """Answers the exit status (None if it did not end in time) and the output."""
    process = subprocess.Popen(argv, cwd=suite, env=environment(), text=True, errors="replace",
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]


def judge(status, output):
    if status == 0:
        return "ok"
    if status == SKIPPED or status not in (None, 0) and NO_INDEX in output:
        return "skipped"
    return "FAILED"


def describe(status):
    if status is None:
        return "did not end"
    return f"signal {-status}" if status < 0 else f"exit status {status}"


# Far more than a program takes on a machine that has much else to do.
SECONDS = 200


class Report:
    def __init__(self):
        self.counts = {"ok": 0, "FAILED": 0, "skipped": 0}

    def line(self, verdict, name, remark=""):
        self.counts[verdict] += 1
        print(f"{verdict:8}{name:60}{remark}", flush=True)

    def test(self, suite, argv, seconds):
        begin = time.monotonic()
        status, output = run(suite, (f"./{argv[0]}", *argv[1:]), seconds)
        verdict = judge(status, output)
        self.line(verdict, " ".join(argv), f"{time.monotonic() - begin:6.1f} s")
        if verdict == "FAILED":
            print(f"  {describe(status)}; its last words:\n{output[-2000:]}", flush=True)

    def end(self):
        if self.counts["FAILED"]:
            print(MEANING)
        print(f"{self.counts['ok']} passed, {self.counts['FAILED']} failed, "
              f"{self.counts['skipped']} skipped")
        return 1 if self.counts["FAILED"] else 0


def build_suite(suite):
    status, output = run(suite, ("make", "CC=gcc", f"OUTPUT={suite}"), 300)
    if status:
        sys.exit(f"run_selftests: the kernel's tests cannot be built:\n{output}")


def test_each(report, suite, extra, membarrier, rounds):
    threads = ("-t", str(6 * os.cpu_count()))
    for name in BASIC:
        if (suite / name).exists():
            report.test(suite, (name,), SECONDS)
        else:
            report.line("skipped", name, "not in this version of the source")
    for kind in KINDS:
        for program in (*PARAM, *BENCHMARK):
            if kind == ("-T", "r") and not membarrier:
                report.line("skipped", f"{program} {' '.join(kind)}", "no membarrier(2) for rseq")
                continue
            report.test(suite, (program, *kind, "-r", str(rounds), *threads, *extra), SECONDS)
            if program not in BENCHMARK:
                for disturbed in DISTURBED:
                    report.test(suite, (program, *kind, "-r", str(rounds // 10), *threads,
                                        *disturbed, *extra), SECONDS)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--short", action="store_true")
    length.add_argument("--long", action="store_true")
    parser.add_argument("--source", type=Path, metavar="TARBALL", default=newest_source())
    parser.add_argument("--build", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--extra", nargs=argparse.REMAINDER, default=[],
                        help="further arguments for param_test; the last option")
    args = parser.parse_args()

    if not args.source:
        sys.exit("run_selftests: install Debian's package linux-source-6.12, or name a --source")
    report = Report()
    if not rseq_available():
        report.line("skipped", "everything", "no rseq(2) here: usermm locks its slots")
        return report.end()
    suite = unpack(args.source, args.build.resolve())
    build_suite(suite)
    membarrier = membarrier_available()
    test_each(report, suite, args.extra, membarrier, 20000 if args.long else 5000)
    if args.long and membarrier:
        report.test(suite, ("run_param_test.sh", *args.extra), 3600)
    elif args.long:
        report.line("skipped", "run_param_test.sh", "no membarrier(2) for rseq")
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
