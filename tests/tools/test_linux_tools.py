#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the scripts in tools/linux understand the output of Linux and of modules?

Nothing is booted: the output is given.
"""
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

TOOLS = Path(__file__).resolve().parents[2] / "tools" / "linux"
sys.path.insert(0, str(TOOLS))

import build_linux  # noqa: E402
from build_linux import KERNELS, not_as_asked  # noqa: E402
from compare_linux import (  # noqa: E402
    compare, figures_lacking, has_seed_0, line_of, medians_of, nested, rows_of)
from run_linux import Module, cpio_entry, digest, execute, quoted  # noqa: E402
from seeds import ROWS  # noqa: E402

CONSOLE = """\
Linux version 6.12.0
[    0.100000] run_linux: begin 0
[    0.110000] first: here
[    0.120000]   indented
[    0.130000] run_linux: init 0 0
[    0.140000] first: gone
[    0.150000] run_linux: exit 0 0
run_linux: begin 1
second: no
run_linux: init 1 -11
run_linux: begin 2
run_linux: init 2 killed
"""


def is_running(pid):
    """Does it run? A zombie does not; its parent reaps it."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


class BuildLinux(unittest.TestCase):
    def archive(self, folder):
        path = Path(folder) / "archive.tar.xz"
        for name in ("Makefile", "mm/slub.c"):
            file = Path(folder) / "linux" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(random.randbytes(100000))
        with tarfile.open(path, "w:xz") as tar:
            tar.add(Path(folder) / "linux", "linux")
        return path

    def test_tree_is_whole_or_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            whole, tree = self.archive(folder), Path(folder) / "tree"
            half = Path(folder) / "half.tar.xz"
            half.write_bytes(whole.read_bytes()[:150000])
            with self.assertRaises(Exception):
                build_linux.unpack(half, tree)
            self.assertFalse(tree.exists())
            build_linux.unpack(whole, tree)
            self.assertEqual(sorted(path.name for path in tree.iterdir()), ["Makefile", "mm"])
            self.assertEqual((tree / "mm/slub.c").stat().st_size, 100000)

    def find(self, version, installed, fetch=None):
        """The archive of that version, where `installed` says what there is."""
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(Path, "exists", lambda path: str(path) in installed), \
                mock.patch("build_linux.debian.Apt", side_effect=fetch) as apt, \
                mock.patch("build_linux.debian.unpack") as unpack:
            found = build_linux.archive_of(version, Path(folder))
            return str(found).replace(folder, ""), apt.called and unpack.called

    def test_where_the_archive_is(self):
        installed = "/usr/src/linux-source-7.3.tar.xz"
        self.assertEqual(self.find("7.3", [installed]), (installed, False))
        self.assertEqual(self.find("7.3", []), ("/linux-source-7.3.tar.xz", True))

    def test_no_archive(self):
        with self.assertRaisesRegex(SystemExit, "6.12.tar.xz is missing; `make deps`"):
            self.find("6.12", [])
        error = subprocess.CalledProcessError(100, ["apt-get"])
        with self.assertRaisesRegex(SystemExit, "^[^\n]*put its linux-source-7.3.tar.xz"):
            self.find("7.3", [], fetch=error)

    def test_kernels(self):
        trees = {(kernel.version, kernel.enabled, kernel.disabled) for kernel in KERNELS.values()}
        self.assertEqual(len(trees), len(KERNELS))
        self.assertIn(build_linux.NEWEST, KERNELS)
        for kernel in KERNELS.values():
            self.assertFalse(set(kernel.enabled) & set(kernel.disabled))
            self.assertEqual(kernel.smp, "SMP" in kernel.enabled)

    def test_configuration_is_held_against_what_was_asked(self):
        kernel = KERNELS["7.3-smp"]
        whole = "".join(f"CONFIG_{name}=y\n" for name in kernel.enabled) + "CONFIG_KUNIT=m\n"
        self.assertEqual(list(not_as_asked(whole, kernel)), [])
        other = whole.replace("CONFIG_SMP=y", "# CONFIG_SMP is not set")
        self.assertEqual(list(not_as_asked(other + "CONFIG_FTRACE=y\n", kernel)),
                         ["SMP", "FTRACE"])

    def test_what_it_started_ends_with_it(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = Path(folder) / "pid"
            script = (f"import signal, sys; sys.path.insert(0, {str(TOOLS)!r}); "
                      "import build_linux as b; signal.signal(signal.SIGTERM, b.raise_exit); "
                      f"b.run_quietly(['sh', '-c', 'sleep 300 & echo $! > {mark}; wait'])")
            process = subprocess.Popen([sys.executable, "-c", script])
            end = time.monotonic() + 30
            while not (mark.exists() and mark.read_text()) and time.monotonic() < end:
                time.sleep(0.05)
            process.terminate()
            self.assertEqual(process.wait(30), 128 + 15)
            child = int(mark.read_text())
            while is_running(child) and time.monotonic() < end + 30:	# it has been told
                time.sleep(0.05)
            self.assertFalse(is_running(child))

    def test_ended_while_it_starts_something(self):
        script = (f"import os, signal, subprocess, sys; sys.path.insert(0, {str(TOOLS)!r})\n"
                  "import build_linux as b; signal.signal(signal.SIGTERM, b.raise_exit)\n"
                  "make = subprocess.Popen.__init__\n"
                  "def make_and_be_told(self, *arguments, **named):\n"
                  "    make(self, *arguments, **named)\n"
                  "    print(self.pid, flush=True)\n"
                  "    os.kill(os.getpid(), signal.SIGTERM)\n"
                  "subprocess.Popen.__init__ = make_and_be_told\n"
                  "b.run_quietly(['sleep', '300'])")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 128 + 15)
        self.assertFalse(is_running(int(done.stdout)))


