#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does `usermm inspect PID map -o FILE.html` (or .svg) draw the heap as it is?

    check_map.py USERMM
"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom
from pathlib import Path

USERMM = sys.argv.pop(1)
USAGE, NO_PROCESS, NO_OUTPUT = 2, 3, 11
ROW = 1024
# Small and large blocks, of which some are freed again; then it waits.
PROGRAM = """
import random, sys
random.seed(1)
blocks = [bytearray(random.choice((24, 100, 700, 3000, 20000, 200000))) for _ in range(3000)]
random.shuffle(blocks)
del blocks[1000:]
print(1, flush=True)
sys.stdin.read()
"""


class Map(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.process = subprocess.Popen([USERMM, "run", "-o", "background=off", "--", sys.executable,
                                        "-c", PROGRAM], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE)
        cls.process.stdout.readline()

    @classmethod
    def tearDownClass(cls):
        cls.process.communicate()

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_tool(self, *words):
        return subprocess.run([USERMM, "inspect", *words], text=True, capture_output=True,
                              timeout=60)

    def draw(self, name):
        path = self.folder / name
        done = self.run_tool(str(self.process.pid), "map", "-o", str(path))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return path.read_text()

    def totals(self):
        """Pages of each kind, as the map for programs has them."""
        done = self.run_tool(str(self.process.pid), "map", "--json")
        totals = {}
        for block in json.loads(done.stdout)["pageblocks"]:
            for kind, nr in block["pages"].items():
                totals[kind] = totals.get(kind, 0) + nr
        return totals

    def rectangles(self, svg):
        """(row, column, width, class, tooltip) of each rectangle but those of the legend."""
        for rect in xml.dom.minidom.parseString(svg).getElementsByTagName("rect"):
            if rect.firstChild:
                x, y, width = (int(rect.getAttribute(name)) for name in ("x", "y", "width"))
                yield y, x, width, rect.getAttribute("class"), \
                    rect.firstChild.firstChild.data

    def test_rows_are_full_and_kinds_are_those_of_the_map(self):
        rows, pages = {}, {}
        for y, x, width, kind, tooltip in self.rectangles(self.draw("heap.svg")):
            end = rows.get(y, 170)
            self.assertEqual(x, end, "a gap, or rectangles that overlap")
            rows[y] = x + width
            pages[kind[0]] = pages.get(kind[0], 0) + width // 2
            self.assertIn(f" {width // 2} page", tooltip)
        self.assertGreater(len(rows), 3)
        self.assertEqual(set(rows.values()), {170 + ROW})
        totals = self.totals()
        self.assertEqual(pages["s"], totals["slab"] + totals.get("slab tail", 0))
        self.assertEqual(pages["b"], totals["block"] + totals.get("block tail", 0))
        self.assertEqual(pages.get("i", 0) + pages.get("r", 0), totals["free"])
        self.assertEqual(sum(pages.values()), sum(totals.values()))

    def test_legend(self):
        """Each colour has its word: in the order of the page's table."""
        page = self.draw("heap.html")
        table = re.findall(r'<span class="?(\w)"?[^>]*></span>([^<]+)<td>', page)
        legend = re.findall(r'<rect [^>]*class="(\w)"/><text [^>]*>([^<]+)</text>', page)
        self.assertEqual([kind for kind, _ in legend], [kind for kind, _ in table])
        words = dict(legend)
        self.assertEqual((words["q"], words["k"], words["i"], words["r"]),
                         ("quicklist", "barns", "idle", "given back"))
        self.assertNotIn("(null)", page)

    def test_tooltips(self):
        tooltips = [tooltip for *_, tooltip in self.rectangles(self.draw("heap.svg"))]
        slabs = [re.search(r"(malloc-\d+), (\d+) of (\d+) objects are out", tooltip)
                 for tooltip in tooltips if "objects are out" in tooltip]
        # Two thirds of the blocks were freed, so some slabs are full and some are not.
        self.assertEqual({match[2] == match[3] for match in slabs}, {True, False})
        out = {}
        for match in slabs:
            out[match[1]] = out.get(match[1], 0) + int(match[2])
        done = self.run_tool(str(self.process.pid), "caches", "--json")
        told = {cache["name"]: cache["active_objs"] + cache["cached_objs"]
                for cache in json.loads(done.stdout)["caches"]}
        self.assertGreater(len(out), 10)
        self.assertEqual(out, {name: told[name] for name in out})
        free = [tuple(map(int, words[0])) for tooltip in tooltips
                if (words := re.findall(r" (\d+) pages?: free, .*, order (\d+)", tooltip))]
        self.assertTrue(free)
        # A block of two rows has its order in both.
        self.assertEqual([(pages, order) for pages, order in free if pages > 1 << order], [])

    def test_page(self):
        text = self.draw("heap.html")
        totals = self.totals()
        for name, number in (("slab", totals["slab"] + totals.get("slab tail", 0)),
                             ("block of whole pages",
                              totals["block"] + totals.get("block tail", 0))):
            self.assertRegex(text, rf"</span>{name}<td>{number}<td>")
        self.assertIn("prefers-color-scheme:dark", text)
        self.assertNotRegex(text, r"(src|href)=|<script|url\(|@import")
        self.assertGreater(len(list(self.rectangles(re.search("<svg.*</svg>", text, re.S)[0]))),
                           10)

    def test_text_for_other_names(self):
        self.assertRegex(self.draw("heap.txt"), r"\Aa line: ")

    def test_bad_input(self):
        pid = str(self.process.pid)
        for status, words in ((NO_OUTPUT, [pid, "map", "-o", "/no/such/heap.html"]),
                              (NO_PROCESS, ["999999999", "map", "-o", "x.svg"]),
                              (USAGE, [pid, "map", "-o"])):
            done = self.run_tool(*words)
            self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        full = self.folder / "full.html"
        full.symlink_to("/dev/full")
        self.assertEqual(self.run_tool(pid, "map", "-o", str(full)).returncode, NO_OUTPUT)


if __name__ == "__main__":
    unittest.main()
