#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/tools/check_words.py see names that were replaced and sentences without a subject?"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "check_words.py"


class TestWords(unittest.TestCase):
    def check(self, name, text):
        """The exit status and the output for one file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.parent.mkdir(parents=True)
            path.write_text(text)
            done = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout.splitlines()

    def assert_good(self, name, text):
        status, lines = self.check(name, text)
        self.assertEqual((status, len(lines)), (0, 1), lines)

    def assert_offence(self, name, text, line, *parts):
        """There is one offence, in that line of the file, and it has these parts."""
        status, lines = self.check(name, text)
        self.assertEqual((status, len(lines)), (1, 2), lines)
        self.assertTrue(lines[0].startswith(f"{name}:{line}: "), lines)
        for part in parts:
            self.assertIn(part, lines[0])

    def test_nothing(self):
        self.assertEqual(self.check("other/a.c", "")[0], 1, "nothing was looked at")

    def test_comments(self):
        self.assert_good("src/page/a.c", "/* The page of a zone. Of course it is free. */\n")
        self.assert_offence("src/page/a.c", "int a;\n/* Of all pages one is free. */\n", 2,
                            '"Of all pages one ..."', "say the subject first")
        self.assert_offence("src/page/a.c", "/*\n * Frees it. The same for\n * others.\n */\n", 2,
                            "The same for others.")
        self.assert_offence("src/page/a.c", "// What is free counts.\n", 1, "What is free")
        self.assert_offence("tools/a.py", '"""Of each its sum."""\n', 1, "Of each its")

    def test_no_sentences(self):
        """Code, questions, the middle of a sentence, and what a block of a page shows."""
        self.assert_good("src/page/a.c", "/* What is at the address? */\nchar a[] = \"Of it.\";\n")
        self.assert_good("src/page/a.c", "/* Takes some.\n * (It is the sum\n * Of a list.) */\n")
        self.assert_good("docs/a.md", "```text\nOf this output nothing is read.\n```\n")

    def test_pages(self):
        self.assert_offence("docs/a.md", "# A\n\nText.\n\nOf them one is free.\n", 5, "Of them one")
        self.assert_offence("docs/a.md", "| a | Of them one is free. |\n", 1, "Of them one")

    def test_names(self):
        self.assert_good("src/page/a.c", "void release_go_on_now(void);\n")
        self.assert_offence("src/page/a.c", "\nvoid release_go_on(void);\n", 2,
                            "release_go_on was replaced", "write decay_tick")
        self.assert_offence("src/malloc/odd.c", "", 1, "was replaced", "checked_blocks")
        self.assert_good("tools/odd.c", "")


if __name__ == "__main__":
    unittest.main()
