#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of README.md that run a program, and those of `make run`, do what is said of them.

    run_readme.py USERMM

They are taken from the texts, as a reader would paste them. Programs that are not installed are
skipped, and so is what other tests run at length: benchmarks and servers.
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USERMM = Path(sys.argv.pop(1)).resolve()
PROGRAMS = ("python3", "sqlite3")


def commands_of(name):
    """Lines that begin with build/usermm run; a line that ends in a backslash goes on."""
    text = (ROOT / name).read_text().replace("\\\n", " ").replace("$$", "$")
    lines = re.findall(r"^(?:\t[A-Z]+=\S+ +|\t)?build/usermm run .*$", text, re.M)
    return [line.strip() for line in lines]


class Commands(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "build").mkdir()
        for file in USERMM.parent.glob("*usermm*"):
            (self.folder / "build" / file.name).symlink_to(file)
        (self.folder / "build" / "usermm").unlink(missing_ok=True)
        (self.folder / "build" / "usermm").symlink_to(USERMM)
        (self.folder / "examples").symlink_to(ROOT / "examples")
        (self.folder / "script.py").write_text("print(sum(range(10 ** 5)))\n")
        if shutil.which("sqlite3"):
            subprocess.run(["sqlite3", "my.db", "create table t(a); insert into t values (1)"],
                           cwd=self.folder, check=True)

    def check(self, name, least):
        commands = commands_of(name)
        self.assertGreaterEqual(len(commands), least, name)
        for command in commands:
            program = next(word for word in PROGRAMS if word in command)
            if not shutil.which(program):
                print(f"skipped: there is no {program}")
                continue
            done = subprocess.run(["sh", "-ec", command], cwd=self.folder, text=True,
                                  capture_output=True, timeout=200)
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
            if "stats=1" in command:
                self.assertIn("slabinfo", done.stdout + done.stderr, command)

    def test_readme(self):
        self.check("README.md", 2)

    def test_make_run(self):
        self.check("Makefile", 2)


if __name__ == "__main__":
    unittest.main()
