#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads what usermm writes at exit as scripts read Linux's own files.

    check_formats.py USERMM [LINUX-SOURCE.tar.xz]

The expressions are those that monitoring tools use. Where this machine lets them be read
they are tried on the real files first, and every name that usermm has must be one of
Linux's, in Linux's order. With Linux's source, its page_owner_sort has to accept the
owners of pages.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

BUDDY = re.compile(r"Node (\d+), zone +(\w+) ((?: *\d+){11}) $")
VMSTAT = re.compile(r"(\w+) (\d+)$")
TYPE_FREE = re.compile(r"Node +(\d+), zone +(\w+), type +(\w+) ((?: *>?\d+){11}) $")
TYPE_BLOCKS = re.compile(r"Node (\d+), zone +(\w+) ((?: *\d+)+) $")
ZONE = re.compile(r"Node (\d+), zone +(\w+)$")
ZONE_FIELD = re.compile(r"(?:  pages)? *([a-z_ ]+?):? +(\d+|\([\d, ]+\))$")
# As tools/mm/page_owner_sort.c has them.
OWNER = [r"order\s*([0-9]*),", r"pid\s*([0-9]*),", r"tgid\s*([0-9]*) ",
         r"tgid\s*[0-9]*\s*\((.*)\),\s*ts", r"ts\s*([0-9]*)\s*ns"]

USERMM, SOURCE = None, None


def run_program(options):
    """The report at exit of a program that does not fork."""
    result = subprocess.run([USERMM, "run", "-o", options, "--", "/bin/sort", "/etc/passwd"],
                            capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stderr


def section(text, first, behind=None):
    """From the line that matches on, up to one that matches the other."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if re.match(first, line))
    end = next((i for i in range(start + 1, len(lines)) if behind and re.match(behind, lines[i])),
               len(lines))
    return lines[start:end]


def real(name):
    try:
        return Path("/proc", name).read_text().splitlines()
    except OSError:
        return []


def vmstat_names(lines):
    names = []
    for line in lines:
        match = VMSTAT.match(line)
        assert match, line
        names.append(match[1])
    return names


def zone_names(lines):
    """The fields of one populated zone, up to its pagesets."""
    names = []
    for line in lines[1:]:
        if line == "  pagesets":
            break
        if line == "  per-node stats":
            continue
        match = ZONE_FIELD.match(line)
        assert match, repr(line)
        names.append(match[1])
    return names


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = run_program("stats=2:page_owner=1")

    def in_order(self, ours, linux):
        if not linux:
            return
        known = [name for name in ours if name in linux]
        # Kernels differ in some names; most are in all of them.
        self.assertGreater(len(known), len(ours) * 3 // 4)
        self.assertEqual(known, sorted(known, key=linux.index))

    def test_buddyinfo(self):
        for line in real("buddyinfo") + section(self.text, "Node 0, zone", "slabinfo"):
            self.assertRegex(line, BUDDY)

    def test_vmstat(self):
        ours = section(self.text, "nr_free_pages ", "Page allocated")
        while ours and not ours[-1]:
            ours.pop()
        names = vmstat_names(ours)
        self.assertEqual(len(names), len(set(names)))
        self.in_order(names, vmstat_names(real("vmstat")))
        counts = dict(line.split() for line in ours)
        self.assertGreater(int(counts["pgalloc_normal"]), 0)
        self.assertGreater(int(counts["nr_slab_unreclaimable"]), 0)
        self.assertGreater(int(counts["pgfault"]), 0)

    def test_zoneinfo(self):
        ours = section(self.text, r"Node 0, zone\s+\w+$", "nr_free_pages")
        self.assertRegex(ours[0], ZONE)
        names = zone_names(ours)
        lines = real("zoneinfo")
        linux = []
        for start in (i for i, line in enumerate(lines) if ZONE.match(line)):
            if "  pagesets" in lines[start:]:
                found = zone_names(lines[start:])
                linux = found if len(found) > len(linux) else linux
        self.in_order(names, linux)
        # As psutil does to tell how much is available.
        low = sum(int(line.split()[1]) for line in ours if line.strip().startswith("low"))
        self.assertGreater(low, 0)
        self.assertIn("              count: ", "\n".join(ours))
        self.assertRegex("\n".join(ours), r"\n  node_unreclaimable:  0\n  start_pfn: {11}\d+")

    def test_pagetypeinfo(self):
        ours = section(self.text, "Page block order", r"Node 0, zone\s+\w+$")
        for lines in (real("pagetypeinfo"), ours):
            if not lines:
                continue
            text = "\n".join(lines)
            self.assertRegex(text, r"^Page block order: \d+\nPages per block:  \d+\n\nFree pages "
                                   r"count per migrate type at order  ( +\d+ ){11}\n")
            self.assertTrue([line for line in lines if TYPE_FREE.match(line)])
            self.assertTrue([line for line in lines if TYPE_BLOCKS.match(line)])
            self.assertRegex(text, r"\nNumber of blocks type +Unmovable +Movable +Reclaimable")

    def records(self):
        text = self.text[self.text.index("Page allocated via order"):]
        return [record for record in text.split("\n\n") if record]

    def test_page_owner(self):
        records = self.records()
        self.assertGreater(len(records), 10)
        for record in records:
            lines = record.splitlines()
            for pattern in OWNER:
                self.assertRegex(lines[0], pattern)
            self.assertRegex(lines[1], r"^PFN 0x[0-9a-f]+ type \w+ Block \d+ type \w+ Flags 0x")
            for line in lines[2:]:
                self.assertRegex(line, r"^ (/.*\+)?0x[0-9a-f]+$")
        self.assertTrue(any("/sort+0x" in record for record in records), records[0])

    def test_page_owner_sort(self):
        if not SOURCE or not shutil.which("cc"):
            self.skipTest("needs Linux's source")
        with tempfile.TemporaryDirectory() as folder:
            owners, result = Path(folder, "owners"), Path(folder, "sorted")
            owners.write_text("\n\n".join(self.records()) + "\n\n")
            with tarfile.open(SOURCE) as archive:
                member = next(m for m in archive if m.name.endswith("/tools/mm/page_owner_sort.c"))
                Path(folder, "sort.c").write_bytes(archive.extractfile(member).read())
            subprocess.run(["cc", "-O1", "-w", "-o", f"{folder}/sort", f"{folder}/sort.c"],
                           check=True)
            # By stack, and by the process: each record is one of its lines.
            for options, first in (["--cull=stacktrace"], r"^\d+ times, \d+ pages"), \
                                  (["-n", "--cull=pid,name"], r"^\d+ times, \d+ pages, PID \d+"):
                said = subprocess.run([f"{folder}/sort", *options, owners, result], text=True,
                                      capture_output=True, check=True, timeout=60)
                self.assertNotIn("wrong", said.stdout + said.stderr)
                self.assertRegex(result.read_text(), first)
                times = sum(int(n) for n in re.findall(r"(?m)^(\d+) times", result.read_text()))
                self.assertEqual(times, len(self.records()))


def main():
    global USERMM, SOURCE
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("usermm")
    parser.add_argument("source", nargs="?")
    args, rest = parser.parse_known_args()
    USERMM, SOURCE = os.path.abspath(args.usermm), args.source
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
