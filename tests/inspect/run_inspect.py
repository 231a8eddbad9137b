#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does `usermm inspect` tell the truth about live processes and cores, and refuse bad input?

    run_inspect.py USERMM LEAKY LIBRARY
"""
import ctypes
import json
import os
import pty
import platform
import re
import shutil
import signal
import struct
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from inspecting import Program, inspect, make_core, make_gcore, scratch

USERMM, LEAKY, LIBRARY = (sys.argv.pop(1) for _ in range(3))
QUICKLISTS = str(Path(LEAKY).with_name("inspect_quicklists"))
MAIN_THREAD_ENDED = str(Path(LEAKY).with_name("inspect_main_thread_ended"))
STATIC = str(Path(LEAKY).with_name("inspect_leaky_static"))
NO_PROCESS, NO_PERMISSION, NO_USERMM, OTHER_VERSION, CUT_CORE = 3, 4, 5, 6, 7
DAMAGED, ENDED, NO_BLOCK, NO_INPUT, BAD_INPUT, NO_OWNERS, TRACED = 8, 9, 10, 12, 13, 15, 17
ENDS = 15	# loses blocks of more than a page, each of which may be the last of its slab
LEFT = 14	# mixed slabs, and objects of them in the sheaf of the cache that they left
SPARSE = 13	# this one has mixed slabs: 10000 blocks of 112 bytes, 250 of them lost, and others
LISTS = 2	# this program of leaky.c has 1000 blocks of 64 bytes in a list, and loses 1000


def drain(pid, terminal):
    """Reads what the program still writes; returns its status."""
    while True:
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:	# the end of a terminal
            break
    return os.waitpid(pid, 0)[1]


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
        """What the commands must print for every target with the program LISTS."""
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

    def test_full_disk(self):
        with Program(LEAKY, LIBRARY, LISTS) as program, open("/dev/full", "w") as full:
            done = subprocess.run([USERMM, "inspect", str(program.pid), "summary"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 11)
            self.assertIn("the output cannot be written", done.stderr)

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
            self.check_cut(core, cut)
            cut.write_bytes(whole[:100])
            self.refused(BAD_INPUT, ".*cut.* it was cut off, or is damaged|.*is no core", cut)

    def check_cut(self, core, cut):
        """Missing bytes count neither as damage nor as zero, and a block that only missing bytes
        reach is no leak."""
        whole = core.read_bytes()
        for part in (0.995, 0.97, 0.95, 0.93, 0.92, 0.91, 0.9, 0.88, 0.75, 0.5):
            cut.write_bytes(whole[:int(len(whole) * part)])
            for command in "summary", "caches", "zones":
                with self.subTest(part=part, command=command):
                    self.check_numbers(core, cut, command)
            done = inspect(USERMM, cut, "leaks", "--json")
            self.assertEqual(done.returncode, CUT_CORE, (part, done))
            if done.stdout:
                self.assertIn("the core was cut off", json.loads(done.stdout)["lacks"])
            for command in ("summary", "leaks", "zones"):
                with self.subTest(part=part, command=command):
                    done = inspect(USERMM, cut, command)
                    self.assertIn("the core was cut off: it lacks ", done.stderr)
                    self.assertIn(done.returncode, (0, CUT_CORE), done.stderr)

    def check_numbers(self, core, cut, command):
        """Either the figures are those of the whole core, or none are shown."""
        done = inspect(USERMM, cut, command, "--json")
        self.assertEqual((done.returncode, done.stdout == ""),
                         (CUT_CORE, True) if done.returncode else (0, False), done)
        if not done.returncode:
            told = json.loads(done.stdout)
            self.assertIn("the core was cut off", told.pop("lacks"))
            self.assertEqual(told, self.document(core, command))

    def test_cut_core_without_leaks(self):
        """The missing part may have more leaks."""
        with scratch() as folder:
            core = make_core(QUICKLISTS, None, 0, folder)
            if not core:
                self.skipTest("this machine makes no core here")
            self.assertEqual(self.document(core, "leaks")["blocks"], 0)
            with open(core, "r+b") as file:
                file.truncate(core.stat().st_size - 4096)
            done = inspect(USERMM, core, "leaks", "--json")
            self.assertEqual(done.returncode, CUT_CORE, done)
            told = json.loads(done.stdout)
            self.assertEqual(told["blocks"], 0)
            self.assertIn("the core was cut off: it lacks 4096 of", told["lacks"])

    def test_gcore(self):
        """gcore puts the notes at the end, and leaves out pages that the library's file has, such
        as those with zones' names."""
        with scratch() as folder:
            core = make_gcore(LEAKY, LIBRARY, LISTS, folder)
            if not core:
                self.skipTest("gcore makes no core here")
            self.check_all(core)
            zones = self.document(core, "zones")
            self.assertNotIn("?", json.dumps(zones))
            cut = Path(folder) / "cut"
            self.check_cut(core, cut)
            self.refused(CUT_CORE, ".* notes, which say where the library is, are among them", cut,
                         "summary")

    @unittest.skipUnless(platform.machine() == "x86_64", "it knows the registers of x86-64 alone")
    def test_core_unused_stack(self):
        """Old words below the stack pointer, in the same page, do not count."""
        with scratch() as folder:
            core = make_core(LEAKY, LIBRARY, LISTS, folder)
            if not core:
                self.skipTest("this machine makes no core here")
            leaks = self.document(core, "leaks", status=1)
            self.assertEqual(leaks["blocks"], 1000)
            bytes_ = bytearray(core.read_bytes())
            first, = struct.unpack_from("<Q", bytes_, 32)
            number, = struct.unpack_from("<H", bytes_, 56)
            headers = [struct.unpack_from("<IIQQQQ", bytes_, first + i * 56)
                       for i in range(number)]
            notes = next(at for kind, _, at, *_ in headers if kind == 4)
            # struct elf_prstatus: the registers begin at byte 112, the stack pointer is the 20th.
            status = bytes_.index(b"CORE\0\0\0\0", notes)
            while struct.unpack_from("<I", bytes_, status - 4)[0] != 1:
                status = bytes_.index(b"CORE\0\0\0\0", status + 8)
            stack, = struct.unpack_from("<Q", bytes_, status + 8 + 112 + 19 * 8)
            unused = (stack - 136) & ~4095
            at = next(at + unused - start for kind, _, at, start, _, size in headers
                      if kind == 1 and start <= unused < start + size)
            struct.pack_into("<Q", bytes_, at, int(leaks["groups"][0]["addresses"][0], 16))
            core.write_bytes(bytes_)
            self.assertEqual(self.document(core, "leaks", status=1)["blocks"], 1000)

    def check_mixed(self, target):
        """What the commands must print for every target with the program SPARSE."""
        summary = self.document(target, "summary")
        mixed = summary["mixed"]
        self.assertEqual(mixed, self.document(target, "caches")["mixed"])
        self.assertGreaterEqual(mixed["slabs"], 6720000 // 32768)
        self.assertGreaterEqual(mixed["blocks"], 10000)
        self.assertLess(mixed["released_pages"], mixed["pages"])
        self.assertGreater(mixed["released_pages"], mixed["pages"] // 4)
        self.assertLessEqual(mixed["pages"] * 4096, summary["stats"]["slab_bytes"])
        self.assertLessEqual(mixed["used_bytes"], summary["stats"]["allocated_bytes"])
        self.assertLess(summary["stats"]["allocated_bytes"], 3 << 20, "holes are not in use")
        self.assertRegex(self.told(target, "summary"), "mixed slabs, of the slabs +[0-9.]+[KM], ")
        self.assertRegex(self.told(target, "caches"),
                         rf"(?m)^\(mixed\) +{mixed['blocks']} +- +- +{mixed['slabs']} ")
        self.assertRegex(self.told(target, "verify"), r"^\d+ checks: all invariants hold\n$")
        blocks = [block for block in self.document(target, "map")["pageblocks"]
                  if "mixed" in block["pages"]]
        self.assertEqual(sum(block["pages"]["mixed"] for block in blocks), mixed["pages"])
        self.assertEqual(sum(block["mixed_used_bytes"] for block in blocks), mixed["used_bytes"])
        self.assertRegex(self.told(target, "map"), r"(?m)^  m mixed .* tenths are used$")
        leaks = self.document(target, "leaks", status=1)
        self.assertEqual(leaks["blocks"], 400)
        groups = {group["size"]: group for group in leaks["groups"] if group["cache"] == "mixed"}
        self.assertEqual(groups[112]["blocks"], 250)
        for size, most in (208, 100), (1024, 50):
            self.assertIn(groups[size]["blocks"], range(1, most + 1))
        return {size: int(group["addresses"][0], 16) for size, group in groups.items()}

    def test_last_byte(self):
        """It may lie in a page where no object begins yet."""
        with Program(LEAKY, LIBRARY, ENDS) as program:
            for group in self.document(program.pid, "leaks", status=1)["groups"]:
                for address in group["addresses"]:
                    block = self.document(program.pid, "whatis",
                                          hex(int(address, 16) + group["size"] - 1))
                    self.assertEqual((block["block"], block["offset"], block["state"]),
                                     (address, group["size"] - 1, "in use"))
            self.assertRegex(json.dumps(self.document(program.pid, "map")), '"slab tail": [1-9]')
            self.assertRegex(self.told(program.pid, "verify"), "all invariants hold")

    def test_mixed(self):
        with Program(LEAKY, LIBRARY, SPARSE) as program:
            places = self.check_mixed(program.pid)
            top = subprocess.run([USERMM, "top", "-b", "-n", "1", str(program.pid)],
                                 capture_output=True, text=True, timeout=60, check=True)
            self.assertRegex(top.stdout, r"(?m)^\(mixed\) +[1-9]\d* ")
            for size, start in places.items():
                for address in start, start + size - 1:
                    block = self.document(program.pid, "whatis", hex(address))
                    self.assertEqual((block["kind"], block["block"], block["size"], block["cache"],
                                      block["state"], block["offset"]),
                                     ("mixed", hex(start), size, "mixed", "in use",
                                      address - start))
                self.assertIn(f"in the mixed slab at {block['slab']}",
                              self.told(program.pid, "whatis", hex(start)))
            # The first of 40 blocks that stayed: the block in front of it was freed.
            groups = self.document(program.pid, "leaks", status=1)["groups"]
            before = [int(address, 16) - 16 for group in groups if group["size"] == 112
                      for address in group["addresses"][-5:]]
            self.assertIn(NO_BLOCK, [inspect(USERMM, program.pid, "whatis", hex(address)).returncode
                                     for address in before])
            with scratch() as folder:
                path = Path(folder) / "heap.svg"
                self.told(program.pid, "map", "-o", path)
                self.assertRegex(path.read_text(), "mixed slab: objects of several sizes, [0-9]+ "
                                 "of 256 granules of 16 bytes are used")

    def test_mixed_core(self):
        with scratch() as folder:
            core = make_core(LEAKY, LIBRARY, SPARSE, folder)
            if not core:
                self.skipTest("this machine makes no core here")
            self.check_mixed(core)

    def test_mixed_left(self):
        """An object in its cache's sheaf may lie in a slab that left the cache."""
        with Program(LEAKY, LIBRARY, LEFT) as program:
            caches = self.document(program.pid, "caches")
            self.assertGreater(caches["mixed"]["slabs"], 100)
            cache = next(cache for cache in caches["caches"] if cache["name"] == "malloc-112")
            self.assertGreater(cache["cached_objs"], 0)
            self.assertLess(cache["num_slabs"], 100)
            self.assertRegex(self.told(program.pid, "verify"), "all invariants hold")

    def test_mixed_damage(self):
        """A record that counts a granule too many."""
        with Program(LEAKY, LIBRARY, SPARSE) as program:
            groups = self.document(program.pid, "leaks", status=1)["groups"]
            address = next(group["addresses"][0] for group in groups if group["size"] == 112)
            block = self.document(program.pid, "whatis", address)
            with open(f"/proc/{program.pid}/mem", "r+b", buffering=0) as memory:
                used = int(block["record"], 16) + 40	# struct mixed_record
                memory.seek(used)
                count = int.from_bytes(memory.read(4), sys.byteorder)
                memory.seek(used)
                memory.write((count + 1).to_bytes(4, sys.byteorder))
            self.refused(DAMAGED, f"the heap is damaged: the mixed slab at {block['slab']} counts "
                         f"{count + 1} granules in use, but its map has {count}", program.pid,
                         "verify")
            program.process.kill()
            program.process.wait()

    def test_quicklists(self):
        """60 pages of 100 wait on quicklist-1, and 4 of 10 on a list of its own."""
        with Program(QUICKLISTS, None, 0) as program:
            lists = {entry["name"]: entry["pages"]
                     for entry in self.document(program.pid, "caches")["quicklists"]}
            self.assertEqual((lists["quicklist-1"], lists["with-blocks"]), (60, 4))
            self.assertEqual(self.document(program.pid)["stats"]["quicklist_bytes"], 64 * 4096)
            self.assertRegex(self.told(program.pid, "caches"),
                             "(?m)^quicklist with-blocks: 4 free pages$")
            blocks = self.document(program.pid, "map")["pageblocks"]
            self.assertEqual(sum(block["pages"].get("quicklist", 0) for block in blocks), 64)
            self.refused(NO_BLOCK, "0x[0-9a-f]+ is no block: it is in a free page on a quicklist",
                         program.pid, "whatis", program.process.stdout.readline().decode().strip())
            # Constructors keep blocks in pages, also in those that wait.
            self.assertEqual(self.document(program.pid, "leaks"),
                             {"blocks": 0, "bytes": 0, "groups": []})

    def test_pictures(self):
        with scratch() as folder, Program(LEAKY, LIBRARY, LISTS) as program:
            for name in "heap.svg", "heap.html":
                path = Path(folder) / name
                self.told(program.pid, "map", "-o", path)
                text = path.read_text()
                svg = ElementTree.fromstring(text[text.index("<svg xmlns"):
                                                  text.rindex("</svg>") + 6])
                titles = [title.text for title in svg.iter() if title.tag.endswith("title")]
                self.assertTrue(any(re.fullmatch("0x[0-9a-f]+, [0-9]+ pages?: malloc-64, [0-9]+ "
                                                 "of [0-9]+ objects are out", title)
                                    for title in titles), titles)
                self.assertNotIn("http", text.replace("http://www.w3.org/2000/svg", ""))
            self.refused(11, "/no/such/map.svg cannot be written: No such file", program.pid, "map",
                         "-o", "/no/such/map.svg")

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

    def test_screen(self):
        """On a terminal a key chooses the order, and q ends."""
        with Program(LEAKY, LIBRARY, LISTS) as program:
            pid, terminal = pty.fork()
            if not pid:
                os.environ["TERM"] = "xterm"
                os.execv(USERMM, [USERMM, "top", str(program.pid), "-d", "30"])
            said = b""
            while b"uit" not in said:	# the last line
                said += os.read(terminal, 65536)
            self.assertIn(b"malloc-64", said)
            os.write(terminal, b"nq")
            self.assertEqual(os.waitstatus_to_exitcode(drain(pid, terminal)), 0)

    def test_owners(self):
        with Program(LEAKY, LIBRARY, LISTS, "slab_debug=FZPU") as program:
            owners = self.document(program.pid, "owners")
            self.assertGreaterEqual(owners["blocks"], 2000)
            stacks = [group["stack"][0] for group in owners["groups"]]
            self.assertTrue(any("leaky.c" in frame for frame in stacks), stacks)
            address = next(group["addresses"][0] for group in owners["groups"]
                           if "leaky.c" in group["stack"][0])
            self.assertIn("leaky.c", self.document(program.pid, "whatis", address)["allocated"][0])

    def test_lines_without_address_ranges(self):
        """A program as clang makes it: without the section that tells a unit by an address."""
        with scratch() as folder:
            program = shutil.copy(LEAKY, Path(folder) / "leaky")
            subprocess.run(["objcopy", "--remove-section=.debug_aranges", program], check=True)
            with Program(program, LIBRARY, LISTS, "slab_debug=FZPU") as running:
                self.assertIn("(leaky.c:", self.told(running.pid, "owners"))
        with Program(LEAKY, LIBRARY, LISTS) as program:
            self.refused(NO_OWNERS, "process [0-9]+ keeps no owners; start it with profile=",
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
        self.refused(NO_INPUT, "/no/such is no process id, and no file", "/no/such")
        self.refused(BAD_INPUT, "/ is no core: no regular file", "/")
        self.refused(BAD_INPUT, ".* is an ELF file, but no core", USERMM)
        self.refused(BAD_INPUT, ".* is no process id, and no ELF core", __file__)
        with subprocess.Popen(["sleep", "60"]) as other:
            self.refused(NO_USERMM, f"process {other.pid} .*does not run on usermm", other.pid)
            other.kill()
        with scratch() as folder:
            empty = Path(folder) / "empty"
            empty.touch()
            self.refused(BAD_INPUT, ".*empty", empty)

    def test_ended(self):
        with subprocess.Popen(["true"], stdout=subprocess.PIPE) as gone:
            gone.stdout.read()
            # A zombie still has its number, but no memory.
            os.waitid(os.P_PID, gone.pid, os.WEXITED | os.WNOWAIT)
            self.refused(ENDED, f"process {gone.pid} has ended", gone.pid)

    def test_ends_meanwhile(self):
        with Program(LEAKY, LIBRARY, LISTS) as program:
            top = subprocess.Popen([USERMM, "top", str(program.pid), "-b", "-d", "0.05"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            top.stdout.readline()
            program.process.kill()
            program.process.wait()
            _, said = top.communicate(timeout=60)
            self.assertEqual((top.returncode, said),
                             (ENDED, f"usermm top: process {program.pid} has ended\n"))

    def test_main_thread_ended(self):
        """The process lives on; its memory is reached through another thread."""
        with Program(MAIN_THREAD_ENDED, LIBRARY, 0) as program:
            state = Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()[0]
            self.assertEqual(state, "Z")
            caches = {cache["name"]: cache
                      for cache in self.document(program.pid, "caches")["caches"]}
            self.assertGreaterEqual(caches["malloc-112"]["active_objs"], 1000)
            self.assertRegex(self.told(program.pid, "verify"), "all invariants hold")
            done = inspect(USERMM, program.pid, "leaks", "--json")
            self.assertEqual(done.stderr, "")
            self.assertLess(json.loads(done.stdout)["blocks"], 100)
            done = subprocess.run([USERMM, "record", "-n", "1", "-o", "-", str(program.pid)],
                                  capture_output=True, text=True, timeout=60, check=True)
            self.assertGreater(json.loads(done.stdout.splitlines()[1])["rss_bytes"], 100000)

    def test_kernel_thread(self):
        if not Path("/proc/2/comm").exists() or Path("/proc/2/comm").read_text() != "kthreadd\n":
            self.skipTest("no kernel thread is seen here")
        self.refused(NO_USERMM, r"process 2 \(kthreadd\) is a thread of the kernel", 2)

    def test_other_version(self):
        with scratch() as folder:
            library = Path(folder) / "libusermm_malloc.so"
            bytes_ = Path(LIBRARY).read_bytes()
            # The name, then the version and the number of rows.
            at = re.search(rb"\x01\x00\x00\x00usermm\x00\x00\x04\x00", bytes_).end() - 2
            library.write_bytes(bytes_[:at] + b"\x63" + bytes_[at + 1:])
            with Program(LEAKY, library, LISTS) as program:
                self.refused(OTHER_VERSION, f"process {program.pid} has usermm [0-9.]+, layout "
                             "version 99; this tool reads version 4", program.pid)

    def test_upgraded(self):
        """The files of program and library have gone, and others have their names."""
        with scratch() as folder:
            leaky, library = (shutil.copy(path, folder) for path in (LEAKY, LIBRARY))
            core = make_core(leaky, library, LISTS, folder)
            with Program(leaky, library, LISTS, "slab_debug=FZPU") as program:
                for path in leaky, library:
                    shutil.copy(sys.executable, path + ".new")
                    os.replace(path + ".new", path)
                summary = self.document(program.pid)
                self.assertEqual(summary["process"]["library"], library + " (deleted)")
                self.check_all(program.pid)
                if os.access(next(Path(f"/proc/{program.pid}/map_files").iterdir()), os.R_OK):
                    self.assertIn("leaky.c", self.told(program.pid, "owners"))
            if core:
                self.check_all(core)

    def test_container(self):
        """A process with numbers, and files, of its own."""
        with scratch() as folder:
            inside = Path(folder) / "inside"
            inside.mkdir()
            start = Path(folder) / "start"
            start.write_text(f"""#!/bin/sh
                exec unshare --mount --pid --fork --kill-child sh -c '
                mount -t tmpfs none {inside} && cp {LEAKY} {LIBRARY} {inside} &&
                LD_PRELOAD={inside}/{Path(LIBRARY).name} exec {inside}/{Path(LEAKY).name} {LISTS}'
                """)
            start.chmod(0o755)
            if not shutil.which("unshare") or subprocess.run(
                    ["unshare", "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "none",
                     inside], capture_output=True).returncode:
                self.skipTest("no namespaces can be made here")
            with Program(start, None, LISTS, "slab_debug=FZPU") as program:
                pid = int(Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text())
                summary = self.document(pid)
                self.assertEqual(summary["process"]["pid"], pid)
                self.assertEqual(summary["process"]["library"], f"{inside}/{Path(LIBRARY).name}")
                self.assertEqual(list(inside.iterdir()), [], "its files are not seen from here")
                self.check_all(pid)
                self.assertIn("leaky.c", self.told(pid, "owners"))

    def test_traced(self):
        with Program(LEAKY, LIBRARY, LISTS) as program:
            seize = 0x4206
            if ctypes.CDLL(None).ptrace(seize, program.pid, None, None):
                self.skipTest("ptrace() is not permitted")
            self.told(program.pid, "caches")
            self.refused(TRACED, f"process {program.pid} cannot be paused: process "
                         f"{os.getpid()} traces it", program.pid, "leaks")

    def test_yama(self):
        """
        The message for each value of Yama's setting. The file is a made one, so that it needs no
        kernel with Yama; a process that may not be dumped stands for one that Yama protects.
        """
        nobody = dict(user=65534, group=65534, extra_groups=[])
        if os.geteuid() or not shutil.which("setpriv") or not shutil.which("unshare"):
            self.skipTest("needs root, setpriv and unshare")
        with scratch() as folder:
            os.chmod(folder, 0o711)
            leaky = shutil.copy(LEAKY, folder)
            os.chmod(leaky, 0o711)	# who may not read it, may not dump it
            with Program(leaky, None, LISTS, **nobody) as program:
                for scope, pattern in (
                        (0, "it may not be dumped; run this as root"),
                        (1, "kernel.yama.ptrace_scope is 1; run this as root, or set it to 0"),
                        (2, "kernel.yama.ptrace_scope is 2; run this as root, with CAP_SYS_PTRACE"),
                        (3, "kernel.yama.ptrace_scope is 3; nothing helps before the next boot")):
                    script = ("mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama "
                              f"&& echo {scope} >/proc/sys/kernel/yama/ptrace_scope && exec "
                              "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "
                              f"{USERMM} inspect {program.pid}")
                    done = subprocess.run(["unshare", "--mount", "sh", "-c", script], text=True,
                                          capture_output=True, timeout=60)
                    if done.returncode != NO_PERMISSION and "inspect:" not in done.stderr:
                        self.skipTest(f"cannot be set up here: {done.stderr}")
                    self.assertEqual(done.returncode, NO_PERMISSION, done)
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertIn(f"no permission to read process {program.pid}: {pattern}",
                                  done.stderr)

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
            self.assertIn(f"no permission to read process {program.pid}: it belongs to another "
                          "user; run this as root", done.stderr)

    def test_bad_words(self):
        for words, pattern in (
                ([], "no target given"), (["1", "what"], "unknown command 'what'; there are: sum"),
                (["1", "caches", "x"], "unexpected argument 'x'"),
                (["1", "whatis"], "whatis needs an address"),
                (["1", "whatis", "x1"], "no address 'x1'"),
                (["1", "whatis", "-1"], "unknown option"),
                (["1", "whatis", " 1"], "no address ' 1'"),
                (["1", "whatis", "0x" + 17 * "1"], "no address"),
                (["1", "--addresses", "-1"], "--addresses takes a number"),
                (["1", "leaks", "--addresses", "9" * 30], "--addresses takes a number"),
                (["1", "summary", "-o", "x.svg"], "--output goes with map, not with summary"),
                (["1", "leaks", "--sort", "size"], "--sort goes with caches"),
                (["1", "map", "--addresses", "1"], "--addresses goes with leaks, owners"),
                (["1", "--sort", "x"], "--sort takes bytes, .*, name; not 'x'"),
                (["1", "-x"], "unknown option '-x'"),
                (["1", "--addresses", "x"], "--addresses takes a number")):
            self.refused(2, pattern, *words)
        with Program(LEAKY, LIBRARY, LISTS) as program:
            self.refused(NO_BLOCK, "0x1000 is no block: it is in no mapping", program.pid,
                         "whatis", "0x1000")


unittest.main()
