#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that `usermm selftest percpu` makes its proofs, and says so when it cannot.

    run_selftest.py USERMM {proofs|refusals}

Where there are no restartable sequences, only the refusals can be checked.
"""
import os
import re
import subprocess
import sys

USAGE = 2
# Of every processor; some have more.
PRIMITIVES = ["pop", "push", "pop_n", "push_n", "list_pop", "list_push"]
ABORTS_NEEDED = 100000
# The seconds of a storm of one second, which may take as long again, and of a busy machine's
# delays.
STORM_SECONDS_MAX = 10


def run(usermm, *args, options=""):
    environment = dict(os.environ, USERMM_OPTIONS=options)
    done = subprocess.run([usermm, "selftest", *args], env=environment, text=True,
                          capture_output=True, timeout=500)
    print(f"$ usermm selftest {' '.join(args)}\n{done.stdout}{done.stderr}", end="")
    print(f"exit status {done.returncode}", flush=True)
    return done


def last_line(done):
    return done.stdout.rstrip("\n").rpartition("\n")[2]


def rows(text, columns):
    """The lines of a table that start with a primitive's name: name -> numbers."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if line.startswith("  ") and len(words) == columns and re.fullmatch(r"[\d.]+%?", words[-1]):
            found[words[0]] = [float(word.rstrip("%")) for word in words[1:]]
    return found


def has_sequences(usermm):
    text = subprocess.run([usermm, "doctor"], text=True, capture_output=True).stdout
    return not re.search(r"^per-CPU mode\s+locked", text, re.MULTILINE)


def check_proofs(usermm):
    done = run(usermm, "percpu")
    assert done.returncode == 0 and last_line(done) == "ok"
    boundaries = rows(done.stdout, 9)
    assert set(PRIMITIVES) <= set(boundaries)
    for _, instructions, interrupted, cases, behind, aborts, lost, twice in boundaries.values():
        assert interrupted == instructions >= 10
        assert aborts >= cases > interrupted and behind > 0
        assert lost == twice == 0
    storm = rows(done.stdout, 4)
    assert set(storm) == set(boundaries)
    assert all(row[1] >= ABORTS_NEEDED for row in storm.values())
    assert "offline and online" in done.stdout and "skipped: not asked for" in done.stdout


def check_few_aborts(usermm):
    """Options for a slow machine."""
    done = run(usermm, "percpu", "--storm", "1", "--patience", "100", "--aborts", "10")
    assert done.returncode == 0 and last_line(done) == "ok"
    assert all(row[1] >= 10 for row in rows(done.stdout, 4).values())


def check_too_short(usermm):
    """Neither as many aborts as it takes, nor more time than was said."""
    done = run(usermm, "percpu", "--storm", "1")
    assert done.returncode == 1
    seconds = float(re.search(r"^storm: .*, (\d+) seconds", done.stdout, re.MULTILINE).group(1))
    assert seconds <= STORM_SECONDS_MAX
    assert re.fullmatch(r"not exercised: \w+: \d+ of 100000 aborts in \d+ seconds.*",
                        last_line(done))


def check_refusals(usermm):
    done = run(usermm, "percpu", options="rseq=off")
    assert (done.returncode, done.stdout) == (1, "not exercised: chosen by rseq=off\n")
    done = run(usermm, "percpu", "-o", "rseq=off")
    assert (done.returncode, done.stdout) == (1, "not exercised: chosen by rseq=off\n")
    for wrong in (["--storm", "x"], ["--storm", "0"], ["--storm", "-1"], ["--storm"],
                  ["--storm", "1s"], ["--storm", "99999999999999999999"], ["--what"], ["more"],
                  ["--patience", "0"], ["--patience"], ["--storm", "1", "--patience", "x"],
                  ["--aborts", "0"], ["--aborts", "many"], ["--aborts", "99999999999"]):
        done = run(usermm, "percpu", *wrong)
        assert done.returncode == USAGE and not done.stdout
        assert done.stderr.count("\n") == 1 and wrong[-1] in done.stderr
    assert "selftest percpu --storm" in run(usermm, "--help").stdout
    assert "--storm=SECONDS" in run(usermm, "percpu", "--help").stdout


def main():
    usermm, what = sys.argv[1:]
    if what == "refusals":
        check_refusals(usermm)
    if not has_sequences(usermm):
        print("no restartable sequences here, nothing to prove")
    elif what == "refusals":
        check_too_short(usermm)
        check_few_aborts(usermm)
    else:
        check_proofs(usermm)


if __name__ == "__main__":
    main()
