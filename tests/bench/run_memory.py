#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the programs of bench/memory with small loads: is every figure there, and is it possible?

    run_memory.py LIBRARY
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "bench/memory"
BENCH = FOLDER / "bench_memory.py"
sys.path.insert(0, str(FOLDER))
import bench_memory        # noqa: E402

CGROUP = FOLDER / "smallest_cgroup.py"
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
                            (["--only", "nosuch"], "no allocator is called nosuch"),
                            (["--rounds", "0"], "0 is not above 0"),
                            (["--divisor", "-1"], "-1 is not above 0"),
                            (["--peers", "/none"], "/none is no folder"),
                            (["--json", "/none/x"], "/none/x: No such file")):
            done = bench(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, done.stderr)

    def test_peers(self):
        """Each library of the folder has a name of its own; tcmalloc's has its tunable."""
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text).resolve()
            for name in "libglibc.so.2", "libtcmalloc-google.so", "versions.txt":
                (folder / name).touch()
            (folder / "deeper").mkdir()
            (folder / "deeper/libglibc.so").touch()
            found = bench_memory.allocators(Path(LIBRARY), folder)
            self.assertEqual({name: path for name, path in found.items() if text in path},
                             {"glibc-new": f"{folder}/libglibc.so.2",
                              "tcmalloc-google": f"{folder}/libtcmalloc-google.so"})
        environment = bench_memory.environment_of(found["tcmalloc-google"])
        self.assertEqual(environment["GLIBC_TUNABLES"], "glibc.pthread.rseq=0")
        self.assertNotIn("GLIBC_TUNABLES", bench_memory.environment_of(found["glibc-new"]))
        self.assertNotIn("LD_PRELOAD", bench_memory.environment_of(""))

    def test_no_matplotlib(self):
        """The figures come, and one line says why no pictures do."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "matplotlib.py").write_text("raise ImportError\n")
            done = subprocess.run([sys.executable, BENCH, "--library", LIBRARY, "--rest", "0",
                                   "--divisor", "200", "--rounds", "1", "--only", "glibc",
                                   "--plot", folder + "/pictures", "turns"], text=True,
                                  env=os.environ | {"PYTHONPATH": folder}, capture_output=True,
                                  timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no pictures", done.stderr)
        self.assertIn("turns", done.stdout)


class SmallestCgroup(unittest.TestCase):
    MOST = 30

    def test_bisection(self):
        """4 MiB are in use; the program and its libraries need several times as much."""
        done = subprocess.run([sys.executable, CGROUP, "--library", LIBRARY, "--only",
                               "usermm,glibc", "--divisor", "16", "--most", str(self.MOST)],
                              text=True, capture_output=True, timeout=500)
        if "may make no memory cgroups" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split() for line in done.stdout.splitlines()[1:]]
        self.assertEqual([row[1] for row in rows], ["usermm", "glibc"])
        for load, _, live, limit, ratio in rows:
            self.assertEqual(load, "phase-changes")
            self.assertAlmostEqual(float(live), 4, delta=0.2)
            self.assertAlmostEqual(float(limit) / float(live), float(ratio), delta=0.1)
            self.assertGreater(float(ratio), 1)
            self.assertLess(float(ratio), self.MOST)

    def test_no_cgroups(self):
        """Where no cgroup can be made, one line says so."""
        words = ["--library", LIBRARY, "--divisor", "16"]
        done = subprocess.run([sys.executable, "-c", f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
import smallest_cgroup
smallest_cgroup.VERSIONS = ((smallest_cgroup.Path("/nosuch"), "memory.max"),)
sys.argv = ["smallest_cgroup.py", *{words!r}]
smallest_cgroup.main()
"""], text=True, capture_output=True, timeout=200)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("may make no memory cgroups", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    LIBRARY = sys.argv.pop()
    unittest.main()
