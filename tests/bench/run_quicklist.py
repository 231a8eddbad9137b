#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs `usermm bench quicklist`: are all rows there, with and without the recorded compile?

    run_quicklist.py USERMM

Only figures that do not depend on the machine are compared.
"""
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
TRACE = PROJECT / "bench" / "loads" / "compile.mmtrace.tar.xz"
LIMIT_SECONDS = 280

LEVELS = ["pte", "pmd", "pud", "pgd"]
FIELDS = {"name", "step", "cycles", "ns", "path", "load", "count", "total_ns", "min_ns", "avg_ns",
          "max_ns", "free_avg_ns"}
PAIRS = {(name, path, step) for step in (1, 32)
         for name, path in (("hit", "quicklist"), ("pgd_pair", "quicklist"),
                            ("pgd_pair", "page_allocator"), ("zeroed_page", "page_allocator"),
                            ("mmap_page", "mmap"), ("calloc_page", "glibc"))}

USERMM = None


def unpacked():
    with tarfile.open(TRACE) as archive:
        return archive.extractfile("compile.mmtrace").read()


class Quicklist(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / "bin" / "usermm"
        self.program.parent.mkdir()
        shutil.copy2(USERMM, self.program)

    def run_suite(self, *flags):
        """The rows, and the text for people."""
        output = self.folder / "rows.json"
        result = subprocess.run([self.program, "bench", *flags, "quicklist", "--json", output],
                                text=True, capture_output=True, timeout=LIMIT_SECONDS)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(output.read_text())["suites"]["quicklist"], result.stdout

    def check(self, rows, *loads):
        tables = [row for row in rows if "load" in row]
        self.assertEqual([(row["load"], row["path"], row["name"]) for row in tables],
                         [(load, path, name) for load in loads
                          for path in ("page_allocator", "quicklist") for name in [*LEVELS, "all"]])
        for row in tables:
            self.assertLessEqual(FIELDS, set(row))
            self.assertEqual("hit_rate" in row, row["path"] == "quicklist")
            self.assertLessEqual(row["min_ns"], row["avg_ns"])
            self.assertLessEqual(row["avg_ns"], row["max_ns"])
            self.assertAlmostEqual(row["avg_ns"] * row["count"] / (row["total_ns"] or 1), 1, 3)
        self.assertEqual({(row["name"], row["path"], row["step"])
                          for row in rows if "load" not in row}, PAIRS)
        return {(row["load"], row["path"], row["name"]): row["count"] for row in tables}

    def test_installed(self):
        share = self.folder / "share" / "usermm"
        share.mkdir(parents=True)
        (share / "compile.mmtrace").write_bytes(unpacked())
        rows, out = self.run_suite("--quick")
        counts = self.check(rows, "compile", "forks")
        for load in ("compile", "forks"):
            for name in [*LEVELS, "all"]:       # it is the same load
                self.assertEqual(counts[load, "page_allocator", name],
                                 counts[load, "quicklist", name])
        self.assertIn("a compile: ", out)
        self.assertIn("| seed 452436 573.4ms(8ns/1.3us/121.1us)", out)

    def test_without_the_trace(self):
        rows, out = self.run_suite()
        self.check(rows, "forks")
        self.assertIn("no compile: its trace was not found", out)

    def test_with_a_broken_trace(self):
        trace = unpacked()
        path = self.program.parent / "compile.mmtrace"
        path.write_bytes(trace[:-1])
        rows, out = self.run_suite("--quick")
        self.check(rows, "forks")
        self.assertIn(f"no compile: {path.resolve()}: its checksum is wrong\n", out)


if __name__ == "__main__":
    USERMM = sys.argv.pop(1)
    unittest.main()
