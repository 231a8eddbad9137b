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
        """Answers (exit status, what is printed and said) for a library made of them."""
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
        self.assertIn("/library.so: small lies behind large\n", out)

    def test_not_told(self):
        status, out = self.check(SORT, sources=["char array[5000];\n", SMALL, LARGE])
        self.assertEqual(status, 1)
        self.assertIn("small lies behind array\n", out)
        self.assertIn("1 offences", out)

    def test_between(self):
        middle = LARGE.replace("5000", "700").replace("large[", "middle[")
        self.assertEqual(self.check(SORT, sources=[LARGE, middle, SMALL])[0], 0)

    def test_no_symbols(self):
        status, out = self.check("-s", sources=["static int unused;\n"])
        self.assertNotEqual(status, 0)
        self.assertIn("/library.so: no symbols", out)

    def check_lines(self, *order):
        """Of a library that has these, each with its bytes and alignment, in this order."""
        text = "".join(f"__attribute__((section(\".data.{n}\"), aligned({align}))) "
                       f"char {name}[{size}] = {{1}};\n"
                       for n, (name, size, align) in enumerate(order))
        return self.check(SORT, sources=[text, SMALL])

    def test_two_lines(self):
        self.assertEqual(self.check_lines(("percpu", 48, 64), ("class_limits", 32, 16),
                                          ("slab_mark_key", 8, 64), ("mm_window", 128, 16))[0], 0)

    def test_further_lines(self):
        status, out = self.check_lines(("percpu", 64, 64), ("class_limits", 32, 16),
                                       ("slab_mark_key", 8, 64), ("mm_window", 128, 32))
        self.assertEqual(status, 1)
        self.assertIn("class_limits is not in the line of percpu\n", out)
        self.assertIn("mm_window is not in the line of slab_mark_key\n", out)
        self.assertIn("2 offences", out)

    def test_begun_elsewhere(self):
        status, out = self.check_lines(("other", 16, 64), ("percpu", 48, 16))
        self.assertEqual(status, 1)
        self.assertIn("percpu does not begin a line\n", out)
        status, out = self.check_lines(("class_limits", 32, 16))
        self.assertIn("class_limits is not in the line of percpu\n", out)


if __name__ == "__main__":
    unittest.main()
