#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the command find its files, and itself, however it was started?

    run_started.py USERMM [KERNEL-TEST]

It is started by the dynamic loader, under Valgrind, and from a file that is removed meanwhile. Then
/proc/self/exe names another program, or no file. KERNEL-TEST is a test of kernel sources that asks
for the name of one of its functions.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

USERMM, KERNEL_TEST = None, None


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **how)


def loader():
    headers = run("readelf", "-l", USERMM).stdout
    return re.search(r"program interpreter: (.*)\]", headers)[1]


class Started(unittest.TestCase):
    def check_selftest(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\nok    malloc: a program starts and ends ")

    def test_by_the_loader(self):
        self.check_selftest(run(loader(), USERMM, "selftest"))
        done = run(loader(), USERMM, "run", "-o", "stats=1:stats_format=json", "--",
                   loader(), "/bin/cat", "/dev/null")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"executable":"%s"' % os.path.realpath("/bin/cat"), done.stderr)

    def test_functions_by_the_loader(self):
        if not KERNEL_TEST:
            self.skipTest("no test of kernel sources")
        done = run(loader(), KERNEL_TEST)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_under_valgrind(self):
        self.check_selftest(run("valgrind", "-q", USERMM, "selftest"))

    def test_gone(self):
        with tempfile.TemporaryDirectory(prefix="usermm_started_") as folder:
            for name in "usermm", "libusermm_malloc.so":
                shutil.copy(os.path.join(os.path.dirname(USERMM), name), folder)
            program = os.open(os.path.join(folder, "usermm"), os.O_RDONLY)
            os.unlink(os.path.join(folder, "usermm"))
            self.check_selftest(run(f"/proc/self/fd/{program}", "selftest", pass_fds=[program]))
            os.close(program)


def main():
    global USERMM, KERNEL_TEST
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    USERMM, KERNEL_TEST = [*map(os.path.abspath, sys.argv[1:3]), None][:2]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
