#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs bench/memory/bench_memory.py with small loads: is every figure there, and can it be true?

    run_memory.py LIBRARY
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench/memory/bench_memory.py"
LOADS = ["cache-server", "phase-changes", "compiler", "web-server", "json", "producer", "peak",
         "turns"]
LIBRARY = None


def bench(*words):
    return subprocess.run([sys.executable, BENCH, "--library", LIBRARY, "--rest", "0",
                           "--divisor", "200", "--rounds", "1", *words],
                          text=True, capture_output=True, timeout=200)


class Memory(unittest.TestCase):
    def test_all_loads(self):
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "memory.json"
            done = bench("--only", "usermm,glibc", "--json", output)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(output.read_text())
        self.assertEqual(list(result["loads"]), LOADS)
        self.assertTrue(result["machine"]["model"])
        for load, allocators in result["loads"].items():
            self.assertEqual(sorted(allocators), ["glibc", "usermm"])
            for name, runs in allocators.items():
                with self.subTest(load=load, allocator=name):
                    self.check_run(runs[0])
            live = {runs[0]["live"] for runs in allocators.values()}
            self.assertEqual(len(live), 1, "a load does the same under every allocator")
            lines = [line for line in done.stdout.splitlines() if line.startswith(load + " ")]
            self.assertEqual(len(lines), 2)

    def check_run(self, run):
        self.assertGreater(run["live"], 0)
        self.assertGreaterEqual(run["peak"], run["resident"] // 2)
        self.assertGreater(run["faults"], 50)
        self.assertGreater(len(run["samples"]), 0)
        times = [sample[0] for sample in run["samples"]]
        self.assertEqual(times, sorted(times))

    def test_wrong_words(self):
        for words, says in ((["nosuch"], "there are cache-server"),
                            (["--only", "nosuch"], "no allocator is called nosuch")):
            done = bench(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    LIBRARY = sys.argv.pop()
    unittest.main()
