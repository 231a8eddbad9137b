#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/module/run_upstream.py take its tests from the given archive?"""
import contextlib
import io
import os
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "module"))

import kernel_tests_table  # noqa: E402
import run_upstream  # noqa: E402

NAMES = ["lib/one.c", "include/linux/one.h"]


class Unpack(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)
        self.archive = self.scratch / "linux-source-6.12.tar.xz"
        self.build = self.scratch / "build"
        tests = mock.patch.object(run_upstream, "TESTS", [(NAMES, [], "", None)])
        tests.start()
        self.addCleanup(tests.stop)

    def write_archive(self, content, names, mtime):
        source = self.scratch / "linux-source-6.12"
        for name in names:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_text(content)
        with tarfile.open(self.archive, "w:xz") as tar:
            for name in names:
                tar.add(source / name, f"{source.name}/{name}")
        os.utime(self.archive, (mtime, mtime))

    def contents(self):
        folder = run_upstream.unpack(self.archive, self.build)
        return {str(path.relative_to(folder)): path.read_text()
                for path in folder.rglob("*") if path.is_file()}

    def test_another_archive_of_the_same_name(self):
        for mtime, content in ((1000, "old"), (2000, "new"), (1000, "old")):
            self.write_archive(content, NAMES, mtime)
            self.assertEqual(self.contents(), dict.fromkeys(NAMES, content))

    def test_the_archive_is_read_once(self):
        self.write_archive("text", NAMES, 1000)
        self.contents()
        with mock.patch("tarfile.open", side_effect=AssertionError("read again")):
            self.assertEqual(self.contents(), dict.fromkeys(NAMES, "text"))

    def test_sets_of_headers_stay_apart(self):
        names = [["include/linux/one.h"], ["include/linux/two.h"]]
        self.write_archive("text", [*NAMES, names[1][0]], 1000)
        folder = run_upstream.unpack(self.archive, self.build)
        (folder / names[1][0]).write_text("text")
        first, second = (run_upstream.headers_first(folder, some) for some in names)
        self.assertEqual([path.name for path in second.rglob("*.h")], ["two.h"])
        self.assertNotEqual(first, second)

    def test_a_file_is_missing(self):
        self.write_archive("text", NAMES[:1], 1000)
        with self.assertRaisesRegex(SystemExit, "lacks include/linux/one.h"):
            self.contents()


class Table(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.document = Path(scratch.name) / "table.md"
        self.document.write_text(f"before\n{kernel_tests_table.BEGIN}old\n"
                                 f"{kernel_tests_table.END}after\n")

    def test_it_is_written_between_its_marks(self):
        rows = [kernel_tests_table.row(["lib/a.c", "include/linux/a.h"], ["n=1"], None,
                                       "all 3 tests passed"),
                kernel_tests_table.row(["lib/b.c", "tests/x/c.c"], [], "a thing", "")]
        self.assertEqual(rows, ["| lib/a.c | `n=1` | unchanged | 3 of 3 |\n",
                                "| lib/b.c | c.c | not yet: a thing | |\n"])
        kernel_tests_table.write(rows, self.document)
        self.assertEqual(kernel_tests_table.compare(rows, self.document), [])
        text = self.document.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertNotIn("old", text)

    def test_what_differs_is_told(self):
        kernel_tests_table.write(["| lib/a.c | | unchanged | |\n"], self.document)
        self.assertEqual(kernel_tests_table.compare(["| lib/b.c | | unchanged | |\n"],
                                                    self.document),
                         ["not listed: | lib/b.c | | unchanged | |\n",
                          "not seen: | lib/a.c | | unchanged | |\n"])

    def test_cases(self):
        for output, cases in (
                ("# Totals: pass:2 fail:0 skip:1 total:3\n# Totals: pass:4 fail:0 total:4\n",
                 "6 of 7"),
                ("IDA: 7 of 8 tests passed", "7 of 8"),
                ("    ok 1 a\n    not ok 2 b\n", "1 of 2"),
                ("Summary: a passed: 1 failed: 0 repeat\nSummary: b passed: 0 failed: 1 r",
                 "1 of 2"), ("through", "")):
            self.assertEqual(kernel_tests_table.cases(output), cases)


class Main(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def run_main(self, archive):
        arguments = ["run_upstream.py", self.usermm(), str(archive), "--build",
                     str(self.scratch)]
        with mock.patch.object(sys, "argv", arguments), \
                mock.patch.object(run_upstream, "unpack", return_value=self.scratch), \
                mock.patch.object(run_upstream, "TESTS",
                                  [(["lib/crash.c"], [], "fine", None),
                                   (["lib/fine.c"], [], "fine", None)]), \
                mock.patch.object(run_upstream, "table_is_right", return_value=True), \
                contextlib.redirect_stdout(io.StringIO()) as output:
            return run_upstream.main(), output.getvalue()

    def usermm(self):
        """Stands in for the command: crashes if the source's name says so."""
        script = self.scratch / "usermm"
        script.write_text("#!/bin/sh\ncase \"$*\" in *crash.c) kill -SEGV $$;; esac\necho fine\n")
        script.chmod(0o755)
        return str(script)

    def test_a_crash_does_not_hide_the_others(self):
        archive = self.scratch / "linux-source-6.12.tar.xz"
        archive.touch()
        status, output = self.run_main(archive)
        self.assertEqual(status, 1)
        self.assertRegex(output, r"lib/crash.c +FAILED")
        self.assertRegex(output, r"lib/fine.c +passed")

    def test_a_missing_archive_names_its_package(self):
        with self.assertRaisesRegex(SystemExit, "install Debian's package linux-source-6.12"):
            self.run_main(self.scratch / "linux-source-6.12.tar.xz")

    def test_an_archive_of_an_unknown_kernel(self):
        archive = self.scratch / "linux-source-5.10.tar.xz"
        archive.touch()
        with self.assertRaisesRegex(SystemExit, "only linux-source-6.12 and linux-source-7.3"):
            self.run_main(archive)

    def test_rules_of_the_archives_version(self):
        with mock.patch.object(run_upstream, "execute", return_value=(0, "fine", "")) as execute:
            for version in ("6.12", "7.3"):
                run_upstream.run("usermm", self.scratch, (["lib/fine.c"], [], "fine", None),
                                 version)
                self.assertIn(f"--linux={version}", execute.call_args.args[0])


class NewestTests(unittest.TestCase):
    def test_headers_that_nobody_else_has(self):
        for name, wanted in [("include/linux/objpool.h", True), ("include/linux/slab.h", False),
                             ("include/linux/types.h", False), ("include/linux/xarray.h", True),
                             ("lib/crypto/sha3.c", True), ("mm/slab.h", False)]:
            self.assertEqual(run_upstream.upstream_7_3.is_wanted(name), wanted, name)

    def test_what_starts_stands_first(self):
        test = (["lib/test_xarray.c", "tests/kernel/trees/start_radix_tree.c"], [], "fine", None)
        with mock.patch.object(run_upstream, "execute", return_value=(0, "fine", "")) as execute, \
                mock.patch.object(run_upstream, "headers_first", return_value="first"):
            run_upstream.run("usermm", Path("/folder"), test, "7.3")
            self.assertRegex(" ".join(execute.call_args.args[0]), "start_radix_tree.c .*xarray.c$")
            self.assertRegex(execute.call_args.kwargs["CC"], "-Ifirst$")


if __name__ == "__main__":
    unittest.main()
