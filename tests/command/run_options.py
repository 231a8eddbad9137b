#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are good options taken and bad ones reported, behind -o and in a preloaded library?

    run_options.py USERMM LIBRARY

A bad option behind -o is one line and exit status 2; in a preloaded library it is one warning.
tests/base/test_options.c has the forms of values.
"""
import os
import re
import subprocess
import sys

USAGE = 2
LONGEST = 1023
BAD = ["limit=x", "limit=129T", "limit", "nosuch=1", "rseq=on", "stats=3", "=1", "limit=1G\n",
       "a=1:b=2", "slab_debug=Q", "failslab=1", "profile_file=%", "stats_file=%x",
       "limit=x" + "y" * 500]
failures = 0


def check(condition, what, done):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}: exit status {done.returncode}, {done.stdout!r} {done.stderr!r}")


def run(command, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("USERMM_OPTIONS", "LD_PRELOAD")}
    return subprocess.run(command, env=environment | variables, text=True, capture_output=True,
                          timeout=60)


def refused(done, words=""):
    return (done.returncode == USAGE and not done.stdout and done.stderr.count("\n") == 1 and
            words in done.stderr)


def check_bad(usermm, library):
    for text in BAD:
        done = run([usermm, "run", "-o", text, "--", "echo", "x"])
        check(refused(done), f"-o {text!r}", done)
        done = run(["echo", "x"], USERMM_OPTIONS=text, LD_PRELOAD=library)
        check(done.returncode == 0 and done.stdout == "x\n" and done.stderr.count("\n") == 1,
              f"preloaded, {text!r}", done)
    for command in (["doctor"], ["bench"], ["selftest", "percpu"], ["module", "nosuch.c"]):
        done = run([usermm, *command, "-o", "limit=x"])
        check(refused(done, "'limit=x'"), f"{command} -o limit=x", done)


def values(usermm, *options, **variables):
    """The values that `usermm doctor --options` shows, by name."""
    done = run([usermm, "doctor", *options, "--options"], **variables)
    rows = [line.split() for line in done.stdout.splitlines()[1:] if not line.startswith(" ")]
    check(done.returncode == 0 and not done.stderr and rows, f"doctor {options}", done)
    return {row[0]: row[-1] for row in rows}, rows


def check_borders(usermm):
    """Values to try: the smallest and the largest of the range, and each word."""
    for name, kind, values_of, *_ in values(usermm)[1]:
        texts = values_of.split("..") if kind in ("UINT", "SIZE") else values_of.split("|")
        for text in texts if kind != "TEXT" else []:
            now = values(usermm, "-o", f"{name}={text}")[0][name]
            if now != text:
                check(False, f"{name}={text} is {now}", run(["true"]))


def check_long(usermm, library):
    fits = "slab_debug=-," + "x" * (LONGEST - len("slab_debug=-,"))
    done = run([usermm, "run", "-o", fits, "--", "echo", "x"])
    check(done.returncode == 0 and not done.stderr, "as long as may be", done)
    words = f"{LONGEST} bytes at most"
    done = run([usermm, "run", "-o", fits + "x", "--", "echo", "x"])
    check(refused(done, words), "too long", done)
    done = run([usermm, "run", "-o", "limit=1G", "-o", fits, "--", "echo", "x"])
    check(refused(done, words), "too long together", done)
    done = run([usermm, "run", "-o", fits, "--", "echo", "x"], USERMM_OPTIONS="limit=1G")
    check(refused(done, words), "too long with the variable", done)
    done = run(["echo", "x"], USERMM_OPTIONS=fits + "x", LD_PRELOAD=library)
    check(done.stdout == "x\n" and re.search(f"ignored.*{LONGEST}", done.stderr),
          "too long, preloaded", done)


def check_refused_index(usermm):
    """Simulated slots have locks, so rseq= with an index is refused."""
    told = "rseq=mm_cid is refused"
    for options in "rseq=mm_cid:simulated_cpus=2", "simulated_cpus=2":
        asked = "rseq" in options
        done = run([usermm, "doctor", "-o", options])
        check(done.stdout.count(told) == asked, f"doctor {options}", done)
        done = run([usermm, "run", "-o", options, "--", "echo", "x"])
        check(done.stdout == "x\n" and done.stderr.count("\n") == asked and
              done.stderr.count(f"{told}: chosen by simulated_cpus") == asked,
              f"run {options}", done)


def main():
    usermm, library = sys.argv[1:]
    check_bad(usermm, library)
    check_borders(usermm)
    check_long(usermm, library)
    check_refused_index(usermm)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
