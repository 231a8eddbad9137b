#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/check_unwind.py see code without unwind information, and only this?"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_unwind.py"
FUNCTIONS = "int one(int a) { return a + 1; } int two(int a) { return one(a) * a; }\n"
ELSEWHERE = """
    void three(void)
    {
        __asm__(".pushsection elsewhere, \\"ax\\"\\n\\t.2byte 1, 2\\n\\t.popsection");
    }
    """
BARE = """
    __asm__(".pushsection .text\\n\\t.globl bare\\n\\t.type bare, %function\\n"
            "bare:\\n\\tnop\\n\\t.size bare, . - bare\\n\\t.popsection");
    """


class Unwind(unittest.TestCase):
    def check(self, text, *how):
        """The exit status and the output for a library made of this text."""
        with tempfile.TemporaryDirectory() as folder:
            source, library = Path(folder, "source.c"), Path(folder, "library.so")
            source.write_text(text)
            subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, *how, source],
                           check=True)
            done = subprocess.run([sys.executable, TOOL, library], capture_output=True, text=True,
                                  check=False)
            return done.returncode, (done.stdout + done.stderr).replace(folder, "")

    def test_complete(self):
        for how in ((), ("-falign-functions=512",)):
            self.assertEqual(self.check(FUNCTIONS, "-fasynchronous-unwind-tables", *how),
                             (0, "check_unwind: 1 files, 0 offences\n"))

    def test_none(self):
        status, out = self.check(FUNCTIONS, "-fno-asynchronous-unwind-tables")
        self.assertEqual(status, 1)
        self.assertIn("one, two", out)

    def test_other_section(self):
        status, out = self.check(FUNCTIONS + ELSEWHERE)
        self.assertEqual(status, 1)
        self.assertIn("/library.so: elsewhere from", out)
        self.assertIn("4 bytes: code without a name", out)
        self.assertIn("1 offences", out)

    def test_function_in_assembly(self):
        status, out = self.check(FUNCTIONS + BARE)
        self.assertEqual(status, 1)
        self.assertIn("bare\n", out)


if __name__ == "__main__":
    unittest.main()
