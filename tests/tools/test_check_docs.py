#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/tools/check_docs.py see what is wrong with a page, and only that?"""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "check_docs.py"


class Docs(unittest.TestCase):
    def offences(self, *lines):
        """What the check says of a README.md with these lines."""
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            (root / "docs").mkdir()
            (root / "src").mkdir()
            (root / "tools" / "usermm").mkdir(parents=True)
            (root / "docs" / "page.md").write_text("# A page\n\n## Of `code`\n")
            (root / "src" / "file.c").touch()
            (root / "CONTRIBUTING.md").touch()
            (root / "Makefile").write_text("#   make run  runs\nrun:\nrun-deps:\n")
            (root / "tools" / "usermm" / "bench.c").write_text(
                'const struct command command_bench = {\n\t.name = "bench",\n')
            (root / "README.md").write_text("\n".join(lines) + "\n")
            done = subprocess.run([sys.executable, TOOL, root], text=True, capture_output=True)
        found = [line.split("README.md:")[1] for line in done.stdout.splitlines()
                 if "README.md:" in line]
        self.assertEqual(done.returncode, bool(found), done.stdout + done.stderr)
        return found

    def test_good_page(self):
        self.assertEqual(self.offences(
            "[a](docs/page.md#a-page), [b](docs/page.md#of-code), [c](https://example.org/x)",
            "`src/file.c`, `src/*.c`, `make run`, `usermm bench x`, `usermm help run`",
            "```sh", "# needs: cc", "make none   # `src/none.c`", "```",
            "", "```output", "...", "```",
            "```c", "/* a.c */", "int a;", "```",
            "```sh", "# not run by the tests: needs a week", "true", "```",
            "```text", "[a](none)", "```"), [])

    def test_names(self):
        self.assertEqual(self.offences("[a](none.md)", "[a](docs/page.md#none)", "`src/none.c`",
                                       "`make none`", "`usermm none`"),
                         ["1: there is no none.md; correct the link, or write what it leads to",
                          "2: docs/page.md has no heading #none; correct the link",
                          "3: there is no src/none.c; correct the path",
                          "4: the Makefile has no none; `make help` lists all targets",
                          "5: usermm has no command none; `usermm help` lists all commands"])

    def test_targets(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            for name, text in (("README.md", ""),
                               ("CONTRIBUTING.md", "`make test-a`, `make test-b X=1`"),
                               ("Makefile", "#   make test-a    tests a\n#   make old  is gone\n"
                                            "test-a: a-deps\ntest-b:\ntest:\na-deps:\nrun:\n")):
                (root / name).write_text(text)
            done = subprocess.run([sys.executable, TOOL, root], text=True, capture_output=True)
        found = [line.replace(f"{scratch}/", "") for line in done.stdout.splitlines()]
        self.assertEqual(found[:-1],
                         ["Makefile:1: the head has `make old`, but there is no such target",
                          "Makefile:1: say in the head what `make run` does",
                          "Makefile:1: say in the head what `make test` does",
                          "CONTRIBUTING.md:1: say in a table what `make test` does",
                          "Makefile:1: say in the head what `make test-b` does"])
        self.assertEqual(done.returncode, 1)

    @unittest.skipUnless(shutil.which("make"), "there is no make")
    def test_make_help(self):
        root = TOOL.parents[2]
        printed = subprocess.check_output(["make", "--silent", "-C", root, "help"], text=True)
        for line in ("  make build ", "  make test  ", "  make help "):
            self.assertIn(line, printed)
        self.assertNotIn("#", printed)
        self.assertNotIn("JOBS", printed)

    def test_blocks(self):
        for first, second, wrong in (
                ("```", "true", "a block is one of"), ("```bash", "true", "a block is one of"),
                ("```c", "int a;", "file's name"), ("```output", "a", "behind one of commands"),
                ("```sh", "# not run: why", "write: # not run by the tests: WHY"),
                ("```sh", "# not run by the tests:", "write: # not run by the tests: WHY")):
            found = self.offences("text", first, second, "```")
            self.assertEqual(len(found), 1, first)
            self.assertIn(wrong, found[0])
        found = self.offences("```sh", "true", "```", "text", "```output", "a", "```")
        self.assertEqual(len(found), 1)

    def test_length(self):
        self.assertEqual(self.offences(*["a"] * 151),
                         ["151: 151 lines, 150 are the limit; move details to a page that this "
                          "one links to"])


if __name__ == "__main__":
    unittest.main()
