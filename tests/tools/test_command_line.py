#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is a mistake on usermm's command line reported in one line, with exit status 2?

    test_command_line.py USERMM
"""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

USAGE = 2
OPTIONS = Path(__file__).resolve().parents[2] / "docs" / "options.md"
USERMM = sys.argv.pop(1)
# As on the command line, and as messages name them.
COMMANDS = ["run", "bench", "doctor", "selftest percpu", "module"]


def usermm(*words):
    return subprocess.run([USERMM, *words], text=True, capture_output=True, timeout=60)


class CommandLine(unittest.TestCase):
    def refused(self, words, pattern):
        done = usermm(*words)
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""), words)
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_unknown_options(self):
        for command in COMMANDS:
            for option in ("--no-such", "-x"):
                self.refused([*command.split(), option],
                             f"^usermm {command}: unknown option '{option}'")

    def test_options_without_a_value(self):
        for words in (*([*command.split(), "-o"] for command in COMMANDS),
                      ["bench", "--json"], ["bench", "--peers"], ["bench", "--seconds"],
                      ["bench", "--live-mib"], ["record", "-o"], ["report", "--title"],
                      ["selftest", "percpu", "--storm"],
                      ["selftest", "percpu", "--patience"], ["module", "-I"]):
            self.refused(words, f"^usermm [a-z ]+: no value for option '{words[-1]}'")

    def test_values_of_options_without_one(self):
        for words in (["doctor", "--options=x"], ["bench", "--quick=1"]):
            self.refused(words, f"unknown option '{words[-1]}'")

    def test_bad_options_of_the_library(self):
        for command in COMMANDS:
            self.refused([*command.split(), "-o", "no_such=1"],
                         f"^usermm {command}: .*no_such")
            for option in ("slab_debug=FQ", "failslab=1,2,3", "fail_page_alloc=1,2,3,4,what=5"):
                name = option.partition("=")[0]
                self.refused([*command.split(), "-o", option],
                             f"^usermm {command}: bad value in option '{option}'; {name} takes "
                             "(\\[FZPUTAO-|interval,probability,space,times.*; NAMEs: ignore-)")

    def test_bad_options_of_the_environment(self):
        """Each of the two processes warns, and the program runs on without the bad options."""
        for option in ("slab_debug=FQ", "failslab=1,100,0,-1,x=1", "limit=x"):
            done = subprocess.run([USERMM, "run", "--", "true"], capture_output=True, text=True,
                                  env={**os.environ, "USERMM_OPTIONS": option}, check=False)
            self.assertEqual((done.returncode, len(set(done.stderr.splitlines()))), (0, 1))
            self.assertRegex(done.stderr,
                             f"^usermm: USERMM_OPTIONS: bad value in option '{option}'; ")

    def test_bad_values_and_words(self):
        for text in ("0", "-1", "x", "1x", "", "86401", "99999999999999999999"):
            self.refused(["selftest", "percpu", f"--storm={text}"],
                         f"--storm takes 1 to 86400, not '{re.escape(text)}'")
        for words in (["doctor", "word"], ["selftest", "percpu", "word"], ["selftest", "word"]):
            self.refused(words, "unexpected argument 'word'")
        self.refused(["bench", "word"], "unknown suite 'word'; suites: percpu ")
        self.refused(["bench", "gfp-flags", "--peers", "/none"], "--peers: /none: No such file")
        self.refused(["run"], "no program given")
        self.refused(["module"], "no source given")
        self.refused(["word"], "unknown command 'word'; there are: run bench ")
        self.refused([], "no command given; there are: run bench ")

    def test_help(self):
        for command in COMMANDS:
            done = usermm(*command.split(), "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            self.assertRegex(done.stdout, f"^usage: usermm {command.split()[0]} ")

    def test_options_of_the_library_are_told(self):
        done = usermm("doctor", "-o", "nodes=2", "--options")
        lines = done.stdout.splitlines()
        rows = [line for line in lines[1:] if not line.startswith(" ")]
        names = [row.split()[0] for row in rows]
        self.assertEqual((done.returncode, len(lines)), (0, 2 * len(names) + 1))
        self.assertEqual([row.split()[-1] for row in rows if row.startswith("nodes ")], ["2"])
        # In columns: each is where its heading is.
        for heading in ("TYPE", "VALUES", "DEFAULT", "STABILITY", "NOW"):
            at = lines[0].index(heading)
            self.assertEqual([row for row in rows if row[at - 1] != " " or row[at] == " "], [])
        told = re.findall(r"^\| `(\w+)` \|", OPTIONS.read_text(), re.M)
        self.assertEqual(sorted(told), sorted(names))

    def test_words_behind_the_program_are_its_own(self):
        done = usermm("run", "-o", "stats=0", "echo", "-o", "--help")
        self.assertEqual((done.returncode, done.stdout), (0, "-o --help\n"))


if __name__ == "__main__":
    unittest.main()