class RunLinux(unittest.TestCase):
    def test_log_is_shared_among_the_modules(self):
        modules = [Module(Path(f"{name}.ko")) for name in ("first", "sec-ond", "third", "fourth")]
        self.assertTrue(digest(CONSOLE + "[    0.2] run_linux: end\nafter\n", modules))
        self.assertEqual([module.init for module in modules], [0, -11, None, None])
        self.assertEqual([module.exit for module in modules], [0, None, None, None])
        self.assertEqual(modules[0].lines, ["first: here", "  indented", "first: gone"])
        self.assertEqual(modules[1].lines, ["second: no"])
        self.assertEqual(modules[1].name, "sec_ond")

    def test_log_without_an_end(self):
        self.assertFalse(digest(CONSOLE, [Module(Path(f"{i}.ko")) for i in range(3)]))

    def test_parameters(self):
        self.assertEqual(quoted("a=1"), "a=1")
        self.assertEqual(quoted("a=b c=d"), 'a="b c=d"')

    def test_archive_is_what_cpio_reads(self):
        members = [("init", 0o100755, b"12345"), ("dev", 0o040755, b"")]
        data = b"".join(cpio_entry(*member) for member in [*members, ("TRAILER!!!", 0, b"")])
        # Each field is eight hexadecimal digits; name and content begin at multiples of four.
        at = 0
        for name, mode, content in members:
            fields = [int(data[at + 6 + 8 * i:at + 14 + 8 * i], 16) for i in range(13)]
            self.assertEqual((data[at:at + 6], fields[1], fields[6], fields[11]),
                             (b"070701", mode, len(content), len(name) + 1))
            start = (at + 110 + fields[11] + 3) // 4 * 4
            self.assertEqual(data[at + 110:at + 111 + len(name)], name.encode() + b"\0")
            self.assertEqual(data[start:start + len(content)], content)
            at = (start + len(content) + 3) // 4 * 4

    def run_shell(self, script, limit):
        with tempfile.TemporaryFile() as log:
            status = execute(["sh", "-c", script], log, limit, None)
            log.seek(0)
            return status, log.read().decode()

    def test_status_and_output(self):
        self.assertEqual(self.run_shell("echo here; exit 3", 20), (3, "here\n"))

    def test_nothing_is_left_running(self):
        begin = time.monotonic()
        status, out = self.run_shell("sleep 60 & echo $!; wait", 1)
        self.assertIsNone(status)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertFalse(is_running(int(out)))

    def test_wrong_arguments(self):
        for arguments in (["run_linux.py"], ["run_linux.py", "nothing.c"],
                          ["run_linux.py", "a=1"], ["compare_linux.py", "--runs=0"],
                          ["run_linux.py", "--kernel=6.12", "--cpus=2", "a.ko"],
                          ["build_linux.py", "--kernel=5.0"],
                          ["compare_linux.py", "--usermm=nothing"],
                          ["compare_linux.py", f"--usermm={sys.executable}",
                           "--json=/nowhere/file"]):
            with self.subTest(arguments):
                result = subprocess.run([sys.executable, TOOLS / arguments[0], *arguments[1:]],
                                        text=True, capture_output=True, timeout=60)
                self.assertIn(result.returncode, (1, 2))
                self.assertNotIn("Traceback", result.stderr)
                self.assertRegex(result.stderr.splitlines()[-1], "^(build|run|compare)_linux")


