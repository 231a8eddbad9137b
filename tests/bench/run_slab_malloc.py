#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs `usermm bench` kmalloc, malloc and soak: are all rows there that should be?

    run_slab_malloc.py USERMM

Only figures that do not depend on the machine are compared: cache lines, and the memory that the
soak compares itself.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIMIT_SECONDS = 280

SIZES = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384]
TEAM_SIZES = SIZES[:10]
LINES_SIZES = [8, 64, 256, 1024, 4096]
BULK = [1, 2, 4, 8, 16, 32, 64]
PATHS = ["freelist", "sheaf", "locked", "locked_sheaf"]
PROGRAMS = ["replace-small", "replace-many", "rounds", "bignum", "cubes", "trees", "words", "json",
            "lisp", "strings", "stages", "large", "server", "exchange"]
CPUS = len(os.sched_getaffinity(0))

# An allocator without a function that tells its version.
SHIM = """
#include <stddef.h>
void *__libc_malloc(size_t);
void *malloc(size_t bytes) { return __libc_malloc(bytes); }
"""

USERMM = None


def bench(*words):
    """Exit code, the suites' rows, and the text for people."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "rows.json"
        done = subprocess.run([USERMM, "bench", *words, "--json", output], text=True,
                              capture_output=True, timeout=LIMIT_SECONDS)
        suites = json.loads(output.read_text())["suites"] if output.exists() else {}
    return done.returncode, suites, done.stdout + done.stderr


def has_option(name):
    done = subprocess.run([USERMM, "doctor", "--options"], text=True, capture_output=True,
                          timeout=LIMIT_SECONDS)
    return re.search(rf"^{name}\b", done.stdout, re.MULTILINE) is not None


def has_rseq():
    done = subprocess.run([USERMM, "doctor"], text=True, capture_output=True,
                          timeout=LIMIT_SECONDS)
    return re.search(r"(?m)^per-CPU mode +rseq:", done.stdout) is not None


class Kmalloc(unittest.TestCase):
    def check_path(self, rows, path, out):
        steps = {}
        for row in rows:
            steps.setdefault(row["name"], []).append(row["step"])
            self.assertGreaterEqual(row["cycles"], 0)
        for name in ("alloc", "free", "pair", "pair16"):
            self.assertEqual(steps.pop(name), SIZES, (path, name))
        if CPUS > 1:
            self.assertEqual(steps.pop("remote_free"), SIZES)
            for name in ("concurrent_alloc", "concurrent_free", "concurrent_pair_alloc",
                         "n_remote_alloc", "n_remote_free", "handed_alloc", "handed_free"):
                self.assertEqual(steps.pop(name), TEAM_SIZES, (path, name))
        for name in ("bulk", "bulk_single"):
            self.assertIn(steps.pop(name, BULK), [BULK])
        self.assertEqual(steps, {})
        if "no cache lines" not in out:
            for row in rows:
                if row["name"] == "pair" and row["step"] in LINES_SIZES:
                    parts = [row[f"lines_of_{what}"] for what in ("objects", "pages", "others")]
                    self.assertEqual(row["lines_per_pair"], sum(parts))
                    self.assertGreaterEqual(min(parts[1:]), 1)
                    # No line of a large object is touched: its mark lies in a table.
                    self.assertGreaterEqual(parts[0], 1 if row["step"] <= 512 else 0)

    def test_kmalloc(self):
        code, suites, out = bench("kmalloc", "--quick")
        self.assertEqual(code, 0, out)
        rows = suites["kmalloc"]
        if not has_option("slab_cpu_cache"):
            self.assertEqual(rows, [])
            for path in PATHS:
                self.assertIn(f"path={path}: unknown option 'slab_cpu_cache=", out)
            return
        paths = PATHS if has_rseq() else PATHS[2:]
        self.assertEqual({row["path"] for row in rows}, set(paths))
        for path in paths:
            self.check_path([row for row in rows if row["path"] == path], path, out)
            self.assertIn(f"Single thread testing (path={path};", out)
        self.assertIn("| seed 68/107 -> 41/81]", out)
        self.assertRegex(out, r"(?m)^pair +freelist +sheaf +locked +locked_sheaf"
                              r"   freelist / locked$")
        self.assertEqual("Concurrent allocs" in out, CPUS > 1)

    def test_a_path_that_does_not_exist(self):
        done = subprocess.run([USERMM, "bench-child", "kmalloc", "word"], text=True,
                              capture_output=True, timeout=LIMIT_SECONDS)
        self.assertEqual((done.returncode, done.stdout), (1, "!no such path\n"))


class Malloc(unittest.TestCase):
    """One run with three peers: a copy of usermm, no library, and SHIM."""
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        peers = Path(folder.name)
        shutil.copy(Path(USERMM).parent / "libusermm_malloc.so", peers / "libmimalloc-v3.so")
        (peers / "libmimalloc-v2.so").write_text("no library")
        (peers / "shim.c").write_text(SHIM)
        subprocess.run(["cc", "-shared", "-fPIC", "-O0", "-o", peers / "libsnmallocshim.so",
                        peers / "shim.c"], check=True)
        (peers / "versions.txt").write_text("libother.so 9\nlibsnmallocshim.so crate 0.7.6\n")
        cls.code, cls.suites, cls.out = bench("malloc", "--quick", "--peers", peers)

    def setUp(self):
        self.assertEqual(self.code, 0, self.out)
        self.rows = self.suites["malloc"]

    def test_rows(self):
        found = {row["allocator"] for row in self.rows}
        self.assertLessEqual({"usermm", "glibc", "mimalloc-v3", "snmalloc-new"}, found)
        self.assertNotIn("mimalloc-v2", found)
        self.assertRegex(self.out, "(?m)^mimalloc-v2: the process ended")
        kinds = ["alloc", "free", "pair", "pair16"] + ["remote_free"] * (CPUS > 1)
        for allocator in found:
            steps = [(row["name"], row["step"]) for row in self.rows
                     if row["allocator"] == allocator]
            self.assertEqual(steps, [(kind, size) for kind in kinds for size in SIZES] +
                             [(program, 1) for program in PROGRAMS], allocator)
        for row in self.rows:
            self.assertEqual("against_best" in row, row["allocator"] == "usermm")
            self.assertEqual([f"{sample:.6g}" for sample in row["samples"]],
                             [f"{row['cycles']:.6g}"], row)
        for title in (*kinds, "program, ms", "peak, MiB"):
            self.assertRegex(self.out,
                             rf"(?m)^{title}: geometric mean of usermm / best other \d+\.\d\d$")

    def test_versions(self):
        """The copy of usermm says its version itself; the shim's is on the list."""
        versions = {row["allocator"]: row["version"] for row in self.rows}
        self.assertEqual(versions["mimalloc-v3"], versions["usermm"])
        self.assertEqual(versions["snmalloc-new"], "crate 0.7.6")
        self.assertRegex(versions["glibc"], r"^\d+\.\d+$")
        self.assertIn("snmalloc-new crate 0.7.6", self.out)

    def test_programs(self):
        rows = [row for row in self.rows if row["name"] in PROGRAMS]
        for row in rows:
            self.assertGreater(row["peak_kib"], 500, row)
            self.assertGreater(row["cycles"], 0, row)
            if row["name"] == "large":
                self.assertGreater(row["peak_kib"], 100 << 10)

    def test_unknown_programs(self):
        for part in ("trees/0", "no-such-program/4"):
            done = subprocess.run([USERMM, "bench-child", "malloc", f"{part}:"], text=True,
                                  capture_output=True, timeout=LIMIT_SECONDS)
            self.assertEqual((done.returncode, done.stdout), (1, "!no such program\n"))


