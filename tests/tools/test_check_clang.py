#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/tools/check_clang.py tell what clang refuses, and what it takes?"""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "check_clang.py"


@unittest.skipUnless(shutil.which("clang") and shutil.which("clang++"), "there is no clang")
class Clang(unittest.TestCase):
    def check(self, name, text, flags="-Wall"):
        """The exit status and the output for a build of that source."""
        with tempfile.TemporaryDirectory() as folder:
            source, build = Path(folder, name), Path(folder, "build")
            build.mkdir()
            source.write_text(text)
            entry = {"directory": str(build), "file": str(source),
                     "command": f"ccache gcc {flags} -MD -MF x.d -o x.o -c {source}"}
            (build / "compile_commands.json").write_text(json.dumps([entry]))
            done = subprocess.run([sys.executable, TOOL, build], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(list(build.iterdir()), [build / "compile_commands.json"])
            return done.returncode, done.stdout + done.stderr

    def test_taken(self):
        self.assertEqual(self.check("a.c", "int f(void) { return 0; }\n")[0], 0)
        self.assertEqual(self.check("a.cc", "auto f() { return 0; }\n", "-std=c++17")[0], 0)

    def test_refused(self):
        status, out = self.check("a.c", '__attribute__((noplt)) void f(void);\n')
        self.assertEqual(status, 1)
        self.assertIn("noplt", out)
        self.assertIn("0 sources taken, 1 not", out)

    def test_flags_count(self):
        text = "#ifndef WANTED\n#error not wanted\n#endif\n"
        self.assertEqual(self.check("a.c", text)[0], 1)
        self.assertEqual(self.check("a.c", text, "-DWANTED='a b'")[0], 0)

    def test_flags_of_others(self):
        flags = "-falign-jumps=64:8 -Wno-such-warning -fno-semantic-interposition"
        self.assertEqual(self.check("a.c", "int f(void) { return 0; }\n", flags)[0], 0)


if __name__ == "__main__":
    unittest.main()
