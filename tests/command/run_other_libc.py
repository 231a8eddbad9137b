#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`usermm run` does not preload to a program whose dynamic linker is musl's: that would end it.

glibc's linker under a name of musl's stands in for it.

usage: run_other_libc.py USERMM COMPILER
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


class OtherLibc(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="usermm-libc-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        (self.path / "program.c").write_text(SOURCE)

    def build(self, *flags):
        subprocess.run([COMPILER, "program.c", "-o", "program", *flags], cwd=self.path, check=True)

    def run_program(self, program="./program"):
        """What it writes, and what it is told."""
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("USERMM_OPTIONS", "LD_PRELOAD")}
        environment["PATH"] = f":/nowhere:{self.path}:{os.environ['PATH']}"
        done = subprocess.run([USERMM, "run", "--", program], cwd=self.path, env=environment,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip(), done.stderr

    def own_linker(self):
        self.build()
        described = subprocess.run(["readelf", "-lW", "program"], cwd=self.path, check=True,
                                   capture_output=True, text=True,
                                   env={**os.environ, "LC_ALL": "C"}).stdout
        return described.split("program interpreter: ")[1].split("]")[0]

    def test_own(self):
        self.build()
        self.assertEqual(self.run_program(), ("preloaded", ""))
        self.assertEqual(self.run_program("program"), ("preloaded", ""))

    def test_other(self):
        other = self.path / "ld-musl-test.so.1"
        shutil.copy(self.own_linker(), other)
        self.build(f"-Wl,--dynamic-linker={other}")
        for name in "./program", "program":
            written, told = self.run_program(name)
            self.assertEqual(written, "alone")
            self.assertEqual(told.count("\n"), 1, told)
            self.assertIn(f"{name} needs {other}, and this usermm /", told)

    def test_no_program(self):
        """What cannot be read is the system's to tell."""
        for content in b"", b"\x7fELF", b"#!/bin/sh\nexit 0\n":
            program = self.path / "odd"
            program.write_bytes(content)
            program.chmod(0o755)
            done = subprocess.run([USERMM, "run", "--", program], capture_output=True, text=True)
            self.assertNotIn("another libc", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main(argv=sys.argv[:1]))
