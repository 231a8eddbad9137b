#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""If a program cannot be preloaded, `usermm run` says so in one line.

musl's dynamic linker would end such a program. glibc's dynamic linker, under a name of musl's,
stands in for it here.

usage: run_linking.py USERMM COMPILER
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

USERMM, COMPILER = Path(sys.argv[1]).resolve(), sys.argv[2]
SOURCE = """
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return puts(preload && *preload ? "preloaded" : "alone") < 0;
}
"""


class Linking(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="usermm-libc-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        (self.path / "program.c").write_text(SOURCE)

    def build(self, *flags):
        subprocess.run([COMPILER, "program.c", "-o", "program", *flags], cwd=self.path, check=True)

    def run_program(self, program="./program", *before, folder=""):
        """The program's output, and the command's messages. The folder is the first of PATH."""
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("USERMM_OPTIONS", "LD_PRELOAD")}
        environment["PATH"] = f"{folder}:/nowhere:{self.path}:{os.environ['PATH']}"
        done = subprocess.run([USERMM, "run", "--", *before, program], cwd=self.path,
                              env=environment, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip(), done.stderr

    def own_linker(self):
        self.build()
        described = subprocess.run(["readelf", "-lW", "program"], cwd=self.path, check=True,
                                   capture_output=True, text=True,
                                   env={**os.environ, "LC_ALL": "C"}).stdout
        return described.split("program interpreter: ")[1].split("]")[0]

    def check_told(self, name, written, *words):
        """The program does its work, and one line of the command has the words."""
        said, told = self.run_program(name)
        self.assertEqual(said, written)
        self.assertEqual(told.count("\n"), 1, told)
        for word in words:
            self.assertIn(word, told)

    def write_script(self, interpreter):
        script = self.path / "script"
        script.write_text(f"#! {interpreter} -\n")
        script.chmod(0o755)

    def test_own(self):
        self.build()
        self.assertEqual(self.run_program(), ("preloaded", ""))
        self.assertEqual(self.run_program("program"), ("preloaded", ""))

    def test_other(self):
        other = self.path / "ld-musl-test.so.1"
        shutil.copy(self.own_linker(), other)
        self.build(f"-Wl,--dynamic-linker={other}")
        self.write_script(self.path / "program")
        for name in "./program", "program", "./script":
            self.check_told(name, "alone", f"/program needs {other}, and this usermm /")

    def test_static(self):
        """A program that it starts is preloaded nevertheless."""
        for flag in "-static", "-static-pie":
            self.build(flag)
            self.write_script(self.path / "program")
            for name in "./program", "program", "./script":
                self.check_told(name, "preloaded", "/program is static", "libusermm_malloc.a")

    def test_dynamic_linker(self):
        """A dynamic linker as the program: it has no interpreter, like a static program, but it
        preloads."""
        self.build()
        self.assertEqual(self.run_program("./program", self.own_linker()), ("preloaded", ""))

    def test_no_file(self):
        """A FIFO or a folder that has the program's name is no program, and is not opened."""
        for make in os.mkfifo, os.mkdir:
            front = self.path / make.__name__
            front.mkdir()
            make(front / "program", 0o755)
            done = subprocess.run([USERMM, "run", "--", front / "program"], timeout=60,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 126, done)
            self.assertEqual(done.stderr.count("\n"), 1, done)
            self.assertIn("Permission denied", done.stderr)
            self.build()
            self.assertEqual(self.run_program("program", folder=f"{front}:"), ("preloaded", ""))

    def test_no_program(self):
        """For a program that cannot be read, the system's own error is shown."""
        for content in b"", b"\x7fELF", b"#!/bin/sh\nexit 0\n":
            program = self.path / "odd"
            program.write_bytes(content)
            program.chmod(0o755)
            done = subprocess.run([USERMM, "run", "--", program], capture_output=True, text=True)
            self.assertNotIn("another libc", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main(argv=sys.argv[:1]))
