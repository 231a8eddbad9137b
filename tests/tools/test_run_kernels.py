#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/qemu/run_kernels.py choose the right packages, find images, and judge machines?"""
import contextlib
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "qemu"), str(ROOT / "tools" / "linux")]
import debian  # noqa: E402
import machine  # noqa: E402
import run_kernels  # noqa: E402
from run_kernels import KNOWN_AS_BAD, judge, kernels, version_of  # noqa: E402

TOO_FEW = "not exercised: push: 73 of 100000 aborts in 10 seconds; a longer storm may reach them"
TESTS = [("doctor",), ("run",), ("selftest:mm_cid",), ("selftest:cpu_id",), ("malloc/test_x:rseq",)]


class FakeMachine:
    def __init__(self, bad=False, proof=(0, "ok"), told=None, finished=True, **status):
        told = bad if told is None else told
        self.finished = finished
        self.status = {test[0]: 0 for test in TESTS} | {
            "selftest:mm_cid": proof[0], "selftest:cpu_id": proof[0]} | status
        self.output = {"doctor": [f"per-CPU mode locked: {KNOWN_AS_BAD}"] if bad else ["rseq"],
                       "run": [f"usermm run: {KNOWN_AS_BAD}"] * told,
                       "selftest:mm_cid": ["table", proof[1], ""],
                       "selftest:cpu_id": ["table", proof[1], ""]}


class Judge(unittest.TestCase):
    def test_sound_kernel(self):
        self.assertEqual(judge(FakeMachine(), TESTS), "")

    def test_not_shown(self):
        self.assertIn("not known as bad", judge(FakeMachine(proof=(1, TOO_FEW)), TESTS))

    def test_known_as_bad(self):
        self.assertEqual(judge(FakeMachine(bad=True, proof=(1, "FAILED: 3 lost")), TESTS), "")

    def test_row_is_too_wide(self):
        for proof in ((0, "ok"), (1, TOO_FEW)):
            self.assertIn("sequences hold", judge(FakeMachine(bad=True, proof=proof), TESTS))

    def test_row_is_missing(self):
        self.assertIn("not known as bad", judge(FakeMachine(proof=(1, "FAILED: 3 lost")), TESTS))
        self.assertIn("not known as bad", judge(FakeMachine(proof=(137, "")), TESTS))

    def test_what_a_program_starts_with(self):
        self.assertIn("says 0 times", judge(FakeMachine(bad=True, told=0), TESTS))
        self.assertIn("says 1 times", judge(FakeMachine(told=1), TESTS))

    def test_other_tests(self):
        self.assertEqual(judge(FakeMachine(**{"malloc/test_x:rseq": 1}), TESTS),
                         "failed: malloc/test_x:rseq")
        self.assertIn("end", judge(FakeMachine(finished=False), TESTS))


class Packages(unittest.TestCase):
    def test_version(self):
        self.assertEqual(version_of("linux-image-7.3.4+deb13-cloud-arm64"), (7, 3, 4))
        self.assertLess(version_of("linux-image-6.1.0-50-cloud-amd64"), run_kernels.OLDEST)

    def test_which(self):
        newest = {"trixie": "6.12.117+deb13", "trixie-backports": "7.3.4+deb13",
                  "forky": "7.2.12+deb14", "sid": "7.2.12+deb14"}
        apt = mock.Mock(return_value="linux-image-6.1.0-50-cloud-amd64\n"
                        "linux-image-7.0.13+deb13-cloud-amd64\n"
                        "linux-image-7.0.13+deb13-cloud-amd64-dbg\nlinux-image-cloud-amd64\n")
        apt.newest_kernel = lambda kind, suite: f"linux-image-{newest[suite]}-{kind}"
        self.assertEqual(kernels(apt, "cloud-amd64", False),
                         [f"linux-image-{version}-cloud-amd64" for version in
                          ("6.12.117+deb13", "7.2.12+deb14", "7.3.4+deb13")])
        self.assertEqual(kernels(apt, "cloud-amd64", True),
                         ["linux-image-7.0.13+deb13-cloud-amd64"])

    def test_where_the_image_is(self):
        for depends, fetched in (("  Depends: kmod\n", "linux-image-6.12.1-arm64"),
                                 ("  Depends: linux-base-7.3.4-arm64\n"
                                  "  Depends: linux-binary-7.3.4-arm64\n",
                                  "linux-binary-7.3.4-arm64")):
            apt = debian.Apt.__new__(debian.Apt)
            with (mock.patch.object(debian.Apt, "__call__", return_value=depends),
                  mock.patch.object(debian.Apt, "fetch", side_effect=lambda name: Path(name)),
                  mock.patch.object(debian, "unpack") as unpack):
                apt.fetch_kernel("linux-image-6.12.1-arm64", Path("image"))
            unpack.assert_called_once_with(Path(fetched), "*/vmlinu[xz]*", Path("image"))


class Starts(unittest.TestCase):
    def starts(self, *lines_of_start):
        """How many starts Setup.run() makes of kernels that print these lines; the last one."""
        setup = machine.Setup.__new__(machine.Setup)
        setup.architecture, setup.args = "amd64", mock.Mock(kernel="vmlinuz", seconds=1)
        consoles = iter(lines_of_start)

        def run(one, command, seconds):
            for line in next(consoles):
                one.read(line)

        with (tempfile.TemporaryDirectory() as folder,
              mock.patch.object(machine.Machine, "run", run), contextlib.redirect_stdout(None)):
            setup.place = Path(folder)
            one = setup.run([])
        return len(lines_of_start) - len(list(consoles)), one

    def test_emulator_runs_old_code(self):
        started, one = self.starts(["Oops: int3"], ["@ kernel 7.2.13", "@ finished"], [])
        self.assertEqual((started, one.kernel, one.finished), (2, "7.2.13", True))

    def test_fault_behind_the_start_counts(self):
        started, one = self.starts(["@ kernel 7.2.13", "@ begin x", "Oops"], [])
        self.assertEqual((started, one.finished), (1, False))

    def test_never_starts(self):
        started, one = self.starts([], [], [], [])
        self.assertEqual((started, one.kernel), (3, "none"))


if __name__ == "__main__":
    unittest.main()
