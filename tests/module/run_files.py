#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs modules that make files, with programs that open them (`usermm module FILE.c -- PROGRAM`),
and modules of other kinds that are common in public code.

    run_files.py USERMM

The modules and the scripts are in files/.
"""
import os
import re
import signal
import sys
import tempfile
import unittest
from pathlib import Path

from modules import ModuleTest, run_module

FILES = Path(__file__).resolve().parent / "files"
USERMM = None


def run(*arguments, env=None):
    return run_module(USERMM, FILES, *arguments, env=env)


class Files(ModuleTest):
    def check(self, result, *expected, **patterns):
        super().check(result, *expected, **patterns)
        self.assertNotIn("leak", result.stderr, result.stderr)

    def test_attributes(self):
        self.check(run("attributes.c", "--", "./attributes.sh"), 0,
                   [r"\n?42 checks\n", r"level 3, number 16, flag 1, square 9\n"])

    def test_classes_and_variables(self):
        self.check(run("classes.c", "--", "./classes.sh"), 0, [
            r"\n45 checks\n", r"bad name -22, table twice 0\n",
            r"key 0\n", r"again -1\n", r"other's -1\n", r"end 0\n", r"contact 0, touched 1\n",
            r"unseen contact -1, touched 0\n"])
        self.check(run("--linux=6.1", "classes.c", "--", "cat", "/proc/sys/kernel/classes/pair"),
                   0, [r"(?m)^1\t2$"])

    def test_keys_and_levers(self):
        for version in ("6.1", "7.3"):
            with self.subTest(version):
                self.check(run(f"--linux={version}", "keys.c", "--", "./keys.py"), 0, [
                    r"\n[67]\d checks\n", r"told 17 1 1\n", r"opened 1\n", r"opened 0\n"])

    def test_a_module_that_refuses(self):
        for version in ("4.9", "6.1", "7.3"):
            with self.subTest(version):
                self.check(run(f"--linux={version}", "guard.c", "--", "./guard.sh"), 0, [
                    r"\n5 checks\n", r"refused thread -11\n", r"threads 1\n",
                    r"files 0, asked 1 more\n"])

    def test_users_of_a_module(self):
        self.check(run("used.c", "--", "./used.sh"), 0, [
            r"\n2[56] checks\n", r"init: users 1, state 1, found 1, other 0\n",
            r"heard of used: 0\n", r"exit: users 0, got 0\n"])
        result = run("used.c", "pinned=1", "--", "grep", "^used .* 1 - Live", "/proc/modules")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("leak: module used is in use: 1 references\n", result.stderr)

    def test_two_modules(self):
        """Each has its own users, and hears of the other."""
        script = ("sort /proc/modules; exec 3</dev/used_misc; grep used /proc/modules; "
                  "ls /sys/module/ring")
        self.check(run("used.c", "ring.c", "--", "sh", "-c", script), 0, [
            r"(?m)^ring \d+ 0 - Live .*\nused \d+ 0 - .*\nused \d+ 1 - ", r"(?m)^refcnt$",
            r"heard of ring: 1\n", r"heard of ring: 0\n", r"heard of ring: 2\n"])

    def test_ring(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run("ring.c", "--", "./ring.sh", env={"TMP": folder})
        self.check(result, 0, [r"\n9 checks\n", "the reader is interrupted: -512"])
        self.assertNotIn("still open", result.stdout)

    def test_mapped_memory(self):
        self.check(run("mapped.c", "--", "./mapped.py"), 0, [
            r"\n33 checks\n", r"own area -22, no page -22\n", r"page 0 has 1 users, byte 1\n",
            r"page 1 has 1 users, byte 22\n", r"page 2 has 1 users, byte 33\n",
            r"areas 5, closed 5, block 2\n"])

    def test_folders_that_programs_make(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run("configs.c", "--", "./configs.sh", env={"TMP": folder})
        self.check(result, 0, [r"\n19 checks\n", r"written 4 bytes\n", r"taken -17\n",
                               r"boxes left 0\n"])

    def test_channels_that_measure(self):
        self.check(run("measures.c", "--", "./measures.sh"), 0, [
            r"\n24 checks\n", r"without info -22\n", r"one name twice -16\n"])

    def test_nodes_of_mknod(self):
        script = ("set -e; mknod /dev/own c 240 5; echo abc >/dev/own; cat /dev/own; "
                  "rm /dev/own; [ ! -e /dev/own ]; mknod $TMP/x c 1 3; [ -c $TMP/x ]")
        with tempfile.TemporaryDirectory() as folder:
            result = run("major.c", "--", "sh", "-c", script, env={"TMP": folder})
        if os.geteuid() == 0:
            self.check(result, 0, [r"(?m)^minor 5 has abc$"])

    def test_what_is_left_open_is_closed(self):
        # On a busy machine cat needs longer until it reads.
        for seconds in (0.1, 2, 20):
            result = run("ring.c", "--", "sh", "-c", f"cat /dev/ring0 & sleep {seconds}")
            if "the reader is interrupted" in result.stdout:
                break
        self.check(result, 0, [r"the reader is interrupted"])
        self.assertNotIn("still open", result.stdout)

    def test_status_is_the_programs(self):
        self.check(run("ring.c", "--", "sh", "-c", "exit 7"), 7)
        self.check(run("ring.c", "--", "sh", "-c", "kill $$"), 128 + signal.SIGTERM)
        self.check(run("ring.c", "--", "/nowhere/program"), 127, err=["/nowhere/program: No such"])
        result = run("ring.c", "--")
        self.check(result, 2, err=["^usermm module: no program behind --"])
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_files_that_stay_are_told(self):
        result = run("major.c", "forget=1", "--", "cat", "/proc/forgotten")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("kept\n", result.stdout)
        self.assertTrue(re.search("leak: /proc/forgotten was not removed", result.stderr),
                        result.stderr)

    def test_queue_of_bytes(self):
        script = "echo one >/proc/stream; echo two >/proc/stream; cat /proc/stream"
        for version in ("4.9", "7.3"):
            with self.subTest(version):
                result = run(f"--linux={version}", "stream.c", "--", "sh", "-c", script)
                self.check(result, 0)
                self.assertEqual(result.stdout, "one\ntwo\n")

    def test_devices_that_are_not_there(self):
        self.check(run("lines.c"), 0, [
            r"taken -16, none -22, line taken -16\n", r"ports taken 1, read 0xff\n",
            r"lines lines: register 7, no such interrupt -6\n", r"lines lines: removed\n",
            r"3 hits, threads 1\n"])

    def test_networks_without_others(self):
        self.check(run("network.c"), 0, [
            r"unicast -111\n", r"message of 40 bytes\n", r"answer -111\n",
            r"eth0: valid 1\n", r"127\.0\.0\.1 to port 80\n", r"2 packets, payload\n"])

    def test_drivers_without_hardware(self):
        patterns = [r"adapter 0, controller 0, terminal 0\n", r"program 0x100\n", r"path etc\n",
                    r"areas 1, code in 1\n", r"tables 0\n", r"socket 0\n", r"registered 0\n",
                    r"probed 0\n"]
        self.check(run("hardware.c"), 0, patterns)
        self.check(run("--linux=6.12", "hardware.c"), 0, patterns)

    def test_tasks_and_signals(self):
        self.check(run("tasks.c"), 0, [
            r"the wait ends by -512, signal 15\n", r"found 1, stopped with 3\n",
            r"release 7\.3\.0 7\.3\.0\n", r"user 0, capable 1, clock 1\n", r"by number 1\n",
            r"no memory 4\n"])
        self.check(run("--linux=4.19", "tasks.c"), 0,
                   [r"release 4\.19\.0 4\.19\.0\n"])

    def test_files_of_the_machine(self):
        """A module opens what it may, and gets the machine's errors."""
        with tempfile.TemporaryDirectory() as folder:
            result = run("major.c", f"machine={folder}/new")
            self.assertEqual(Path(folder, "new").read_text(), "written by the module")
        self.check(result, 0, [r"read back: written by the module\n", r"none there: -2\n",
                               r"a folder: -21\n"])


if __name__ == "__main__":
    USERMM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
