#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/check_fast_paths.py count right, and tell what has changed?

Each instruction of a list is assembled and counted alone. Then a table is written, read, and
compared with counts that differ.
"""
import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from test_check_sequences import binutils
import check_fast_paths
from machine_code import UnknownInstruction, open_images

# Assembler text: branches, loads, stores.
INSTRUCTIONS = {
    "movq (%rax), %rbx": (0, 1, 0),
    "movq %rbx, (%rax)": (0, 0, 1),
    "movl %eax, %fs:8(%rbx)": (0, 0, 1),
    "movl %fs:(%rcx), %ecx": (0, 1, 0),
    "movzbl (%rax), %ebx": (0, 1, 0),
    "cmovne (%rax), %rbx": (0, 1, 0),
    "sete (%rax)": (0, 0, 1),
    "addq %rbx, %rax": (0, 0, 0),
    "addq (%rax), %rbx": (0, 1, 0),
    "addl $1, (%rax)": (0, 1, 1),
    "imulq (%rax), %rbx": (0, 1, 0),
    "cmpq %rax, (%rbx)": (0, 1, 0),
    "testb $1, (%rax)": (0, 1, 0),
    "leaq 8(%rax), %rbx": (0, 0, 0),
    "nopw (%rax)": (0, 0, 0),
    "prefetcht0 (%rax)": (0, 0, 0),
    "movups %xmm0, (%rax)": (0, 0, 1),
    "movups (%rax), %xmm0": (0, 1, 0),
    "movsd %xmm0, (%rax)": (0, 0, 1),
    "movsd (%rax), %xmm0": (0, 1, 0),
    "lock cmpxchgq %rbx, (%rax)": (0, 1, 1),
    "xchgq %rbx, (%rax)": (0, 1, 1),
    "rep stosq": (0, 0, 1),
    "movsq": (0, 1, 1),
    "pushq %rax": (0, 0, 1),
    "pushq (%rax)": (0, 1, 1),
    "popq %rax": (0, 1, 0),
    "popq (%rax)": (0, 1, 1),
    "call .": (1, 0, 1),
    "call *(%rax)": (1, 1, 1),
    "ret": (1, 1, 0),
    "jne .": (1, 0, 0),
    "jmp .": (1, 0, 0),
    "jmp *%rax": (1, 0, 0),
    "jmp *(%rax)": (1, 1, 0),
}


def assemble(folder, lines):
    """The image of these lines, and the addresses of its instructions."""
    text, obj = Path(folder) / "lines.s", Path(folder) / "lines.o"
    text.write_text("\t.text\n" + "".join(f"\t{line}\n" for line in lines))
    subprocess.run([f"{binutils('x86_64')}as", "-o", obj, text], check=True)
    image = open_images(obj)[0]
    section = image.section(".text")
    code = image.arch.decoder.disasm_lite(bytes(section.data), section.start)
    return image, [insn[0] for insn in code]


@unittest.skipIf(binutils("x86_64") is None, "no binutils for x86-64")
class Counting(unittest.TestCase):
    def test_each_instruction(self):
        with tempfile.TemporaryDirectory() as folder:
            image, addresses = assemble(folder, INSTRUCTIONS)
        self.assertEqual(len(addresses), len(INSTRUCTIONS))
        for address, (line, expected) in zip(addresses, INSTRUCTIONS.items()):
            with self.subTest(line):
                self.assertEqual(check_fast_paths.count(image, [address]), (1, *expected))

    def test_path(self):
        with tempfile.TemporaryDirectory() as folder:
            image, addresses = assemble(folder, ["movq (%rax), %rbx", "rep stosq", "jne ."])
        load, repeated, branch = addresses
        counts = check_fast_paths.count(image, [load, repeated, repeated, repeated, branch, branch])
        self.assertEqual(counts, (4, 2, 1, 1))

    def test_unknown_is_not_guessed(self):
        with tempfile.TemporaryDirectory() as folder:
            image, addresses = assemble(folder, ["fxsave (%rax)"])
        self.assertRaises(UnknownInstruction, check_fast_paths.count, image, addresses)


class Table(unittest.TestCase):
    COUNTS = {"malloc(64)": (31, 6, 10, 3), "free": (56, 10, 20, 4)}

    def test_round_trip(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.txt"
            check_fast_paths.write_table(table, "GCC: (Debian 12.2.0-14) 12.2.0", self.COUNTS)
            compiler, counts = check_fast_paths.read_table(table)
        self.assertEqual(compiler, "GCC: (Debian 12.2.0-14) 12.2.0")
        self.assertEqual(counts, self.COUNTS)

    def test_differences(self):
        now = {"malloc(64)": (33, 6, 11, 3), "calloc": (1, 1, 1, 1)}
        self.assertEqual(sorted(check_fast_paths.differences(self.COUNTS, now)), [
            "calloc: is not in the table",
            "free: is in the table, but was not recorded",
            "malloc(64): instructions 31 -> 33, loads 10 -> 11",
        ])
        self.assertEqual(list(check_fast_paths.differences(self.COUNTS, self.COUNTS)), [])

    def test_update_keeps_to_the_compiler(self):
        counts = {"free": (55, 10, 20, 4)}
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.txt"
            for compiler, written in (("gcc 12", True), ("gcc 14", False), ("gcc 12", True)):
                arguments = ["check_fast_paths.py", "--update", "--golden", str(table), "recorder"]
                refused = contextlib.nullcontext() if written else self.assertRaisesRegex(
                    SystemExit, "^[^\n]*the table is for gcc 12, and this was built by gcc 14")
                with mock.patch.object(check_fast_paths, "record",
                                       return_value=(compiler, counts)), \
                        mock.patch.object(sys, "argv", arguments), \
                        contextlib.redirect_stdout(io.StringIO()), refused:
                    check_fast_paths.main()
                self.assertEqual(check_fast_paths.read_table(table), ("gcc 12", counts))


if __name__ == "__main__":
    sys.exit(unittest.main())