class Compare(unittest.TestCase):
    def entries(self, linux, usermm, hz=2e9):
        """One kernel, and one version of the rules."""
        return list(compare({"6.12": linux}, {"6.12": usermm}, hz))

    def test_rows(self):
        text = "[    0.1] m: row pair 64 9.87\n[    0.2] row x 1 0.00\nrow y\narrow z 1 1.0\n"
        self.assertEqual(rows_of(text), {("pair", 64): 9.87, ("x", 1): 0.0})

    def test_medians_and_ratio(self):
        entry, = self.entries([{("pair", 64): cost} for cost in (30.0, 90.0, 60.0)],
                              [{("pair", 64): cost} for cost in (5.0, 15.0, 10.0)])
        self.assertEqual((entry["linux"], entry["usermm"], entry["ratio"]),
                         ({"6.12": 60}, {"6.12": 10}, 6))
        self.assertEqual(entry["linux_runs"], {"6.12": [30, 90, 60]})
        self.assertEqual((entry["seed_before"], entry["seed_after"]), (115, 109))

    def test_nanoseconds(self):
        entry, = self.entries([{("order3", 3): 200.0}], [{("order3", 3): 100.0}])
        self.assertEqual((entry["unit"], entry["linux"], entry["usermm"], entry["ratio"]),
                         ("ns", {"6.12": 100}, {"6.12": 50}, 2))

    def test_fastest_linux_and_slower_usermm(self):
        entry, = compare({"6.12": [{("pair", 64): 60.0}], "7.3": [{("pair", 64): 40.0}],
                          "7.3-smp": [{}]},
                         {"6.12": [{("pair", 64): 10.0}], "7.3": [{("pair", 64): 20.0}]}, 1e9)
        self.assertEqual(entry["linux"], {"6.12": 60, "7.3": 40})
        self.assertEqual(entry["ratio"], 2)
        self.assertEqual(medians_of({"a": [{}]}, ("pair", 64), 1), ({}, {}))

    def test_what_is_missing_is_absent(self):
        entry, = self.entries([{}, {}], [{("remote_free", 8): 20.0}, {("remote_free", 8): 30.0}])
        self.assertEqual(entry["usermm"], {"6.12": 25})
        self.assertFalse({"linux", "ratio", "seed_before", "linux_runs"} & set(entry))
        self.assertEqual(self.entries([{}], [{}]), [])

    def test_row_that_a_run_lacks_is_no_figure(self):
        entry, = self.entries([{("pair", 8): 1.0}, {}], [{("pair", 8): 1.0}] * 2)
        self.assertNotIn("linux", entry)

    def test_nothing_is_divided_by_zero(self):
        entry, = self.entries([{("pair", 8): 5.0}], [{("pair", 8): 0.0}])
        self.assertEqual(entry["usermm"], {"6.12": 0})
        self.assertNotIn("ratio", entry)

    def test_what_the_seeds_measured_has_to_be_there(self):
        both = {(row.linux_key): 1.0 for row in ROWS} | {(row.usermm_key): 1.0 for row in ROWS}

        def lacking(linux, kernel="6.12"):
            version = KERNELS[kernel].version
            entries = compare({kernel: [linux]}, {version: [both]}, 1e9)
            return list(figures_lacking(list(entries), [kernel], [version]))
        self.assertEqual(lacking(both), [])
        lame = {key: cost for key, cost in both.items() if key != ("pair", 64)}
        self.assertEqual(lacking(lame), ["kmalloc pair 64 (linux 6.12)"])
        one_cpu = {key: cost for key, cost in both.items() if "remote" not in key[0]}
        self.assertEqual(lacking(one_cpu), [])
        no_list = {key: cost for key, cost in both.items() if key[0] != "list"}
        self.assertEqual(lacking(no_list, "7.3-smp"), [])
        self.assertIn("page-bulk list 64 (linux 6.12)", lacking(no_list))

    def test_what_became_of_seed_0(self):
        bits = "\tBUILD_BUG_ON(__GFP_HIGH != (__force gfp_t) ALLOC_MIN_RESERVE);\n"
        ifs = "\tif (gfp_mask & __GFP_HIGH)\n\t\talloc_flags |= ALLOC_MIN_RESERVE;\n"
        self.assertFalse(has_seed_0(bits))
        self.assertTrue(has_seed_0(ifs))
        for neither in ("", bits + ifs):
            with self.assertRaisesRegex(SystemExit, "neither way"):
                has_seed_0(neither)

    def test_columns_stand_below_their_names(self):
        heads = line_of("", "step", "path", ["before", "after"], ["6.12"], ["7.3"], "usermm")
        row = line_of("order3_comp", 3, "", ["240.0", "235.5"], ["39.9"], ["16.3"], "2.45")
        self.assertEqual(len(heads), len(row))
        self.assertEqual(row.index("39.9") + 4, heads.index("6.12") + 4)

    def test_rows_are_there_once(self):
        names = [(row.suite, row.name, row.step, row.path) for row in ROWS]
        self.assertEqual(len(names), len(set(names)))

    def test_suites(self):
        suites = nested(self.entries([{("single", 1): 2.0}], [{("single", 1): 1.0}]))
        self.assertEqual([row["name"] for row in suites["page-bulk"]], ["single"])
        self.assertEqual(suites["kmalloc"], [])


if __name__ == "__main__":
    unittest.main()
