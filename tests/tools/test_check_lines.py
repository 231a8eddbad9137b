#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/check_lines.py see lines that are too long, and only these?"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_lines.py"


class Lines(unittest.TestCase):
    def check(self, **files):
        """The exit status and the output for files, given as FOLDER__NAME_SUFFIX=text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, "inner", name.replace("__", "/").replace("_", "."))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True,
                                  check=False)
            return done.returncode, done.stdout.replace(folder, "")

    def test_limit(self):
        self.assertEqual(self.check(a_c="x" * 100 + "\n"),
                         (0, "check_lines: 1 files, 0 offences\n"))
        status, out = self.check(a_c="\n" + "x" * 101 + "\n", b_py="y" * 100)
        self.assertEqual(status, 1)
        self.assertIn("/inner/a.c:2: 101 columns", out)
        self.assertIn("2 files, 1 offences", out)

    def test_folders_of_cargo(self):
        self.assertEqual(self.check(a_c="\n", rust__target__a_rs="x" * 101)[0], 0)
        self.assertEqual(self.check(inspect__target__a_c="x" * 101)[0], 1)

    def test_tabs(self):
        self.assertEqual(self.check(a_h="\t" * 12 + "1234\n")[0], 0)
        self.assertEqual(self.check(a_h="\t" * 12 + "12345\n")[0], 1)
        self.assertEqual(self.check(a_h="1234567\t" * 12 + "12345\n")[0], 1)

    def test_letters_are_columns(self):
        self.assertEqual(self.check(a_cc="\N{LATIN SMALL LETTER E WITH ACUTE}" * 100)[0], 0)

    def test_other_files(self):
        self.assertEqual(self.check(a_c="\n", a_md="x" * 200)[0], 0)
        self.assertEqual(self.check(a_md="x" * 200)[0], 1, "nothing was looked at")


if __name__ == "__main__":
    unittest.main()
