#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The scoreboard of misuse: what becomes of each mistake, by default and with options.

    run_misuse.py --program FILE --library FILE [--jobs N] [CASE...]

Each case of the program (tests/misuse) runs in a process of its own, with the library
preloaded, once for each column of scoreboard.txt. A line a case says what came of it:

    report      the library ended the process, after a report
    fault       a SIGSEGV did, there and then
    harmless    it was refused, or had no effect
    missed      the program went on

Whatever differs from the table is marked, and the exit status is 1 then. What hangs, or ends
in any other way, is never as the table has it.
"""
import argparse
import concurrent.futures
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "scoreboard.txt"
SECONDS = 30
REPORT = re.compile(r"^(usermm: |BUG: KFENCE: )", re.MULTILINE)
EXITS = {0: "harmless", 42: "missed"}
# The outcomes that a word of the table allows.
ALLOWED = {name: {name} for name in ("report", "fault", "harmless", "missed")}
ALLOWED["chance"] = set(ALLOWED)
ALLOWED["caught"] = {"report", "fault"}


def read_table(text):
    """Answers the options of the columns, and the words of each case."""
    rows = [line.split("#")[0].split() for line in text.splitlines()]
    rows = [row for row in rows if row]
    options = ["" if option == "default" else option for option in rows[0][1:]]
    words = {name: expected for name, *expected in rows[1:]}
    for name, expected in words.items():
        if len(expected) != len(options) or not set(expected) <= set(ALLOWED):
            raise ValueError(f"{name}: no line of the table: {' '.join(expected)}")
    if len(words) != len(rows) - 1:
        raise ValueError("a case is in the table twice")
    return options, words


def outcome(status, errors):
    if status == -signal.SIGABRT and REPORT.search(errors):
        return "report"
    if status == -signal.SIGSEGV:
        return "fault"
    return EXITS.get(status, f"status {status}: {errors.strip()}")


def run_case(arguments, options, name):
    given = os.environ.get("USERMM_OPTIONS", "")
    environment = dict(os.environ, LD_PRELOAD=arguments.library,
                       USERMM_OPTIONS=":".join(filter(None, (given, options))))
    try:
        done = subprocess.run([arguments.program, name], env=environment, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS} s"
    return outcome(done.returncode, done.stderr)


def cases_of(program):
    return subprocess.run([program], capture_output=True, text=True, check=True,
                          timeout=SECONDS).stdout.split()


def show(name, expected, found):
    """Writes a case's line; answers how many of its columns differ."""
    wrong = [word not in ALLOWED[allowed] for allowed, word in zip(expected, found)]
    cells = (f"{word:<10}" for word in found)
    print(f"{name:<34}{' '.join(cells)}".rstrip())
    for allowed, word, differs in zip(expected, found, wrong):
        if differs:
            print(f"    the table has {allowed}, not {word}")
    return sum(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()

    options, expected = read_table(TABLE.read_text())
    cases = cases_of(arguments.program)
    if sorted(cases) != sorted(expected):
        print(f"only in one of table and program: {sorted(set(cases) ^ set(expected))}")
        return 1
    cases = arguments.cases or cases
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    heads = [option or "default" for option in options]
    print(f"{'':<34}{' '.join(f'{head:<10}' for head in heads)}".rstrip())
    differences = 0
    stopped = [0] * len(options)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = [[pool.submit(run_case, arguments, option, name) for option in options]
                for name in cases]
        for name, row in zip(cases, runs):
            found = [run.result() for run in row]
            differences += show(name, expected[name], found)
            stopped = [count + (word in ("report", "fault", "harmless"))
                       for count, word in zip(stopped, found)]
    for head, count in zip(heads, stopped):
        print(f"{head}: {count} of {len(cases)} caught or harmless")
    passed = len(cases) * len(options) - differences
    print(f"{passed} passed, {differences} failed")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
