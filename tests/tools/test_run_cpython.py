#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tests/programs/run_cpython.py report what differs, and continue where it was stopped?"""
import contextlib
import io
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))

import run_cpython  # noqa: E402
from run_cpython import Outcome  # noqa: E402

PASSES = Outcome("passes", frozenset())
FAILS = Outcome("fails", frozenset({"test_x"}))


class Runs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.library = Path(scratch.name) / "library.so"
        self.library.write_bytes(b"one")
        self.state = Path(scratch.name) / "state"

    def run_all(self, plain, preloaded, *arguments):
        """The status, the output, and the modules that ran; outcomes are given by module."""
        ran = []

        def run_module(_, module, preload, __):
            if not preload:
                ran.append(module)
            return (preloaded if preload else plain)[module]

        with mock.patch.multiple(run_cpython, run_module=run_module,
                                 modules_of=lambda _: list(plain),
                                 objects_served=lambda *_: 1), \
                mock.patch.object(sys, "argv", ["run_cpython.py", "--library", str(self.library),
                                                "--python", sys.executable, "--jobs", "1",
                                                *arguments]), \
                contextlib.redirect_stdout(io.StringIO()) as out:
            status = run_cpython.main()
        return status, out.getvalue(), ran

    def test_equal_failures_are_none(self):
        sides = {"test_a": PASSES, "test_b": FAILS}
        status, said, ran = self.run_all(sides, sides)
        self.assertEqual((status, ran), (0, ["test_a", "test_b"]))
        self.assertIn("test_b: both: fails (1 cases: test_x)", said)
        self.assertIn("2 passed, 0 failed", said)

    def test_a_difference_is_asked_twice(self):
        status, said, ran = self.run_all({"test_a": PASSES}, {"test_a": FAILS})
        self.assertEqual((status, ran), (1, ["test_a", "test_a"]))
        self.assertIn("FAILED test_a: passes became fails (1 cases: test_x)", said)

    def test_what_is_known_is_not_run_again(self):
        state = ("--state", str(self.state))
        one = {"test_a": PASSES, "test_b": FAILS}
        self.run_all(one, one, *state)
        all_three = one | {"test_c": PASSES}
        status, said, ran = self.run_all(all_three, all_three, *state)
        self.assertEqual((status, ran), (0, ["test_c"]))
        self.assertIn("3 modules, 2 of them known", said)
        self.assertIn("test_b: both: fails (1 cases: test_x)", said)

    def test_a_difference_is_run_again(self):
        state = ("--state", str(self.state))
        self.run_all({"test_a": PASSES}, {"test_a": FAILS}, *state)
        status, _, ran = self.run_all({"test_a": PASSES}, {"test_a": PASSES}, *state)
        self.assertEqual((status, ran), (0, ["test_a"]))
        self.assertEqual(self.run_all({"test_a": PASSES}, {"test_a": PASSES}, *state)[2], [])

    def test_another_library_is_begun_anew(self):
        state = ("--state", str(self.state))
        self.run_all({"test_a": PASSES}, {"test_a": PASSES}, *state)
        self.library.write_bytes(b"two")
        _, said, ran = self.run_all({"test_a": PASSES}, {"test_a": PASSES}, *state)
        self.assertEqual(ran, ["test_a"])
        self.assertIn("1 modules, 0 of them known", said)

    def test_interrupts_are_not_ignored(self):
        """A shell ignores SIGINT for its background jobs, and children inherit that."""
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        self.run_all({"test_a": PASSES}, {"test_a": PASSES})
        child = subprocess.run([sys.executable, "-c", "import signal; "
                                "print(signal.getsignal(signal.SIGINT) == signal.SIG_IGN)"],
                               capture_output=True, text=True, check=True)
        self.assertEqual(child.stdout.strip(), "False")

    def test_the_newest_python_with_tests(self):
        root = self.state.parent
        programs = root / "bin"
        programs.mkdir()
        for name in ("python3", "python3.9", "python3.11", "python3.13"):
            (programs / name).touch()
            if name != "python3.13":
                (root / "lib" / name / "test").mkdir(parents=True)
                (root / "lib" / name / "test/test_list.py").touch()
        self.assertEqual(run_cpython.newest_tested(root / "lib", programs),
                         str(programs / "python3.11"))

    def test_no_python_with_tests(self):
        self.assertIsNone(run_cpython.newest_tested(self.state.parent, self.state.parent))
        with mock.patch.object(run_cpython, "newest_tested", return_value=None), \
                mock.patch.object(sys, "argv", ["run_cpython.py", "--library", "none"]), \
                self.assertRaisesRegex(SystemExit, "^[^\n]*install Debian's libpython3.N-"):
            run_cpython.main()


if __name__ == "__main__":
    unittest.main()
