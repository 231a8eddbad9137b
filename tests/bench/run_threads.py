#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the loads of bench/threads on this machine, with little work: are their figures true?

    run_threads.py LIBRARY
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARY = sys.argv.pop(1)
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench/threads"))
import count_threads        # noqa: E402


def run(program, *words):
    environment = os.environ | {"LD_PRELOAD": LIBRARY, "USERMM_OPTIONS": "stats=1"}
    return subprocess.run([program, *words], env=environment, capture_output=True, text=True,
                          timeout=300, check=False)


class Threads(unittest.TestCase):
    def test_loads(self):
        """All threads do all their work, and the blocks that they exchange are counted."""
        with tempfile.TemporaryDirectory() as folder:
            program = count_threads.build_loads(Path(folder))
            for load, operations in ("hand-over", 2 * 4 * 240), ("sessions", 2 * 4 * 20000):
                done = run(program, load, "4", str(2 * 4 * 300))
                self.assertRegex(done.stdout, rf"(?m)^{operations} -?\d+ -?\d+$", done.stderr)
                # Not every kernel lets a program count system calls.
                text = re.sub(r"(?m)^(\d+) -?\d+ -?\d+$", r"\1 3 4", done.stdout + done.stderr)
                counts = count_threads.parse(text.splitlines(), "5 6", True)
                self.assertAlmostEqual(counts.waits, 3e6 / operations)
                self.assertAlmostEqual(counts.membarriers, 4e6 / operations)
                self.assertAlmostEqual(counts.programs, 5e6 / operations)
                self.assertAlmostEqual(counts.lines, 6e6 / operations)
                self.assertGreater(counts.exchanges, 0)
                self.assertGreater(counts.pages, 0)

    def test_bad_arguments(self):
        with tempfile.TemporaryDirectory() as folder:
            program = count_threads.build_loads(Path(folder))
            for words in ([], ["sessions"], ["sessions", "0", "9999"],
                          ["sessions", "65", "99999"], ["sessions", "4", "300"],
                          ["nosuch", "4", "9999"]):
                done = run(program, *words)
                self.assertEqual(done.returncode, 2, words)
                self.assertIn("usage: loads", done.stderr)
        for words, says in ((["0"], "1 to 64 CPUs, not 0"), (["2", "65"], "1 to 64 CPUs, not 65"),
                            (["--operations", "239"], "takes 240 or more, not 239"),
                            (["--peer", "nosuch.so"], "no file nosuch.so")):
            done = subprocess.run([sys.executable, count_threads.__file__, *words],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)
        with self.assertRaisesRegex(SystemExit, "did not run to its end"):
            count_threads.parse(["Killed"], "5 6", False)
        with self.assertRaisesRegex(SystemExit, "does not count"):
            count_threads.parse(["100 -1 -1"], "5 6", False)
        with self.assertRaisesRegex(SystemExit, "fewer --operations"):
            count_threads.parse(["100 1 1"], "full", False)


unittest.main()
