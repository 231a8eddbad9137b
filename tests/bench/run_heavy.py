#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the programs of bench/heavy with little work: is every figure there, and is it possible?

    run_heavy.py LIBRARY
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "bench/heavy"
LIBRARY = None


def bench(*words):
    return subprocess.run([sys.executable, FOLDER / "bench_heavy.py", "--library", LIBRARY,
                           "--divisor", "500", "--rounds", "1", *words],
                          text=True, capture_output=True, timeout=300)


class Heavy(unittest.TestCase):
    def test_all_programs(self):
        """bench_heavy.py itself compares the sums: they are equal under both allocators."""
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "heavy.json"
            done = bench("--only", "glibc", "--json", output)
            self.assertEqual(done.returncode, 0, done.stderr)
            programs = json.loads(output.read_text())["programs"]
        self.assertEqual(len(programs), 18)
        for program, allocators in programs.items():
            self.assertEqual(sorted(allocators), ["glibc", "usermm"])
            for name, costs in allocators.items():
                with self.subTest(program=program, allocator=name):
                    self.assertEqual(len(costs), 1)
                    self.assertGreaterEqual(costs[0]["seconds"], costs[0]["system"])
                    self.assertGreater(costs[0]["peak"], 500)
            self.assertEqual(sum(line.startswith(program + " ") for line in
                                 done.stdout.splitlines()), 2, "time, and peak")

    def test_wrong_words(self):
        for words, says in ((["nosuch"], "there are replace-small"),
                            (["--only", "nosuch"], "no allocator nosuch; there are usermm"),
                            (["--only", "usermm"], "nothing to compare with"),
                            (["--rounds", "0"], "0 is not above 0"),
                            (["--divisor", "-1"], "-1 is not above 0"),
                            (["--peers", "/none"], "/none is no folder"),
                            (["--json", "/none/x"], "/none/x: No such file")):
            done = bench(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(1)
    unittest.main()
