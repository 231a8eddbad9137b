#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every instruction has unwind information, so that profilers find its callers.

    check_unwind.py FILE...

FILE is a shared library or an executable. Each instruction of each executable section must lie in
the range of an entry of .eh_frame (an FDE). Padding between functions need not. Nor need what comes
from the compiler and the linker and has no information anywhere: SECTIONS and FUNCTIONS below.
Each offence is one line, FILE: SECTION, address, what stands there; the exit status is then 1. It
is 77 if the installed capstone does not know the processor.
"""
import bisect
import re
import subprocess
import sys

# Imported first, since it says which packages are missing.
from machine_code import ARCHITECTURES

from elftools.elf.elffile import ELFFile

SHF_EXECINSTR = 4
SKIPPED = 77
# libc's start and end of a program; stubs that jump to other objects, for which some linkers write
# no unwind information.
SECTIONS = {".init", ".fini", ".plt", ".plt.got", ".plt.sec", ".iplt"}
# The compiler's crtbegin.o and libc's crt1.o.
FUNCTIONS = {"_start", "_init", "_fini", "deregister_tm_clones", "register_tm_clones",
             "__do_global_dtors_aux", "frame_dummy", "call_weak_fn", "load_gp",
             "_dl_relocate_static_pie", "_start_c", "__wrap_main"}
PADDING = {"nop", "int3", "unimp", "udf", "xchg", "c.nop", "c.unimp"}


def covered_ranges(path):
    """(start, end) of all FDEs, in order. By readelf, since elftools takes seconds for it."""
    said = subprocess.run(["readelf", "--debug-dump=frames", path], capture_output=True, text=True,
                          check=True).stdout
    # .debug_frame is not loaded.
    text = re.split(r"(?m)^Contents of the (\S+) section:$", said)
    entries = "".join(text[i + 1] for i in range(1, len(text), 2) if text[i] == ".eh_frame")
    return sorted((int(start, 16), int(end, 16)) for start, end in
                  re.findall(r"(?m)^\S+ \S+ \S+ FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)$", entries))


def gaps(start, end, ranges):
    """(start, end) of the parts of start .. end - 1 that are in no range."""
    for first, behind in ranges:
        if behind <= start or first >= end:
            continue
        if first > start:
            yield start, first
        start = max(start, behind)
    if start < end:
        yield start, end


class Functions:
    """(start, end, name) of all functions in the symbol table, in order."""

    def __init__(self, elf):
        table = elf.get_section_by_name(".symtab") or elf.get_section_by_name(".dynsym")
        self.all = sorted(
            (symbol["st_value"], symbol["st_value"] + symbol["st_size"], symbol.name)
            for symbol in table.iter_symbols() if symbol["st_info"]["type"] == "STT_FUNC")
        self.longest = max((end - start for start, end, _ in self.all), default=0)

    def in_range(self, first, behind):
        """The functions that overlap first .. behind - 1, or are empty and begin there."""
        begin = bisect.bisect_left(self.all, (first - self.longest,))
        end = bisect.bisect_left(self.all, (behind,))
        return [one for one in self.all[begin:end] if one[1] > first or one[0] >= first]


def is_padding(decoder, code, start):
    """Is this nothing but padding? A long one may begin with a jump to its end."""
    if not code.strip(b"\0"):
        return True
    at = 0
    for insn in decoder.disasm(code, start):
        jumps_to_end = insn.mnemonic in ("jmp", "b", "j") and \
            insn.op_str.lstrip("#") == hex(start + len(code))
        if insn.mnemonic.split()[-1] not in PADDING and not jumps_to_end:
            break
        at += insn.size
    return not code[at:].strip(b"\0")


def offences(path):
    with open(path, "rb") as file:
        elf = ELFFile(file)
        ranges, known = covered_ranges(path), Functions(elf)
        architecture = ARCHITECTURES.get(elf["e_machine"])
        if not architecture:
            print(f"{path}: no decoder for {elf['e_machine']}")
            sys.exit(SKIPPED)
        decoder = architecture().decoder
        if not ranges:
            yield "has no unwind information"
        for section in elf.iter_sections():
            if not section["sh_flags"] & SHF_EXECINSTR or section.name in SECTIONS:
                continue
            start, code = section["sh_addr"], section.data()
            for first, behind in gaps(start, start + len(code), ranges):
                yield from look_at(decoder, section, first, behind, known.in_range(first, behind))


def look_at(decoder, section, first, behind, known):
    """Yields what in a gap is neither a function named above nor padding."""
    allowed = [(begin, end) for begin, end, name in known
               if name in FUNCTIONS and begin < behind and end > first]
    for start, end in gaps(first, behind, allowed):
        code = section.data()[start - section["sh_addr"]:end - section["sh_addr"]]
        # frame_dummy and its like may have no size, or jump into one another.
        names = [name for begin, _, name in known if start <= begin < end]
        if names and set(names) <= FUNCTIONS:
            continue
        if names or not is_padding(decoder, code, start):
            what = ", ".join(names) or "code without a name"
            yield f"{section.name} from {start:#x}, {end - start} bytes: {what}"


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__)
    failed = 0
    for path in sys.argv[1:]:
        found = list(offences(path))
        for offence in found:
            print(f"{path}: {offence}")
        failed += len(found)
    print(f"check_unwind: {len(sys.argv) - 1} files, {failed} offences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
