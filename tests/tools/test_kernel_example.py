#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the example of docs/kernel-code.md do what is said of it?

    test_kernel_example.py USERMM

The source and the commands are taken from the text, as a reader would paste them.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "kernel-code.md"
USERMM = Path(sys.argv.pop(1)).resolve()


class Example(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        text = PAGE.read_text()
        (self.folder / "ring.c").write_text(re.search(r"```c\n(.*?)```", text, re.S)[1])
        commands = re.search(r"```sh\n(build/usermm .*?)```", text, re.S)[1].splitlines()
        self.plain, self.debugged, self.failing = commands
        (self.folder / "build").symlink_to(USERMM.parent)

    def run_line(self, line):
        # The examples use the tool as it is after `make build`.
        self.assertTrue(line.startswith("build/usermm "), line)
        environment = {name: value for name, value in os.environ.items()
                       if name != "USERMM_OPTIONS"}
        return subprocess.run(["sh", "-c", line.replace("build/usermm", f"build/{USERMM.name}", 1)],
                              cwd=self.folder, text=True, capture_output=True, timeout=200,
                              env=environment)

    def test_it_passes(self):
        said = re.search(r"# ends with: (.*)", self.plain)[1]
        result = self.run_line(self.plain)
        everything = f"{result.stdout}{result.stderr}"
        self.assertEqual(result.returncode, 0, everything)
        self.assertIn(f"\n{said}\n", result.stdout)
        self.assertRegex(result.stdout, r"\] objects of \d+ bytes")
        self.assertNotIn("leak", result.stderr)

    def test_with_debugging(self):
        result = self.run_line(self.debugged)
        self.assertEqual(result.returncode, 0, f"{result.stdout}{result.stderr}")
        self.assertNotIn("BUG", result.stdout)

    def test_with_faults(self):
        result = self.run_line(self.failing)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("not ok 1 ring", result.stdout)
        self.assertIn("FAULT_INJECTION", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
