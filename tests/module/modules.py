# SPDX-License-Identifier: MIT
"""What the tests of `usermm module` share."""
import os
import subprocess
import unittest

LIMIT_SECONDS = 300


def run_module(usermm, folder, *arguments, env=None):
    return subprocess.run([usermm, "module", *arguments], cwd=folder, text=True,
                          capture_output=True, timeout=LIMIT_SECONDS,
                          env={**os.environ, **(env or {})})


class ModuleTest(unittest.TestCase):
    def check(self, result, status, out=(), err=(), not_out=()):
        everything = f"status {result.returncode}\n{result.stdout}\n{result.stderr}"
        self.assertEqual(result.returncode, status, everything)
        for pattern in out:
            self.assertRegex(result.stdout, pattern, everything)
        for pattern in err:
            self.assertRegex(result.stderr, pattern, everything)
        for pattern in not_out:
            self.assertNotRegex(result.stdout, pattern, everything)
