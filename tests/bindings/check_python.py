#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python package on the command and the library of a build.

    check_python.py BUILD

The package is laid out as a wheel is, in a folder of its own. `make test-wheel` builds wheels and
installs them.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bindings" / "python"
# In a process on usermm: the counter follows the process's own allocations.
INSIDE = """
import usermm
assert usermm.is_loaded()
before = usermm.control("stats.allocated_bytes")
block = bytearray(50 << 20)
assert usermm.control("stats.allocated_bytes") - before >= 50 << 20
del block
assert usermm.control("purge", 0) is None
old = usermm.control("decay_ms", 20000)
assert old != 20000 and usermm.control("decay_ms") == 20000
for name, value, error in (("nothing", None, FileNotFoundError), ("nr_cpus", 7, PermissionError),
                           ("decay_ms", 1, OSError)):
    try:
        usermm.control(name, value)
    except error as caught:
        assert caught.filename == name, caught
    else:
        raise AssertionError(name)
print("inside")
"""


def lay_out(build, folder):
    """As pip does, but the command comes from the build."""
    package = folder / "usermm"
    shutil.copytree(PACKAGE / "src" / "usermm", package)
    for place, file in (("bin", "usermm"), ("lib", "libusermm_malloc.so.0")):
        (package / place).mkdir()
        shutil.copy2(build / file, package / place / file)
    return package


class TestPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.package = lay_out(BUILD, cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def python(self, *arguments, status=0, folder=None, **variables):
        env = {**os.environ, "PYTHONPATH": str(folder or self.folder), **variables}
        env.pop("USERMM_OPTIONS", None)
        done = subprocess.run([sys.executable, *arguments], text=True, capture_output=True, env=env)
        self.assertEqual(done.returncode, status, done)
        return done.stdout, done.stderr

    def test_command(self):
        said, _ = self.python("-m", "usermm", "run", "--", sys.executable, "-c", INSIDE)
        self.assertEqual(said, "inside\n")
        _, errors = self.python("-m", "usermm", "nonsense", status=2)
        self.assertIn("nonsense", errors)

    def test_environment(self):
        script = ("import subprocess, sys, usermm\n"
                  "env = usermm.environment('stats=1')\n"
                  "env = usermm.environment('decay_ms=20000', env)\n"
                  "assert env['USERMM_OPTIONS'] == 'stats=1:decay_ms=20000'\n"
                  "assert usermm.environment(base={'LD_PRELOAD': 'x'})['LD_PRELOAD'] == "
                  "usermm.library() + ':x'\n"
                  "env['LD_PRELOAD'] = usermm.library()\n"
                  "subprocess.run([sys.executable, '-c', 'print(6 * 7)'], env=env, check=True)\n")
        said, errors = self.python("-c", script)
        self.assertEqual(said, "42\n")
        self.assertIn("slabinfo", errors)

    def test_outside(self):
        """In a process without usermm."""
        said, _ = self.python("-c", "import usermm; print(usermm.is_loaded())")
        self.assertEqual(said, "False\n")
        _, errors = self.python("-c", "import usermm; usermm.control('purge', 0)", status=1)
        self.assertIn("RuntimeError: this process does not run on usermm", errors)

    def test_space(self):
        """A folder that LD_PRELOAD cannot name, but `usermm run` can."""
        folder = self.folder / "with space"
        folder.mkdir()
        lay_out(BUILD, folder)
        _, errors = self.python("-c", "import usermm; usermm.environment()", status=1,
                                folder=folder)
        self.assertIn("RuntimeError: ", errors.splitlines()[-1])
        said, _ = self.python("-m", "usermm", "run", "--", sys.executable, "-c",
                              "import usermm; print(usermm.is_loaded())", folder=folder)
        self.assertEqual(said, "True\n")

    def test_missing_command(self):
        folder = self.folder / "without"
        shutil.copytree(PACKAGE / "src", folder)
        _, errors = self.python("-m", "usermm", "doctor", status=1, folder=folder)
        self.assertEqual(len(errors.splitlines()), 1)
        self.assertIn("install the package usermm again", errors)

    def test_sources(self):
        """What the archive for pip is made of is there, and its version is found."""
        links = list((PACKAGE / "source").iterdir())
        self.assertTrue(links)
        for link in links:
            self.assertTrue(link.is_symlink() and link.exists(), link)
        settings = (PACKAGE / "pyproject.toml").read_text()
        pattern = re.search(r"^regex = '(.*)'$", settings, re.M)[1]
        version = re.search(pattern, (ROOT / "CMakeLists.txt").read_text())["value"]
        self.assertIn(f'usermm            {version}\n',
                      subprocess.run([BUILD / "usermm", "doctor"], text=True,
                                     capture_output=True).stdout)


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
