#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/check_layers.py see each offence against the layers, and only these?"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"
HOOKS = '#include "base/upward_hooks.h"\n'


class Layers(unittest.TestCase):
    def check(self, **files):
        """Answers (exit status, what is printed) for files FOLDER__NAME_SUFFIX=text."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "LAYERS").write_text("# lowest first\nbase  a\npage  b\n")
            for name, text in files.items():
                path = Path(folder, name.replace("__", "/"))
                path = path.with_name(path.name[::-1].replace("_", ".", 1)[::-1])
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True,
                                  check=False)
            return done.returncode, done.stdout.replace(folder, "")

    def assert_offence(self, what, **files):
        status, out = self.check(**files)
        self.assertEqual(status, 1, out)
        self.assertIn(what, out)

    def test_includes(self):
        self.assertEqual(self.check(page__a_c='#include "base/b.h"\n')[0], 0)
        self.assert_offence("/base/a.c:1: \"page/b.h\": base is below page",
                            base__a_c='#include "page/b.h"\n')
        self.assert_offence("has to name its folder", page__a_c='#include "b.h"\n')

    def test_forbidden(self):
        self.assert_offence("<stdio.h> has no place", page__a_c="#include <stdio.h>\n")
        self.assert_offence("__atomic_load_n outside", page__a_c="\n__atomic_load_n(a, 0);\n")
        self.assertEqual(self.check(page__a_c="/* getenv() */\n")[0], 0)

    def test_hooks(self):
        for hook in ("static void (*hook)(void);\n", "extern int (*hook)(int a);\n",
                     "bool (*hook)(void) = NULL;\n"):
            self.assert_offence("/page/a.c:1: a hook at file scope", page__a_c=hook)
            self.assertEqual(self.check(page__a_c=HOOKS + hook)[0], 0)
        self.assertEqual(self.check(page__a_h="typedef void (*call)(void);\n")[0], 0)
        self.assertEqual(self.check(page__a_c="void run(void (*call)(void))\n")[0], 0)
        self.assertEqual(self.check(base__upward_hooks_h="extern void (*hook)(void);\n")[0], 0)


if __name__ == "__main__":
    unittest.main()
