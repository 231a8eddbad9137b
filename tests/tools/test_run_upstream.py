#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/module/run_upstream.py take its tests from the archive that is there?"""
import os
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "module"))

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

    def test_a_file_is_missing(self):
        self.write_archive("text", NAMES[:1], 1000)
        with self.assertRaisesRegex(SystemExit, "lacks include/linux/one.h"):
            self.contents()


if __name__ == "__main__":
    unittest.main()
