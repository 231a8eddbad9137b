#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the seeds' benchmarks (bench/module) through `usermm module`, with few loops.

    run_bench.py USERMM

They must print the lines of the seeds' own programs, have all rows that the comparison with Linux
reads, and leave nothing behind.
"""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools" / "linux"))

from compare_linux import SHORT, rows_of  # noqa: E402
from seeds import KMALLOC, KMALLOC_ALL_CPUS, ROWS  # noqa: E402

USERMM = None
LIMIT_SECONDS = 300
# "[    0.123456] module: text", of which the text counts.
TIME = re.compile(r"^\[ *\d+\.\d{6}\] (?:\w+: )?", re.MULTILINE)


def run(name, *params, cpus=None, version="7.3"):
    env = {**os.environ, **({"USERMM_KERNEL_CPUS": str(cpus)} if cpus else {})}
    source = PROJECT / "bench" / "module" / f"{name}.c"
    result = subprocess.run([USERMM, "module", f"--linux={version}", source, *params],
                            text=True, capture_output=True, timeout=LIMIT_SECONDS, env=env)
    return result.returncode, TIME.sub("", result.stdout), result.stderr


def keys(suite, version="7.3"):
    return {row.usermm_key for row in ROWS if row.suite == suite and row.exists_in(version)}


class Modules(unittest.TestCase):
    def check(self, name, pattern, *params, **how):
        """Its rows; the pattern is all that it says without them."""
        status, out, err = run(name, *SHORT[name], "rows=1", *params, **how)
        self.assertEqual((status, err), (0, ""), out)
        lines = [line for line in out.splitlines() if not line.startswith("row ")]
        self.assertRegex("\n".join(lines) + "\n", f"^{pattern}$")
        return rows_of(out)

    def test_page_alloc(self):
        variant = (r"Testing with {}\nStarting 2,000 allocations\.\.\.\n"
                   r"Completed\. Time: \d+ us \(Avg: \d+\.\d\d ns per alloc\+free loop\)\n")
        rows = self.check("page_alloc_test", variant.format("GFP_KERNEL") +
                          variant.format(r"GFP_KERNEL \| __GFP_COMP") + "Test completed\n")
        self.assertEqual(set(rows), keys("page-alloc"))

    def test_page_bulk(self):
        # The calls for lists are gone in the newer one.
        for version, lines in (("6.12", 21), ("7.3", 11)):
            rows = self.check("page_bench04_bulk", r"(Type:\w+ Per elem: \d+ cycles\(tsc\) "
                              rf"\d+\.\d{{3}} ns \(step:\d+\)\n){{{lines}}}", version=version)
            self.assertEqual(set(rows), keys("page-bulk", version))

    def slab(self, extra, *params, cpus):
        stream = r"(500 times kmalloc\(\d+\) -> \d+ cycles kfree -> \d+ cycles\n){12}"
        pair = r"(500 times kmalloc\(\d+\)/kfree -> \d+ cycles\n){12}"
        return self.check("slab_test", "Single thread testing\n"
                          "1. Kmalloc: Repeatedly allocate then free test\n" + stream +
                          "2. Kmalloc: alloc/free test\n" + pair + extra, *params, cpus=cpus)

    def test_slab_on_one_cpu(self):
        rows = self.slab("", cpus=1)
        self.assertEqual({name for name, _ in rows}, {"alloc", "free", "pair", "pair16"})
        self.assertEqual({step for _, step in rows}, set(KMALLOC))

    def test_slab_on_all_cpus(self):
        line = r"(?:{}\(\d+\):( \d+=\d+/\d+){{3}} Average=\d+/\d+\n){{10}}".format
        rows = self.slab("Concurrent allocs\n" + line(r"Kmalloc N\*alloc N\*free") +
                         line(r"Kmalloc N\*\(alloc free\)") + "Remote free test\n" +
                         line(r"N\*remote free") + "1 alloc N free test\n" +
                         line("1 alloc N free"), cpus=3)
        self.assertEqual({name for name, _ in rows},
                         {"alloc", "free", "pair", "pair16", *KMALLOC_ALL_CPUS})
        self.assertLessEqual(set(rows), keys("kmalloc"))

    def test_page_tables(self):
        level = r"\w+_alloc \d+ [\d.]+[mu]?s\(\d+ns/[\d.]+[nu]s/[\d.]+[nmu]s\)\n"
        pair = r"zeroed page, {}, \d+ at a time: \d+ cycles\n".format
        rows = self.check("pagetable_test",
                          f"no quicklist\n(?:{level}){{4}}quicklist\n(?:{level}){{4}}"
                          f"(?:{pair('page_allocator')}){{2}}(?:{pair('quicklist')}){{2}}")
        self.assertEqual(set(rows), keys("quicklist"))

    def test_parameters_out_of_range(self):
        for name, param in (("page_alloc_test", "loops=0"), ("page_bench04_bulk", "loops=255"),
                            ("slab_test", "loops=15"), ("slab_test", "loops=10001"),
                            ("pagetable_test", "lifetimes=0"), ("pagetable_test", "pairs=31")):
            with self.subTest(name, param=param):
                status, out, err = run(name, param)
                self.assertEqual((status, out), (22, ""), err)

    def test_rows_are_for_those_who_ask(self):
        self.assertNotIn("row ", run("page_alloc_test", "loops=100")[1])

    def test_plain_program_and_module(self):
        result = subprocess.run([sys.executable, PROJECT / "tools" / "compare_module.py",
                                 "--build", Path(USERMM).parent, "--runs", "1", "--short"],
                                text=True, capture_output=True, timeout=LIMIT_SECONDS)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("median of the ratios"), 4, result.stdout)


if __name__ == "__main__":
    USERMM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
