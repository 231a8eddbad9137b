#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/distros/run_distros.py copy what has changed and no more, and refuse bad input?"""
import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import run_distros


class Copies(unittest.TestCase):
    """Sources without git, as an archive has them, and git's in the same way."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.source = Path(scratch.name) / "source"
        self.root = Path(scratch.name) / "root"
        for name in ("one.c", "src/two.c", "build/made.o", "src/__pycache__/made.pyc"):
            self.write(name, "first")
        (self.source / "link").symlink_to("src")
        self.distro = run_distros.Distro("sid", self.root, Path(scratch.name) / "log")
        self.distro.inside = lambda *_, **__: None
        patch = mock.patch.object(run_distros, "SOURCE", self.source)
        patch.start()
        self.addCleanup(patch.stop)
        self.copy(again=False)
        self.made = self.root / "work/build/made.o"
        self.made.parent.mkdir()
        self.made.write_text("made there")

    def write(self, name, text):
        file = self.source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def copy(self, again):
        self.distro.copy_sources("/work", again)

    def names(self):
        work = self.root / "work"
        return {str(file.relative_to(work)) for file in work.rglob("*")
                if file.is_symlink() or not file.is_dir()}

    def test_what_a_build_makes_is_not_copied(self):
        self.made.unlink()
        self.assertEqual(self.names(), {"one.c", "src/two.c", "link"})
        self.assertTrue((self.root / "work/link").is_symlink())

    def test_again_copies_what_has_changed(self):
        same = (self.root / "work/one.c").stat().st_ino
        os.utime(self.root / "work/one.c", ns=(0, (self.source / "one.c").stat().st_mtime_ns))
        self.write("src/two.c", "other")
        with mock.patch.object(run_distros.shutil, "copy2",
                               side_effect=run_distros.shutil.copy2) as copied:
            self.copy(again=True)
        self.assertEqual([Path(call.args[1]).name for call in copied.call_args_list], ["two.c"])
        self.assertEqual((self.root / "work/src/two.c").read_text(), "other")
        self.assertEqual((self.root / "work/one.c").stat().st_ino, same)
        self.assertEqual(self.made.read_text(), "made there")

    def test_again_removes_what_has_gone(self):
        (self.source / "one.c").unlink()
        (self.source / "link").unlink()
        self.copy(again=True)
        self.assertEqual(self.names(), {"src/two.c", "build/made.o"})

    def test_again_when_files_became_other_kinds(self):
        (self.source / "link").unlink()
        self.write("link", "a file now")
        (self.source / "one.c").unlink()
        self.write("one.c/three.c", "in a folder now")
        (self.source / "src/two.c").unlink()
        (self.source / "src/__pycache__/made.pyc").unlink()
        (self.source / "src/__pycache__").rmdir()
        (self.source / "src").rmdir()
        (self.source / "src").symlink_to("one.c")
        self.copy(again=True)
        self.assertEqual(self.names(), {"link", "one.c/three.c", "src", "build/made.o"})
        self.assertEqual((self.root / "work/link").read_text(), "a file now")
        self.assertEqual((self.root / "work/src").readlink(), Path("one.c"))
        (self.source / "src").unlink()
        (self.source / "src").symlink_to("build")
        self.copy(again=True)
        self.assertEqual((self.root / "work/src").readlink(), Path("build"))

    def test_a_fresh_copy_keeps_nothing(self):
        self.copy(again=False)
        self.assertFalse(self.made.exists())


class Input(unittest.TestCase):
    def refused(self, *arguments):
        with mock.patch.object(sys, "argv", ["run_distros.py", *arguments]), \
                contextlib.redirect_stderr(io.StringIO()) as said, \
                self.assertRaises(SystemExit) as ended:
            run_distros.main()
        self.assertEqual(ended.exception.code, 2)
        return said.getvalue()

    def test_match_is_for_tests(self):
        for arguments in (("--short",), ("--only", "headers")):
            self.assertIn("--match chooses tests", self.refused("--match", "x", *arguments))

    def test_steps(self):
        self.assertIn("invalid choice: 'test'", self.refused("--only", "test"))
        self.assertIn("not allowed with", self.refused("--short", "--only", "tests"))


if __name__ == "__main__":
    unittest.main()
