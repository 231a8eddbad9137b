#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/misuse/run_misuse.py see what differs from the scoreboard?"""
import contextlib
import io
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "misuse"))

import run_misuse  # noqa: E402


class Outcome(unittest.TestCase):
    def test_an_abort_needs_a_report(self):
        self.assertEqual(run_misuse.outcome(-6, "usermm: free(0x1): invalid pointer\n"), "report")
        self.assertNotIn(run_misuse.outcome(-6, "double free or corruption (out)\n"),
                         run_misuse.ALLOWED)

    def test_what_no_case_does_is_no_outcome(self):
        for status in (1, 3, 127, -4, -9):
            self.assertNotIn(run_misuse.outcome(status, ""), run_misuse.ALLOWED)


class Table(unittest.TestCase):
    def test_options_and_words(self):
        options, words = run_misuse.read_table(
            "case default a=1 # more\n\n# none\nx missed report\n")
        self.assertEqual(options, ["", "a=1"])
        self.assertEqual(words, {"x": ["missed", "report"]})

    def test_what_is_no_word_is_refused(self):
        for line in ("x misssed", "x", "x missed missed", "x missed\nx missed"):
            with self.assertRaises(ValueError):
                run_misuse.read_table(f"case default\n{line}\n")

    def test_differences_are_counted(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(run_misuse.show("x", ["caught", "missed"], ["fault", "report"]), 1)
            self.assertEqual(run_misuse.show("x", ["chance"], ["no end after 30 s"]), 1)
        self.assertIn("the table has missed, not report", out.getvalue())


if __name__ == "__main__":
    unittest.main()