@unittest.skipIf(CPUS < 2, "it takes two CPUs")
class Soak(unittest.TestCase):
    def soak(self, *words):
        with tempfile.TemporaryDirectory() as peers:
            return bench("soak", "--seconds", "2", "--live-mib", "250", "--peers", peers, *words)

    def test_soak(self):
        code, suites, out = self.soak()
        self.assertEqual(code, 0, out)
        rows = {row["allocator"]: row for row in suites["soak"]}
        self.assertLessEqual({"usermm", "glibc"}, set(rows))
        row = rows["usermm"]
        self.assertGreater(row["ops_per_second"], 0)
        self.assertAlmostEqual(row["live_bytes"] / (250 << 20), 1, 2)
        self.assertAlmostEqual(row["rss_max_bytes"] / row["live_bytes"], row["rss_to_live"], 3)
        self.assertGreater(row["rss_to_live"], 1)

    def test_too_much_memory_is_a_failure(self):
        code, _, out = self.soak("-o", "slab_debug=ZPU")
        self.assertEqual(code, 1, out)
        self.assertIn("usermm: resident memory is more than 1.25 times what is live\n", out)

    def test_only_if_it_is_named(self):
        done = subprocess.run([USERMM, "help", "bench"], text=True, capture_output=True,
                              timeout=LIMIT_SECONDS)
        self.assertRegex(done.stdout, r"Suite soak\s+runs\s+only\s+if\s+it\s+is\s+named")

    def test_bad_numbers(self):
        for words in (["--seconds=0"], ["--seconds=x"], ["--seconds="], ["--seconds=86401"],
                      ["--live-mib=-1"], ["--live-mib=16385"], ["--live-mib=1M"]):
            code, suites, out = bench("soak", *words)
            self.assertEqual((code, suites), (2, {}), words)
            self.assertIn(f"{words[0].partition('=')[0]} takes 1 to ", out)


if __name__ == "__main__":
    USERMM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
