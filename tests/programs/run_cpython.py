#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs CPython's own tests with PYTHONMALLOC=malloc, without and with libusermm_malloc.so.

The tests are those of Debian's libpython3.N-testsuite, by default the newest. Each module runs in a
process of its own. Which of its cases fail has to be the same under both allocators. If they
differ, the module runs once more under both: many tests race with the clock. The report has a line
for each module that differs or fails, and ends with "N passed, N failed".

All of them take eleven minutes with four jobs on two CPUs. With --state FILE each module's outcome
is kept there as soon as it is known; whoever starts again with the same library, options and
interpreter runs the others alone. A module that differed is run again.
"""
import argparse
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree
from pathlib import Path

from real_programs import objects_served

# For `make test`: modules that allocate in unusual ways, and take about a second.
SHORT = """
    test_array test_ctypes test_dict test_gc test_list test_memoryview test_thread test_weakref
""".split()

# These look at the machine, its network, its terminal or its debugger, not at memory.
ELSEWHERE = {"test_gdb", "test_curses", "test_tkinter", "test_ttk_guionly", "test_ttk_textonly",
             "test_idle", "test_tix", "test_smtpnet", "test_urllib2net", "test_urllibnet",
             "test_nntplib", "test_ossaudiodev", "test_winreg", "test_msilib", "test_asdl_parser",
             "test_peg_generator", "test_tools"}
# A virtual machine's sockets need not reach itself; then this waits for ever, with any malloc.
CASES_ELSEWHERE = "*VSOCK*"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a module's process ended, and which of its cases failed."""
    end: str
    failures: frozenset

    def __str__(self):
        names = ", ".join(sorted(self.failures)[:5])
        return self.end + (f" ({len(self.failures)} cases: {names})" if self.failures else "")


def newest_tested(library=Path("/usr/lib"), programs=Path("/usr/bin")):
    """The newest interpreter of Debian's whose tests are installed, if there is one."""
    folders = [folder for folder in library.glob("python3.*")
               if re.fullmatch(r"python3\.\d+", folder.name)
               and (folder / "test/test_list.py").exists() and (programs / folder.name).exists()]
    newest = max(folders, key=lambda folder: int(folder.name.partition(".")[2]), default=None)
    return str(programs / newest.name) if newest else None


def modules_of(python):
    done = subprocess.run([python, "-m", "test", "--list-tests"], capture_output=True, text=True,
                          check=True)
    return [name for name in done.stdout.split() if name not in ELSEWHERE]


def failing_cases(report):
    if not report.exists():
        return frozenset()
    tree = xml.etree.ElementTree.parse(report)
    return frozenset(case.get("name") for case in tree.iter("testcase")
                     if case.find("failure") is not None or case.find("error") is not None)


def run_module(python, module, preload, seconds):
    with tempfile.TemporaryDirectory(prefix="usermm-cpython-") as folder:
        report = Path(folder) / "report.xml"
        environment = os.environ | {"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "1",
                                    "LC_ALL": "C.UTF-8",
                                    "TMPDIR": folder, "HOME": folder} | preload
        command = [python, "-m", "test", "-i", CASES_ELSEWHERE, "--junit-xml", report, module]
        child = subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            child.wait()
            return Outcome("hangs", frozenset())
        cases = failing_cases(report)
    ends = {0: "passes", 2: "fails", 3: "fails", 4: "passes", 5: "passes"}
    return Outcome(ends.get(status, f"ends with {status}"), cases)


def check_module(python, module, preload, seconds):
    """Answers (plain, preloaded), which differ only if they did so twice."""
    for _ in range(2):
        plain = run_module(python, module, {}, seconds)
        preloaded = run_module(python, module, preload, seconds)
        if plain == preloaded:
            break
    return plain, preloaded


class State:
    """The modules' outcomes of this run and, if there is a file, of earlier runs."""

    def __init__(self, path, subject):
        self.path = path
        self.lock = threading.Lock()
        self.outcomes = {}
        lines = path.read_text().splitlines() if path and path.exists() else []
        if lines and json.loads(lines[0]) == subject:
            for module, *sides in map(json.loads, lines[1:]):
                plain, preloaded = (Outcome(end, frozenset(cases)) for end, cases in sides)
                self.outcomes[module] = plain, preloaded
        elif path:
            path.write_text(json.dumps(subject) + "\n")

    def known(self, module):
        plain, preloaded = self.outcomes.get(module, (None, None))
        return plain is not None and plain == preloaded

    def add(self, module, outcomes):
        with self.lock:
            self.outcomes[module] = outcomes
            if self.path:
                with open(self.path, "a") as file:
                    sides = [[side.end, sorted(side.failures)] for side in outcomes]
                    file.write(json.dumps([module, *sides]) + "\n")


def subject_of(args):
    """The library, options and interpreter that the outcomes belong to."""
    library = hashlib.sha256(Path(args.library).read_bytes()).hexdigest()
    return {"library": library, "options": args.options, "python": args.python}


def objects_taken(python, preload):
    """Checks by the library's counters that the interpreter's memory comes from it."""
    environment = os.environ | {"PYTHONMALLOC": "malloc"} | preload
    environment["USERMM_OPTIONS"] = "stats=1"
    done = subprocess.run([python, "-c", "import json"], env=environment, capture_output=True,
                          text=True)
    return objects_served(done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="path of libusermm_malloc.so")
    parser.add_argument("--python", default=newest_tested())
    parser.add_argument("--options", default="", help="USERMM_OPTIONS of the preloaded interpreter")
    parser.add_argument("--short", action="store_true", help="some modules only")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=1200, help="for each module and allocator")
    parser.add_argument("--state", type=Path, help="file to keep outcomes in, and to go on from")
    parser.add_argument("module", nargs="*", help="run these alone")
    args = parser.parse_args()
    if not args.python:
        sys.exit("run_cpython: no Python with its tests: install Debian's libpython3.N-testsuite, "
                 "where python3.N is a Python of this release")

    # A shell makes background jobs ignore SIGINT, and tests of SIGINT would fail.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    preload = {"LD_PRELOAD": os.path.abspath(args.library), "USERMM_OPTIONS": args.options}
    objects = objects_taken(args.python, preload)
    known = modules_of(args.python)
    modules = [name for name in known if name in (args.module or SHORT)] \
        if args.module or args.short else known
    state = State(args.state, subject_of(args))
    nr_known = sum(map(state.known, modules))
    print(f"{len(modules)} modules, {nr_known} of them known; an interpreter that does nothing "
          f"takes {objects} objects", flush=True)

    def outcomes_of(module):
        if not state.known(module):
            state.add(module, check_module(args.python, module, preload, args.seconds))
        return state.outcomes[module]

    passed, failed, start = 0, int(not objects), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for module, (plain, preloaded) in zip(modules, pool.map(outcomes_of, modules)):
            same = plain == preloaded
            passed += same
            failed += not same
            if not same:
                print(f"FAILED {module}: {plain} became {preloaded}", flush=True)
            elif plain.end != "passes":
                print(f"{module}: both: {plain}", flush=True)
    print(f"in {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
