#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/tools/check_folders.py see folders that break a rule, and only these?"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "check_folders.py"


class TestFolders(unittest.TestCase):
    def check(self, files):
        """The exit status and the output for {name: text}."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout.splitlines()

    def assert_good(self, files):
        status, lines = self.check(files)
        self.assertEqual((status, len(lines)), (0, 1), lines)

    def assert_offence(self, files, place, *parts):
        """There is one offence, at that place, and its line has these parts."""
        status, lines = self.check(files)
        self.assertEqual((status, len(lines)), (1, 2), lines)
        self.assertTrue(lines[0].startswith(f"{place}: "), lines)
        for part in parts:
            self.assertIn(part, lines[0])
        self.assertIn(" 1 offences", lines[1])

    def test_good(self):
        self.assert_good({"src/page/README.md": "", "src/page/a.c": ""})

    def test_nothing(self):
        self.assertEqual(self.check({"docs/a.md": ""})[0], 1, "nothing was looked at")

    def test_no_readme(self):
        many = {f"tests/page/test_{i}.c": "" for i in range(4)}
        self.assert_offence(many, "tests/page", "no README.md", "what it must not know")
        self.assert_offence({**many, "tests/README.md": "`page/`"}, "tests/page", "no README.md")

    def test_named_above(self):
        few = {f"tests/page/test_{i}.c": "" for i in range(3)}
        self.assert_offence(few, "tests/page", "name `page/` in tests/README.md")
        self.assert_offence({**few, "tests/README.md": "no word of it"}, "tests/page", "or name")
        self.assert_good({**few, "tests/README.md": "Look at `page/`."})

    def test_number(self):
        files = {f"src/page/a{i}.c": "" for i in range(30)}
        files["src/page/README.md"] = ""
        self.assert_good({**files, "src/page/LAYERS": ""})
        self.assert_offence({**files, "src/page/b.h": ""}, "src/page", "31 sources",
                            "30 are the limit", "to a folder of their own")

    def test_what_is_left_behind(self):
        self.assert_good({"src/page/README.md": "", "src/page/a.c": "",
                          "bench/rust/target/debug/a.rs": "", "tools/__pycache__/a.py": ""})
        self.assert_offence({"tools/inspect/target/a.c": ""}, "tools/inspect/target", "README.md")


if __name__ == "__main__":
    unittest.main()
