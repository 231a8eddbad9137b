#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/tools/check_test_names.py see files whose test is not found, and only these?"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "check_test_names.py"
LIST = "tests/tested_where.txt"
FILES = ["src/page/a.c", "src/page/api/b.c", "src/malloc/c.c", "tests/page/test_a.c",
         "tests/malloc_core/test_c.cc", "tests/page/run_all.py", "tests/slab/test_a.c",
         "tests/slab/test_b.c"]
CMAKE = """
add_test(NAME page/both COMMAND one)
\tadd_test(NAME
\t\tpage/more COMMAND one)
add_test(NAME page/more_${kind} COMMAND one)
add_test(NAME page/each:${mode} COMMAND one)
usermm_add_test(page/ways COMMAND one)
# add_test() has NAME page/other
"""


class TestNames(unittest.TestCase):
    def check(self, *lines, without=(), files=()):
        """The exit status and the output for files, and a list with these lines."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in set(FILES).union(files).difference(without):
                root.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
                root.joinpath(name).write_text("")
            root.joinpath("tests").mkdir(exist_ok=True)
            root.joinpath(LIST).write_text("".join(f"{line}\n" for line in lines))
            root.joinpath("cmake").mkdir()
            root.joinpath("cmake/tests.cmake").write_text(CMAKE)
            done = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout.splitlines()

    def assert_good(self, result):
        self.assertEqual((result[0], len(result[1])), (0, 1), result[1])

    def assert_offence(self, result, place, *parts):
        """There is one offence, at that place, and its line has these parts."""
        status, lines = result
        self.assertEqual((status, len(lines)), (1, 2), lines)
        self.assertTrue(lines[0].startswith(f"{place}: "), lines)
        for part in parts:
            self.assertIn(part, lines[0])
        self.assertIn(" 1 offences", lines[1])

    def test_good(self):
        self.assert_good(self.check("# Text: of any kind", "", "src/page/api/b.c: page/test_a"))
        self.assert_good(self.check(files=["tests/page/test_b.c"]))
        self.assert_good(self.check(files=["tests/page/api/test_b.c"]))
        self.assert_good(self.check("src/page/api/b.c: page/test_z",
                                    files=["tests/page/stress/test_z.c"]))

    def test_nothing(self):
        self.assertEqual(self.check(without=FILES)[0], 1, "nothing was looked at")

    def test_missing(self):
        """A test of another layer, tests/slab/test_b.c, is not the file's."""
        self.assert_offence(self.check(), "src/page/api/b.c", "no test of its name",
                            "write tests/page/test_b.c", f"add a line to {LIST}")
        self.assert_offence(self.check("src/page/api/b.c: page/test_a",
                                       without=["tests/malloc_core/test_c.cc"]),
                            "src/malloc/c.c", "no test of its name")

    def test_same_name_twice(self):
        """In two folders of a layer; two layers may have tests of the same name."""
        self.assert_offence(self.check("src/page/api/b.c: page/test_a",
                                       files=["tests/page/z/test_a.c"]),
                            "tests/page/z/test_a.c", "tests/page/test_a.c has the same name",
                            "rename one")

    def test_tests_that_exist(self):
        for name in ("page/test_a", "page/run_all", "malloc_core/test_c", "page/both", "page/more",
                     "page/ways"):
            self.assert_good(self.check(f"src/page/api/b.c: {name}"))
        for name in ("page/test_b", "page/test_a.c", "page/other", "page/more_", "page/each",
                     "page/mor"):
            self.assert_offence(self.check(f"src/page/api/b.c: page/test_a {name}"), f"{LIST}:1",
                                f"{name} is no test", "name a file in tests/")

    def test_out_of_date(self):
        line = "src/page/api/b.c: page/test_a"
        self.assert_offence(self.check(line, "src/page/b.c: page/test_a"), f"{LIST}:2",
                            "src/page/b.c does not exist", "delete the line")
        self.assert_offence(self.check(line, "src/page/a.c: page/run_all"), f"{LIST}:2",
                            "has a test of its name, tests/page/test_a.c", "delete the line")
        self.assert_offence(self.check(line, "", line), f"{LIST}:3", "is in line 1, too",
                            "make one line")

    def test_number_of_tests(self):
        line = "src/page/api/b.c:" + " page/test_a" * 3
        self.assert_good(self.check(line))
        self.assert_offence(self.check(line + " page/both"), f"{LIST}:1", "has 4 tests",
                            "name one to 3")
        self.assert_offence(self.check("src/page/api/b.c:"), f"{LIST}:1", "has 0 tests")

    def test_form(self):
        self.assert_offence(self.check("src/page/api/b.c: page/test_a", "page/test_a"),
                            f"{LIST}:2", "write src/LAYER/FILE.c")


if __name__ == "__main__":
    unittest.main()
