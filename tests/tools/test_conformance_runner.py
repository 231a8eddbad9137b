#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the conformance suite's runner notice what goes wrong on either side?

Nothing is booted: Linux's output is given, and a script stands in for usermm.
"""
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

CONFORMANCE = Path(__file__).resolve().parents[1] / "conformance"
RUNNER = CONFORMANCE / "run_conformance.py"
sys.path.insert(0, str(CONFORMANCE))

import run_conformance as runner  # noqa: E402
from run_conformance import Case, Round, Side, joined, judge, parse, together  # noqa: E402

LOG = """\
[    0.100000] KTAP version 1
[    0.100000] 1..1
[    0.100000]     KTAP version 1
[    0.100000]     # Subtest: conformance_one
[    0.100000]     # module: one
[    0.100000]     1..4
[    0.100000]     # first: differs: A heading
[    0.100000]     ok 1 first
[    0.100000]     # second: EXPECTATION FAILED at one.c:7
[    0.100000]     not ok 2 second
[    0.100000]         KTAP version 1
[    0.100000]         # Subtest: with_params
[    0.100000]         ok 1 small
[    0.100000]         not ok 2 large
[    0.100000]     not ok 3 with_params
[    0.100000]     ok 4 fourth # SKIP no memory
[    0.100000] # conformance_one: pass:1 fail:2 skip:1 total:4
[    0.100000] not ok 1 conformance_one
[    0.100000]     ok 5 nobodys
"""
SOURCE = """\
static struct kunit_case cases[] = {
	KUNIT_CASE(first),
	KUNIT_CASE_SLOW(second),
	KUNIT_CASE_PARAM(with_params, generate),
	KUNIT_CASE_PARAM_ATTR(fourth, generate, attributes),
	{}
};
"""

# Popen() sends SIGTERM to its own process, and returns a second after the process was started.
START_SLOWLY = """\
import os, signal, subprocess, sys, time
sys.path.insert(0, sys.argv[1])
import run_conformance as runner

class SlowPopen(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1)

