#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does `usermm inspect` tell the truth of live processes and cores, and refuse bad input?

    run_inspect.py USERMM LEAKY LIBRARY
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from inspecting import Program, inspect, make_core, scratch

USERMM, LEAKY, LIBRARY = (sys.argv.pop(1) for _ in range(3))
STATIC = str(Path(LEAKY).with_name("inspect_leaky_static"))
NO_PROCESS, NO_PERMISSION, NO_USERMM, OTHER_VERSION, BAD_CORE = 3, 4, 5, 6, 7
DAMAGED, ENDED, NO_BLOCK = 8, 9, 10
LISTS = 2	# this program of leaky.c has 1000 blocks of 64 bytes in a list, and loses 1000


class Inspect(unittest.TestCase):
    def told(self, *words, status=0):
        done = inspect(USERMM, *words)
        self.assertEqual((done.returncode, done.stderr), (status, ""), words)
        return done.stdout

    def document(self, *words, status=0):
        return json.loads(self.told(*words, "--json", status=status))

    def refused(self, status, pattern, *words):
        done = inspect(USERMM, *words)
        self.assertEqual(done.returncode, status, (words, done))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertRegex(done.stderr, f"^usermm inspect: {pattern}")

    def check_all(self, target):
        """What every target with the program LISTS must tell."""
        summary = self.document(target, "summary")
        stats = summary["stats"]
        self.assertGreaterEqual(stats["slab_bytes"], 2000 * 64)
        self.assertGreaterEqual(stats["online_bytes"], stats["slab_bytes"])
        self.assertLessEqual(2000 * 64, stats["allocated_bytes"])
        self.assertLessEqual(stats["allocated_bytes"], stats["active_bytes"])
        self.assertEqual(summary["process"]["command"], Path(LEAKY).name[:15]
                         if summary["process"]["command"] != Path(STATIC).name[:15]
                         else Path(STATIC).name[:15])
        caches = {cache["name"]: cache for cache in self.document(target, "caches")["caches"]}
        cache = caches["malloc-64"]
        self.assertGreaterEqual(cache["active_objs"], 2000)
        self.assertGreaterEqual(cache["num_objs"], cache["active_objs"])
        self.assertEqual(cache["bytes"], cache["num_slabs"] * cache["pagesperslab"] * 4096)
        zones = self.document(target, "zones")["zones"]
        self.assertEqual(sum(zone["present_pages"] for zone in zones) * 4096,
                         stats["online_bytes"])
        self.assertRegex(self.told(target, "options"), r"(?m)^rseq +auto$")
        self.assertRegex(self.told(target, "verify"), r"^\d+ checks: all invariants hold\n$")
        kinds = [block["pages"] for block in self.document(target, "map")["pageblocks"]]
        self.assertEqual(sum(sum(pages.values()) for pages in kinds) * 4096,
                         stats["online_bytes"])
        leaks = self.document(target, "leaks", status=1)
        self.assertEqual(leaks["blocks"], 1000)
        self.check_block(target, int(leaks["groups"][0]["addresses"][17], 16))
        return leaks

    def check_block(self, target, start):
        for address in start, start + 8, start + 63:
            block = self.document(target, "whatis", hex(address))
            self.assertEqual((block["block"], block["size"], block["cache"], block["state"],
                              block["offset"]),
                             (hex(start), 64, "malloc-64", "in use", address - start))
        self.assertIn(f"object {block['index']} of ", self.told(target, "whatis", hex(start)))

    def test_live(self):
        with Program(LEAKY, LIBRARY, LISTS) as program:
            before = program.run_time()
            for command in "summary", "caches", "zones", "options", "map", "verify":
                self.told(program.pid, command)
            self.assertEqual(program.run_time(), before, "the target runs for its reader")
            self.check_all(program.pid)

    def test_stopped(self):
        with Program(LEAKY, LIBRARY, LISTS) as program:
            program.process.send_signal(signal.SIGSTOP)
            os.waitpid(program.pid, os.WUNTRACED)
            self.check_all(program.pid)
            state = re.search(r"^State:\t(.)", Path(f"/proc/{program.pid}/status").read_text(),
                              re.M)[1]
            self.assertEqual(state, "T", "it was stopped before")
            program.process.send_signal(signal.SIGCONT)

    def test_static(self):
        with Program(STATIC, None, LISTS) as program:
            self.check_all(program.pid)

    def test_core(self):
        with scratch() as folder:
            core = make_core(LEAKY, LIBRARY, LISTS, folder)
            if not core:
                self.skipTest("this machine makes no core here")
            self.check_all(core)
            whole = core.read_bytes()
            cut = Path(folder) / "cut"
            cut.write_bytes(whole[:len(whole) * 3 // 4])
            done = inspect(USERMM, cut, "summary")
            self.assertRegex(done.stderr, "(?m)the core was cut off: it lacks [0-9]+ of the bytes")
            self.assertIn(done.returncode, (0, BAD_CORE, DAMAGED))
            cut.write_bytes(whole[:100])
            self.refused(BAD_CORE, ".*cut.* it was cut off, or is damaged|.*is no core", cut)

    def test_top(self):
        with Program(LEAKY, LIBRARY, LISTS) as program:
            for words in ([str(program.pid)], []):
                done = subprocess.run([USERMM, "top", "-b", "-n", "2", "-d", "0.1", *words],
                                      text=True, capture_output=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout.count("usermm top: "), 2)
                self.assertIn(str(program.pid), done.stdout)
                done = subprocess.run([USERMM, "top", "--json", "-n", "2", "-d", "0.1", *words],
                                      text=True, capture_output=True, timeout=60)
                documents = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual(len(documents), 2)
            pids = [process["process"]["pid"] for process in documents[1]["processes"]]
            self.assertIn(program.pid, pids)
            for key, column in ("name", 0), ("size", 3):
                done = subprocess.run([USERMM, "top", str(program.pid), "-b", "-n", "1", "--sort",
                                       key], text=True, capture_output=True, timeout=60)
                rows = [line.split()[column] for line in done.stdout.splitlines()
                        if line.startswith("malloc-")]
                self.assertEqual(rows, sorted(rows) if key == "name" else
                                 sorted(rows, key=int, reverse=True))

    def test_owners(self):
        with Program(LEAKY, LIBRARY, LISTS, "slab_debug=FZPU") as program:
            owners = self.document(program.pid, "owners")
            self.assertGreaterEqual(owners["blocks"], 2000)
            stacks = [group["stack"][0] for group in owners["groups"]]
            self.assertTrue(any("leaky.c" in frame for frame in stacks), stacks)
            address = next(group["addresses"][0] for group in owners["groups"]
                           if "leaky.c" in group["stack"][0])
            self.assertIn("leaky.c", self.document(program.pid, "whatis", address)["allocated"][0])
        with Program(LEAKY, LIBRARY, LISTS) as program:
            self.refused(NO_BLOCK, "process [0-9]+ keeps no owners; start it with profile=",
                         program.pid, "owners")

    def test_damage(self):
        """A write behind a block's end, and one to a free object's link."""
        with Program(LEAKY, LIBRARY, LISTS, "slab_debug=FZPU") as program:
            address = int(self.document(program.pid, "owners")["groups"][0]["addresses"][0], 16)
            block = self.document(program.pid, "whatis", hex(address))
            with open(f"/proc/{program.pid}/mem", "r+b", buffering=0) as memory:
                memory.seek(address + block["size"])
                memory.write(b"x")
            self.refused(DAMAGED, f"the heap is damaged: cache {block['cache']}: the bytes behind "
                         f"the object at {address:#x} are overwritten", program.pid, "verify")
            program.process.kill()
            program.process.wait()

    def test_bad_targets(self):
        self.refused(NO_PROCESS, "there is no process 4194305", 4194305)
        self.refused(NO_PROCESS, "there is no process 9{30}", "9" * 30)
        self.refused(NO_PROCESS, "/no/such is no process id, and no file", "/no/such")
        self.refused(BAD_CORE, "/ is no core: no regular file", "/")
        self.refused(BAD_CORE, ".* is an ELF file, but no core", USERMM)
        self.refused(BAD_CORE, ".* is no process id, and no ELF core", __file__)
        with subprocess.Popen(["sleep", "60"]) as other:
            self.refused(NO_USERMM, f"process {other.pid} .*does not run on usermm", other.pid)
            other.kill()
        with scratch() as folder:
            empty = Path(folder) / "empty"
            empty.touch()
            self.refused(BAD_CORE, ".*empty", empty)

    def test_ended(self):
        with subprocess.Popen(["true"], stdout=subprocess.PIPE) as gone:
            gone.stdout.read()
            # A zombie still has its number, but no memory.
            os.waitid(os.P_PID, gone.pid, os.WEXITED | os.WNOWAIT)
            self.refused(ENDED, f"process {gone.pid} has ended", gone.pid)

    def test_other_version(self):
        with scratch() as folder:
            library = Path(folder) / "libusermm_malloc.so"
            bytes_ = Path(LIBRARY).read_bytes()
            # The name, then the version and the number of rows.
            at = re.search(rb"\x01\x00\x00\x00usermm\x00\x00\x01\x00", bytes_).end() - 2
            library.write_bytes(bytes_[:at] + b"\x63" + bytes_[at + 1:])
            with Program(LEAKY, library, LISTS) as program:
                self.refused(OTHER_VERSION, f"process {program.pid} has usermm [0-9.]+, layout "
                             "version 99; this tool reads version 1", program.pid)

    def test_no_permission(self):
        if os.geteuid() or not shutil.which("setpriv"):
            self.skipTest("needs root, and setpriv")
        with Program(LEAKY, LIBRARY, LISTS) as program:
            done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                   "--inh-caps=-all", USERMM, "inspect", str(program.pid)],
                                  text=True, capture_output=True, timeout=60)
            if "cannot" in done.stderr and "exec" in done.stderr:
                self.skipTest("another user cannot reach the command")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (NO_PERMISSION, 1), done)
            self.assertIn("no permission to read process", done.stderr)

    def test_bad_words(self):
        for words, pattern in (
                ([], "no target given"), (["1", "what"], "unknown command 'what'; there are: sum"),
                (["1", "caches", "x"], "unexpected argument 'x'"),
                (["1", "whatis"], "whatis needs an address"),
                (["1", "whatis", "x1"], "no address 'x1'"),
                (["1", "--sort", "x"], "--sort takes bytes"), (["1", "-x"], "unknown option '-x'"),
                (["1", "--addresses", "x"], "--addresses takes a number")):
            self.refused(2, pattern, *words)
        with Program(LEAKY, LIBRARY, LISTS) as program:
            self.refused(NO_BLOCK, "0x1000 is no block: it is in no mapping", program.pid,
                         "whatis", "0x1000")


unittest.main()
