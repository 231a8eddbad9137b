#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/kernel/trees/run_trees.py report what failed, and whose failure it is?"""
import argparse
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernel" / "trees"))

import kernel_source  # noqa: E402
import run_trees  # noqa: E402

PASSES = "echo 'XArray: 7 of 7 tests passed'"
CRASHES = "echo 'BUG at check_one:12 (1)'; kill -ABRT $$"
LEAVES_ONE = f"{PASSES}; echo 'nr_allocated = 1'"
HALF = "echo 'XArray: 6 of 7 tests passed'"
RACES = "echo 'BUG at run_check_rcu_slowread:35075 (1)'; kill -ABRT $$"


class Verdicts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def tree(self, name, programs):
        folder = self.scratch / name / "tools" / "testing" / "trees"
        folder.mkdir(parents=True, exist_ok=True)
        for program, script in programs.items():
            (folder / program).write_text(f"#!/bin/sh\n{script}\n")
            (folder / program).chmod(0o755)
        return self.scratch / name

    def run_suites(self, ours, theirs):
        suites = [(name, "trees", [], f"XArray: {run_trees.ALL_PASSED}", False) for name in ours]
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            failed = run_trees.run_suites(self.tree("ours", ours),
                                          lambda: self.tree("theirs", theirs), suites,
                                          argparse.Namespace(compare=False, runs=1))
        return failed, output.getvalue()

    def test_a_crash_does_not_hide_the_others(self):
        failed, output = self.run_suites({"a": CRASHES, "b": PASSES}, {"a": PASSES, "b": PASSES})
        self.assertEqual(failed, 1)
        self.assertRegex(output, r"(?m)^a +FAILED  status -6: BUG at check_one:12 \(1\)$")
        self.assertRegex(output, r"(?m)^b +passed  XArray: 7 of 7 tests passed$")

    def test_what_fails_upstream_is_no_failure_of_ours(self):
        failed, output = self.run_suites({"a": CRASHES}, {"a": CRASHES})
        self.assertEqual(failed, 0)
        self.assertRegex(output,
                         r"(?m)^a +fails on the kernel's own caches as well  status -6: BUG")

    def test_another_failure_than_upstream_is_ours(self):
        failed, output = self.run_suites({"a": LEAVES_ONE}, {"a": CRASHES})
        self.assertEqual(failed, 1)
        self.assertIn("FAILED  status 0: nr_allocated = 1", output)

    def test_not_all_passed(self):
        self.assertEqual(self.run_suites({"a": HALF}, {"a": PASSES})[0], 1)

    def test_a_lost_race_is_run_again(self):
        counter = self.scratch / "counter"
        race_once = f"if [ -e {counter} ]; then {PASSES}; else touch {counter}; {RACES}; fi"
        self.assertEqual(self.run_suites({"a": race_once}, {})[0], 0)
        self.assertEqual(self.run_suites({"a": RACES}, {"a": PASSES})[0], 1)

    def test_it_does_not_end(self):
        with mock.patch.object(run_trees, "LIMIT_SECONDS", 0.2):
            failed, output = self.run_suites({"a": "exec sleep 50", "b": PASSES}, {"a": PASSES})
        self.assertEqual(failed, 1)
        self.assertIn("FAILED  not through in", output)

    def test_a_missing_package_is_named(self):
        with self.assertRaisesRegex(SystemExit, "^[^\n]*install the package linux-source-6.12$"):
            kernel_source.need_archive(self.scratch / "linux-source-6.12.tar.xz")
        with self.assertRaisesRegex(SystemExit, "^[^\n]*install the package libnone-dev$"):
            kernel_source.need_header(run_trees.COMPILER, "none/none.h", "libnone-dev")


if __name__ == "__main__":
    unittest.main()