signal.signal(signal.SIGTERM, runner.build_linux.raise_exit)
runner.subprocess.Popen = SlowPopen
runner.run_processes([["sh", "-c", sys.argv[2]]])
"""


class Parse(unittest.TestCase):
    def test_cases(self):
        cases = parse(LOG)
        self.assertEqual({name.partition(".")[2]: case.result for name, case in cases.items()},
                         {"first": "ok", "second": "FAILED", "with_params": "FAILED",
                          "fourth": "skipped"})
        self.assertEqual(cases["conformance_one.first"].differs, ["A heading"])
        self.assertEqual(cases["conformance_one.second"].differs, [])

    def test_same_without_times(self):
        bare = "".join(line.partition("] ")[2] + "\n" for line in LOG.splitlines())
        self.assertEqual(parse(bare).keys(), parse(LOG).keys())

    def test_crash_in_the_middle(self):
        self.assertEqual(len(parse(LOG[:LOG.index("[    0.100000]     not ok 2")])), 1)

    def test_names_in_a_source(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "one.c"
            source.write_text(SOURCE)
            self.assertEqual(runner.case_names(source),
                             ["first", "second", "with_params", "fourth"])


class Judge(unittest.TestCase):
    def failed(self, linux, usermm, differs=(), not_yet=()):
        return judge("s.c", Case(linux) if linux else None, Case(usermm, list(differs)),
                     dict.fromkeys(not_yet, "a reason"), {"Known"})[1]

    def test_what_is_a_failure(self):
        self.assertFalse(self.failed("ok", "ok"))
        self.assertFalse(self.failed(None, "ok"))
        for usermm in ("FAILED", "absent", "skipped"):
            self.assertTrue(self.failed("ok", usermm))
            self.assertTrue(self.failed(None, usermm))
            self.assertFalse(self.failed("ok", usermm, not_yet=["s.c"]))
        self.assertTrue(self.failed("ok", "ok", not_yet=["s.c"]))

    def test_linux_has_to_say_the_rule(self):
        for linux in ("FAILED", "absent", "skipped"):
            for usermm in ("ok", "FAILED", "absent", "skipped"):
                self.assertTrue(self.failed(linux, usermm))
                self.assertTrue(self.failed(linux, usermm, not_yet=["s.c"]))

    def test_versions(self):
        def skipped(reason, version, linux=None):
            return judge("s.c", Case(linux) if linux else None, Case("skipped", reason=reason),
                         {}, set(), version)[1]
        for reason, version, fails in [("up to Linux 6.13", "7.3", False),
                                       ("up to Linux 6.13", "6.13", True),
                                       ("up to Linux 6.13", "6.9.4", True),
                                       ("since Linux 6.19", "6.18", False),
                                       ("since Linux 6.19", "6.19", True),
                                       ("no memory", "7.3", True)]:
            self.assertEqual(skipped(reason, version), fails)
            self.assertEqual(skipped(reason, version, "skipped"), fails)
            self.assertTrue(skipped(reason, version, "ok"))
        self.assertEqual(parse("    # Subtest: conformance_a\n    ok 1 b # SKIP since Linux 9.1\n")
                         ["conformance_a.b"].reason, "since Linux 9.1")

    def test_one_kernel_of_a_version_has_to_pass(self):
        for results, result in [(("ok", "ok"), "ok"), (("ok", "skipped"), "ok"),
                                (("skipped", "ok"), "ok"), (("skipped", "skipped"), "skipped"),
                                (("ok", "FAILED"), "FAILED"), (("absent", "ok"), "absent")]:
            self.assertEqual(together([Case(text) for text in results]).result, result)
        self.assertIsNone(together([]))

    def test_remark_of_all_rounds(self):
        self.assertEqual(joined({"6.12": "a", "7.3": "a"}), "a")
        self.assertEqual(joined({"6.12": "", "7.3": "b"}), "7.3: b")
        self.assertEqual(joined({"6.12": "a", "7.3": "b"}), "6.12: a; 7.3: b")

    def test_headings(self):
        self.assertFalse(self.failed("ok", "ok", ["Known"]))
        self.assertTrue(self.failed("ok", "ok", ["Known", "unknown"]))
        self.assertTrue(runner.headings())
        self.assertNotIn("Where usermm differs from Linux on purpose", runner.headings())


class Troubles(unittest.TestCase):
    def test_modules(self):
        modules = [runner.run_linux.Module(Path("m.ko"), keep=not i, init=init, exit=end)
                   for i, (init, end) in enumerate([(0, None), (0, 0), (None, None), (-22, None),
                                                    (0, None), (0, -11)])]
        self.assertEqual(list(runner.troubles_of_modules(modules)),
                         ["Linux: m: init did not return", "Linux: m: init returned -22",
                          "Linux: m: unloading did not end",
                          "Linux: m: unloading failed with -11"])

    def test_suite_that_fails_alone(self):
        source = Path("one.c")
        for text in (LOG, LOG.replace("[    0.100000] ", "")):
            self.assertFalse(runner.suite_failed_alone(source, parse(text), text))
            alone = text.replace("    not ok", "    ok")
            self.assertTrue(runner.suite_failed_alone(source, parse(alone), alone))
            well = alone.replace("not ok 1 conf", "ok 1 conf")
            self.assertFalse(runner.suite_failed_alone(source, parse(well), well))

    def test_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            source, empty = Path(folder) / "one.c", Path(folder) / "empty.c"
            source.write_text(SOURCE)
            empty.write_text("")
            usermm = Side({"conformance_one.first": Case("ok"),
                           "conformance_one.unlisted": Case("ok")}, ["trouble"])
            linux = Side({"conformance_one.second": Case("ok")}, ["panic"])
            rounds = [Round("6.12", {"6.12": linux}, usermm), Round("7.3", {}, Side())]
            self.assertEqual(list(runner.troubles([source, empty], rounds, False)),
                             ["panic", "trouble", "empty.c has no cases",
                              "conformance_one.unlisted ran, but is in no list of cases"])
            not_yet = Path(folder) / "not-yet.txt"
            not_yet.write_text("# what is missing\nconformance_gone.case 7.3: a thing\n")
            with mock.patch.object(runner, "NOT_YET", not_yet):
                self.assertIn("conformance_gone.case",
                              " ".join(runner.troubles([source], rounds, True)))
                self.assertEqual(runner.read_not_yet("7.3"), {"conformance_gone.case": "a thing"})
                self.assertEqual(runner.read_not_yet("6.12"), {})

    def test_a_round_that_fails_is_counted_as_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "one.c"
            source.write_text("KUNIT_CASE(first)")
            name = "conformance_one.first"
            rounds = [Round("6.12", {"6.12": Side({name: Case("ok")})}, Side({name: Case("ok")})),
                      Round("7.3", {"7.3-smp": Side({name: Case("FAILED")}),
                                    "7.3": Side({name: Case("ok")})}, Side({name: Case("ok")}))]
            with mock.patch("builtins.print") as said:
                counts = runner.table([source], rounds)
            self.assertEqual(counts, [{"the same": 1}, {"failure": 1}])
            self.assertIn("ok       ok       FAILED   ok       ok       7.3: Linux does not do",
                          said.call_args_list[1].args[0])


class Run(unittest.TestCase):
    """The whole script, with a stand-in for usermm; any suite will do."""

    def start(self, body, *arguments):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        script = Path(folder.name) / "usermm"
        script.write_text(f"#!/bin/sh\n{body}\n")
        script.chmod(0o755)
        return subprocess.Popen([sys.executable, RUNNER, script, *arguments], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                cwd=folder.name)

    def run_with(self, body, *arguments):
        process = self.start(body, *arguments)
        output, _ = process.communicate()
        return process.returncode, output

    def all_pass(self):
        names = runner.case_names(runner.suites()["page_bulk"])
        return "\n".join(["echo '    # Subtest: conformance_page_bulk'"] +
                         [f"echo '    ok {i + 1} {name}'" for i, name in enumerate(names)])

    def test_passes(self):
        for arguments in (["page_bulk", "--usermm-only"], ["--usermm-only", "page_bulk"]):
            status, output = self.run_with(self.all_pass(), *arguments)
            self.assertEqual(status, 0, output)

    def test_status_and_leak_are_failures(self):
        for end in ("exit 139", "echo 'usermm module: leak: 3 pages'"):
            status, output = self.run_with(f"{self.all_pass()}\n{end}", "page_bulk",
                                           "--usermm-only")
            self.assertEqual(status, 1, output)
            self.assertRegex(output, "usermm --linux=7.3: page_bulk.c: .*(139|leak: 3 pages)")

    def test_source_that_is_not_built(self):
        status, output = self.run_with("echo 'usermm module: not built'; exit 1", "page_bulk",
                                       "--usermm-only")
        self.assertEqual(status, 1)
        self.assertIn("DIFFERENT", output)
        self.assertIn("usermm module: not built", output)

    def test_wrong_arguments(self):
        for arguments in (["nothing"], ["--wrong"], ["--linux=5.4"]):
            status, output = self.run_with("true", *arguments)
            self.assertEqual(status, 2)
            self.assertNotIn("Traceback", output)
        result = subprocess.run([sys.executable, RUNNER, "/nowhere/usermm"],
                                text=True, capture_output=True)
        self.assertEqual(result.returncode, 2)

    def test_nothing_outlives_it(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = Path(folder) / "pid"
            process = self.start(f"sleep 300 & echo $! > {mark}.new; mv {mark}.new {mark}; wait",
                                 "page_bulk", "--usermm-only")
            while not mark.exists() and process.poll() is None:
                time.sleep(0.05)
            sleeper = int(mark.read_text())
            process.send_signal(signal.SIGTERM)
            process.communicate()
            self.assertEqual(process.returncode, 128 + signal.SIGTERM)
            stat = Path(f"/proc/{sleeper}/stat")
            self.assertTrue(not stat.exists() or
                            stat.read_text().rpartition(")")[2].split()[0] in "ZX")

    def test_nothing_outlives_it_that_is_just_being_started(self):
        """SIGTERM comes when the process runs, and the thread that starts it does not know yet."""
        with tempfile.TemporaryDirectory() as folder:
            mark = Path(folder) / "outlived"
            result = subprocess.run([sys.executable, "-c", START_SLOWLY, str(CONFORMANCE),
                                     f"sleep 5; touch {mark}"])
            self.assertEqual(result.returncode, 128 + signal.SIGTERM)
            self.assertFalse(mark.exists())


if __name__ == "__main__":
    unittest.main()
