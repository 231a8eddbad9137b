#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/check_weak.py see weak references to what only libc's loader has?"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_weak.py"


class Weak(unittest.TestCase):
    def check(self, name, attribute):
        """The exit status and the output for an object that refers to the name."""
        with tempfile.TemporaryDirectory() as folder:
            source, made = Path(folder, "source.c"), Path(folder, "made.o")
            source.write_text(f"extern char {name} {attribute};\n"
                              f"char *f(void) {{ return &{name}; }}\n")
            subprocess.run(["cc", "-fno-builtin", "-c", "-o", made, source], check=True)
            done = subprocess.run([sys.executable, TOOL, "cc", made], capture_output=True,
                                  text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def test_of_loader(self):
        status, out = self.check("__libc_stack_end", "__attribute__((weak))")
        if " 0 names of the loader" in out:
            self.skipTest("libc has no names in its loader alone")
        self.assertEqual(status, 1)
        self.assertIn("__libc_stack_end is weak", out)

    def test_not_weak(self):
        self.assertEqual(self.check("__libc_stack_end", "")[0], 0)

    def test_of_libc(self):
        self.assertEqual(self.check("mallopt", "__attribute__((weak))")[0], 0)


if __name__ == "__main__":
    unittest.main()
