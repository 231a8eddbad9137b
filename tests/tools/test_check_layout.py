#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/check_layout.py see small variables behind large ones, and only these?"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_layout.py"
LARGE = "char large[5000] __attribute__((section(\".bss.large\")));\n"
SMALL = "int small; __thread char thread[3000];\n"
SORT = "-Wl,--sort-section=name"


class Layout(unittest.TestCase):
    def check(self, *how, sources):
        """The exit status and the output for a library made of these sources."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder, f"part{i}.c") for i in range(len(sources))]
            for path, text in zip(paths, sources):
                path.write_text(text)
            library = Path(folder, "library.so")
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, *how, *paths], check=True)
            done = subprocess.run([sys.executable, TOOL, library], capture_output=True, text=True,
                                  check=False)
            return done.returncode, (done.stdout + done.stderr).replace(folder, "")

    def test_sorted(self):
        self.assertEqual(self.check(SORT, sources=[LARGE, SMALL]),
                         (0, "check_layout: 1 libraries, 0 offences\n"))

    def test_not_sorted(self):
        status, out = self.check(sources=[LARGE, SMALL])
        self.assertEqual(status, 1)
        self.assertIn("/library.so: small lies behind large; mark large __large_bss\n", out)

    def test_not_told(self):
        status, out = self.check(SORT, sources=["char array[5000];\n", SMALL, LARGE])
        self.assertEqual(status, 1)
        self.assertIn("small lies behind array; mark array __large_bss\n", out)
        self.assertIn("1 offences", out)

    def test_between(self):
        middle = LARGE.replace("5000", "700").replace("large[", "middle[")
        self.assertEqual(self.check(SORT, sources=[LARGE, middle, SMALL])[0], 0)

    def test_no_symbols(self):
        status, out = self.check("-s", sources=["static int unused;\n"])
        self.assertNotEqual(status, 0)
        self.assertIn("/library.so: no symbols", out)


if __name__ == "__main__":
    unittest.main()
