#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the wheels and installs them as users do.

    run_wheel.py [--wheels FOLDER]     takes the wheels that are in FOLDER

Fetches the build's tools from PyPI. The last line is "N passed, N failed".
"""
import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINE = os.uname().machine
APP = """
import sys, time
import usermm
assert usermm.is_loaded(), "not on usermm"
kept = [bytes(100000) for i in range(100)]
print("ready", flush=True)
sys.stdin.read()
"""
# Each command that `usermm help` lists: which test runs it, or words for test_commands, and what
# these print.
COMMANDS = {
    "run": "test_run_and_look", "top": "test_run_and_look", "inspect": "test_run_and_look",
    "record": "test_run_and_look", "report": "test_run_and_look", "export": "test_run_and_look",
    "control": "test_run_and_look", "profile": "test_profile", "module": "test_module",
    "bench": (["--quick", "quicklist"], "quicklist"),
    "doctor": ([], "usermm "),
    "selftest": ([], "ok"),
    "selftest percpu": (["--help"], "--storm"),
}
PROFILED = "kept = [bytearray(300000 + i) for i in range(400)]"
MUSL_PROGRAM = """#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	/* musl says 17. */
	printf("usable: %zu\\n", malloc_usable_size(malloc(17)));
	return 0;
}
"""


def run(*command, status=0, **more):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600, **more)
    if done.returncode != status:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def make_environment(folder):
    """A fresh virtual environment, and variables as its `activate` sets them."""
    run(sys.executable, "-m", "venv", folder)
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("PYTHON", "USERMM_", "LD_"))}
    return {**env, "PATH": f"{folder}/bin:{env['PATH']}", "VIRTUAL_ENV": str(folder)}


class TestGlibc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wheel = next(WHEELS.glob(f"usermm-*manylinux*_{MACHINE}.whl"))
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.env = make_environment(cls.folder / "venv")
        cls.bin = cls.folder / "venv" / "bin"
        run(cls.bin / "pip", "install", "--no-index", cls.wheel, env=cls.env)
        (cls.folder / "app.py").write_text(APP)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def usermm(self, *arguments, status=0):
        return run("usermm", *arguments, status=status, env=self.env, cwd=self.folder)

    def test_run_and_look(self):
        """As the guide says: run, top, inspect, control, record and report."""
        # By its own path: for pyenv and the like `python` may be a script.
        with subprocess.Popen(["usermm", "run", "-o", "control=on", "--", self.bin / "python",
                               "app.py"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env=self.env, cwd=self.folder,
                              executable=self.bin / "usermm") as app:
            self.assertEqual(app.stdout.readline(), "ready\n")
            pid = str(app.pid)
            self.assertIn(pid, self.usermm("top", "-b", "-n", "1"))
            self.assertIn("malloc-1024", self.usermm("inspect", pid, "caches"))
            self.assertEqual(self.usermm("control", pid, "decay_ms=400"),
                             "decay_ms 400, was 250\n")
            self.usermm("record", pid, "-n", "1", "-o", "app.record")
            self.usermm("report", "app.record", "-o", "app.html")
            self.assertIn("</html>", (self.folder / "app.html").read_text())
            self.check_export(pid)
            app.stdin.close()
            self.assertEqual(app.wait(), 0)

    def check_export(self, pid):
        with subprocess.Popen(["usermm", "export", "--listen", "127.0.0.1:0", pid],
                              stdout=subprocess.PIPE, text=True, env=self.env,
                              executable=self.bin / "usermm") as server:
            url = re.search(r"http://\S+", server.stdout.readline())[0]
            with urllib.request.urlopen(url, timeout=60) as answer:
                self.assertIn(f'pid="{pid}"', answer.read().decode())
            server.terminate()
            self.assertEqual(server.wait(), 0)

    def test_commands(self):
        """No command that is in the help is forgotten in the wheel, or here."""
        listed = re.findall(r"(?m)^  (\w+(?: \w+)?)  +\S", self.usermm("help"))
        self.assertEqual(sorted(listed), sorted(COMMANDS))
        for command, how in COMMANDS.items():
            if isinstance(how, str):
                self.assertTrue(hasattr(self, how), how)
                continue
            words, printed = how
            self.assertIn(printed, self.usermm(*command.split(), *words), command)

    def test_profile(self):
        """Its figures, its page and its form for pprof; the names of functions are there."""
        self.usermm("run", "-o", "profile=64K:profile_file=heap", "--", self.bin / "python", "-c",
                    PROFILED)
        # Which function is in which row depends on the samples.
        table = self.usermm("profile", "heap", "--rows", "1000")
        self.assertIn("Py_BytesMain", table)
        self.usermm("profile", "heap", "heap", "-o", "growth.html")
        self.assertIn("</html>", (self.folder / "growth.html").read_text())
        self.usermm("profile", "heap", "-o", "heap.pb.gz")
        self.assertIn(b"inuse_space", gzip.decompress((self.folder / "heap.pb.gz").read_bytes()))

    def test_module(self):
        """What needs headers says what to install."""
        (self.folder / "ring.c").write_text("int ring;\n")
        done = subprocess.run([self.bin / "usermm", "module", "ring.c"], text=True,
                              capture_output=True, env=self.env, cwd=self.folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.splitlines()), 1, done)
        self.assertIn("usermm module: ", done.stderr)

    def test_python_by_name(self):
        said = self.usermm("run", "--", "python", "-c",
                           "import sys, usermm; print(sys.prefix, usermm.is_loaded())")
        self.assertEqual(said, f"{self.folder}/venv True\n")

    def test_libraries_are_the_wheels(self):
        """The loader takes no library of the system that a policy does not allow."""
        reader = next((self.folder / "venv").rglob("usermm-inspect"))
        for line in run("ldd", reader).splitlines():
            name, _, path = line.strip().partition(" => ")
            if re.match(r"lib(dw|elf|jansson|ncursesw|tinfo|lzma|bz2)", name):
                self.assertIn("/usermm.libs/", path)
        licences = [path.name for path in self.folder.rglob("licenses/*.copyright")]
        for package in ("libdw1", "libelf1", "libjansson4", "libncursesw6"):
            self.assertTrue(any(name.startswith(package) for name in licences), licences)

    def test_tag_is_what_the_objects_need(self):
        tag = re.search(r"manylinux_(\d+)_(\d+)", self.wheel.name)
        newest = (0, 0)
        for path in (self.folder / "venv/lib").rglob("usermm*/**/*"):
            if path.is_file() and path.read_bytes().startswith(b"\x7fELF"):
                for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)",
                                               run("objdump", "--dynamic-syms", path)):
                    newest = max(newest, (int(major), int(minor)))
        self.assertEqual((int(tag[1]), int(tag[2])), newest)
        # pip refuses it where libc is older.
        older = f"manylinux_{newest[0]}_{newest[1] - 1}_{MACHINE}"
        said = run(self.bin / "pip", "install", "--no-index", "--platform", older,
                   "--only-binary=:all:", "--target", self.folder / "older", self.wheel, status=1,
                   env=self.env)
        self.assertIn("is not a supported wheel on this platform", said)

    def test_nothing_is_left(self):
        folder = self.folder / "second"
        env = make_environment(folder)
        before = set(folder.rglob("*"))
        run(folder / "bin/pip", "install", "--no-index", self.wheel, env=env)
        run(folder / "bin/pip", "uninstall", "--yes", "usermm", env=env)
        left = {path for path in set(folder.rglob("*")) - before if "__pycache__" not in str(path)}
        self.assertEqual(left, set())


class TestMusl(unittest.TestCase):
    """There is no Python for musl here, so pip unpacks the wheel for one."""

    def test_run(self):
        wheel = next(WHEELS.glob(f"usermm-*musllinux*_{MACHINE}.whl"))
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            env = make_environment(folder / "venv")
            run(folder / "venv/bin/pip", "install", "--no-index", "--platform",
                f"musllinux_1_2_{MACHINE}", "--only-binary=:all:", "--target", folder / "there",
                wheel, env=env)
            (folder / "program.c").write_text(MUSL_PROGRAM)
            run("musl-gcc", folder / "program.c", "-o", folder / "program")
            command = folder / "there/usermm/bin/usermm"
            self.assertEqual(run(folder / "program"), "usable: 17\n")
            self.assertEqual(run(command, "run", "--", folder / "program"), "usable: 32\n")
            self.assertIn("a libc other than glibc", run(command, "doctor"))
            run(command, "top", "-b", "-n", "1", status=125)


def main():
    global WHEELS
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheels", type=Path)
    args = parser.parse_args()
    WHEELS = args.wheels or ROOT / "build" / "wheel"
    if not shutil.which("musl-gcc"):
        sys.exit("run_wheel: there is no musl-gcc: install musl-tools")
    if not args.wheels:
        subprocess.run([sys.executable, ROOT / "bindings/python/build_wheels.py", "--out", WHEELS],
                       check=True)
    run(WHEELS / "tools/bin/pip", "install", "--quiet", "twine")
    run(WHEELS / "tools/bin/twine", "check", "--strict", *WHEELS.glob("usermm-*"))
    result = unittest.main(argv=[sys.argv[0]], exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
