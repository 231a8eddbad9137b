#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the programs of bench/floors: does each compile, and does a page of docs/ name it?"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/floors"))
import build_floors        # noqa: E402


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


class Floors(unittest.TestCase):
    def test_all_programs(self):
        pages = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
        with tempfile.TemporaryDirectory() as folder:
            built = build_floors.build(Path(folder))
            self.assertGreater(len(built), 10)
            for source, file in built.items():
                self.assertTrue(file.exists(), file)
                self.assertIn(f"bench/floors/{source.name}", pages, "no page has its figure")
            self.check_words(Path(folder))

    def check_words(self, folder):
        """Programs that take words refuse those that they cannot use."""
        for program, *words in (["class_peaks", "x"], ["class_peaks", "1", "0"],
                                ["class_peaks", "1", "1", "65"], ["large_turns", "0"],
                                ["remote", "24"], ["survivors"], ["survivors", "1", "8", "2"]):
            done = run(folder / program, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (program, words))
            self.assertIn(f"usage: {program} ", done.stderr)
        self.assertEqual(run(folder / "class_peaks", "1", "1", "8").returncode, 0)


unittest.main()
