#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does long work show its progress on a terminal, and only there?

    check_progress.py USERMM
"""
import os
import pty
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

USERMM = sys.argv.pop(1)
LINE_CLEARED = b"\r\x1b[K"


def on_terminal(*words, output=None):
    """What the command writes to a terminal. Its output is there, too, if no file is given."""
    leader, follower = pty.openpty()
    with subprocess.Popen([USERMM, *words], stdin=follower, stdout=output or follower,
                          stderr=follower) as process:
        os.close(follower)
        written = b""
        while True:
            try:
                more = os.read(leader, 65536)
            except OSError:     # the last writer has closed it
                break
            written += more
            if not more:
                break
    os.close(leader)
    return process.returncode, written


class Progress(unittest.TestCase):
    def test_selftest(self):
        code, written = on_terminal("selftest")
        self.assertEqual(code, 0, written)
        self.assertIn(LINE_CLEARED, written)
        self.assertRegex(written, rb"\r[a-z][^\r]*: \d+ s\x1b\[K")
        # After the progress lines are cleared, the screen has the same text as a file would get.
        lines = written.replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n")
        left = [line.rsplit(b"\x1b[K", 1)[-1] for line in lines]
        piped = subprocess.run([USERMM, "selftest"], capture_output=True, check=True)
        self.assertEqual(left, piped.stdout.splitlines())
        self.assertEqual(piped.stderr, b"")

    def test_bench(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "rows.json"
            code, written = on_terminal("bench", "gfp-flags", "--quick", "--json", str(path))
            self.assertEqual(code, 0)
            self.assertRegex(written, rb"\r\[1 of 1\] gfp-flags: step \d+, \d+ s\x1b\[K")
            self.assertNotIn(b"\x1b", path.read_bytes())

    def test_none_if_the_output_is_a_file(self):
        with tempfile.TemporaryFile() as output:
            code, written = on_terminal("selftest", output=output)
            self.assertEqual((code, written), (0, b""))
            output.seek(0)
            self.assertNotIn(b"\x1b", output.read())


if __name__ == "__main__":
    unittest.main()
