#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the checks of include/kernel compile each different text of the headers, and only once?"""
import contextlib
import io
import sys
import tempfile
import types
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernel" / "headers"))
from compiling import Job, compile_all  # noqa: E402

VERSIONS = [(4, 4), (4, 19), (5, 15), (6, 12)]
ASKS = "#include <linux/version.h>\n#if LINUX_VERSION_CODE {}\n{}\n#endif\n"


class Compiling(unittest.TestCase):
    def check(self, nr_compiled, bad, source="#include <a.h>\n", **headers):
        """nr_compiled texts are compiled, and the versions in bad fail; headers are NAME=text."""
        with tempfile.TemporaryDirectory(suffix=" with blanks") as folder:
            for name, text in headers.items():
                Path(folder, f"{name}.h").write_text(text)
            counted, compiler = Path(folder, "counted"), Path(folder, "cc")
            compiler.write_text(f'#!/bin/sh\necho >> "{counted}"\nexec cc "$@"\n')
            compiler.chmod(0o755)
            jobs = [Job(version, "a.h", [f"-I{folder}"], source) for version in VERSIONS]
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                failed = compile_all(types.SimpleNamespace(compiler=str(compiler), jobs=1), jobs)
            self.assertEqual(counted.read_text().count("\n"), nr_compiled)
        self.assertEqual(failed, len(bad), said.getvalue())
        for version in VERSIONS:
            self.assertEqual(f"FAILED {version[0]}.{version[1]} a.h" in said.getvalue(),
                             version in bad, said.getvalue())

    def test_no_question(self):
        self.check(1, [], a="int a;\n")
        self.check(1, [], a="#include <linux/version.h>\nint a;\n")

    def test_failures_are_told_for_each(self):
        self.check(4, VERSIONS, a="int;\n")

    def test_comparisons(self):
        self.check(2, [], a=ASKS.format("< KERNEL_VERSION(5, 0, 0)", "int a;"))
        self.check(3, [(4, 4), (4, 19)], a=ASKS.format("< KERNEL_VERSION(5, 0, 0)", "int;"))
        self.check(2, [(4, 4)], a=ASKS.format("<= KERNEL_VERSION(4,4,0)", "int;"))
        self.check(2, [(6, 12)], a=ASKS.format(">= KERNEL_VERSION(6, 12, 0)", "int;"))
        self.check(1, [], a=ASKS.format("> KERNEL_VERSION(6, 12, 0)", "int;"))

    def test_questions_of_what_is_included(self):
        self.check(2, [(6, 12)], a="#include <b.h>\n#include <c.h>\n", c="int c;\n",
                   b=ASKS.format(">= KERNEL_VERSION(6, 0, 0)", "int;"))

    def test_questions_that_one_version_alone_asks(self):
        self.check(4, [(4, 4), (5, 15)],
                   a=ASKS.format("< KERNEL_VERSION(5, 0, 0)", "#include <old.h>") +
                   ASKS.format(">= KERNEL_VERSION(5, 0, 0)", "#include <new.h>"),
                   old=ASKS.format("< KERNEL_VERSION(4, 5, 0)", "int;"),
                   new=ASKS.format("< KERNEL_VERSION(6, 0, 0)", "int;"))

    def test_questions_of_the_source(self):
        self.check(2, [(4, 4)], ASKS.format("< KERNEL_VERSION(4, 5, 0)", "int;"))

    def test_other_uses_of_the_version(self):
        self.check(4, [(5, 15)], a=ASKS.format("/ 256 == 0x50f", "int;"))
        self.check(4, [(4, 4), (4, 19)], a="#include <linux/version.h>\n"
                                           "#if LINUX_VERSION_MAJOR < 5\nint;\n#endif\n")
        self.check(4, [(6, 12)], a="#include <linux/version.h>\n"
                                   "#define IS LINUX_VERSION_CODE >= KERNEL_VERSION\n"
                                   "#if IS(6, 0, 0)\nint;\n#endif\n")


if __name__ == "__main__":
    unittest.main()
