#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks compiled code against the rules of restartable sequences.

    check_sequences.py [--table] [--unregisters FUNCTION]... FILE...

FILE is a shared library, an executable, an object or an archive, for x86-64, aarch64 or
riscv64. The check makes sure that every descriptor in section __rseq_cs keeps these rules:

1. The kernel accepts the descriptor: version and flags are 0, it is aligned to 32 bytes, start
   and end lie in one section of code, the abort target lies outside of the sequence and behind
   the signature.
2. The instruction before the start announces the sequence: it stores the descriptor's address
   to the field rseq_cs of the thread's area.
3. From start to end there is no call, system call, division, barrier or unconditional jump to
   elsewhere, and at most MAX_INSTRUCTIONS instructions. A branch may leave the sequence for its
   own function or the section of the abort targets, but not after a store to the caller's
   memory: a sequence that is left must have had no effect.
4. The last instruction stores to the first word of the slot: this is the commit, and no other
   instruction does so. Earlier stores go to entries at or above the count, or to the caller's
   memory, never to the thread's area.

Further rules:

- all code: stores to the thread's area go to its field rseq_cs only;
- all files: no thread-local variable is found by a call, no IFUNC, no executable stack;
- shared libraries: need libc alone, are never unloaded, are bound at load time and read-only
  after relocation, have no relocations in code, and have at most MAX_TLS_BYTES of thread-local
  variables.

The check does not see: a first touch of memory in a sequence; a store to the area through a
pointer that went through memory other than the function's stack; a store to an area that is a
thread-local variable of the file itself, by its name; the functions named with --unregisters,
which take the area from the kernel first.

--table shows each sequence. Each offence is one line, FILE: FUNCTION+OFFSET: what is wrong; the
exit status is then 1.
"""
import argparse
import re
import struct
import sys
from dataclasses import dataclass

from machine_code import Memory, UnknownInstruction, open_images
from thread_pointer import COLD, area_stores

DESCRIPTOR = struct.Struct("<IIQQQ")     # version, flags, start, length, abort target
RSEQ_CS_OFFSET = 8          # of field rseq_cs in struct rseq; the kernel owns all others
MAX_INSTRUCTIONS = 64
MAX_TLS_BYTES = 64
# aarch64 and riscv64 may compute a descriptor's address up to this many instructions before the
# store.
ANNOUNCE_WINDOW = 8
# The longest code at an abort target.
ABORT_BYTES = 16

DYNAMIC_TLS = re.compile(r"DTPMOD|DTPOFF|DTPREL|TLSDESC|TLSGD|TLSLD(?!E)|TLS_DTP")
DF_TEXTREL, DF_BIND_NOW = 4, 8
DF_1_NOW, DF_1_NODELETE = 1, 8


@dataclass
class Sequence:
    """A descriptor and the code that it describes."""
    image: object
    descriptor: int
    version: int
    flags: int
    start: int
    length: int
    abort: int

    def __post_init__(self):
        self.end = self.start + self.length
        self.function = self.image.function_at(self.start)
        self.code = []              # from start to end
        self.before = []            # code of the same function before the start
        self.announcement = None
        self.stores = []            # (instruction, its destination())

    @property
    def name(self):
        return self.function.name if self.function else f"descriptor {self.descriptor:#x}"


# --- The descriptor -----------------------------------------------------------

def read_sequences(image):
    section = image.section("__rseq_cs")
    if section:
        for at in range(section.start, section.end - DESCRIPTOR.size + 1, DESCRIPTOR.size):
            yield Sequence(image, at, *DESCRIPTOR.unpack(image.bytes_at(at, DESCRIPTOR.size)))


def check_section(section):
    if len(section.data) % DESCRIPTOR.size:
        yield f"{section.name} does not consist of whole descriptors"
    if section.align % DESCRIPTOR.size:
        yield f"{section.name} is not aligned to {DESCRIPTOR.size} bytes"


def check_descriptor(seq):
    image = seq.image
    if seq.version or seq.flags:
        yield f"version {seq.version} and flags {seq.flags:#x} are not 0"
    section = image.section_at(seq.start)
    if not section or not section.executable or not seq.length or seq.end > section.end:
        yield f"{seq.start:#x} to {seq.end:#x} is not in one section of code"
    target = image.section_at(seq.abort)
    if seq.start <= seq.abort < seq.end:
        yield "the abort target is inside the sequence"
    elif not target or not target.executable:
        yield "the abort target is not code"
    elif image.bytes_at(seq.abort - 4, 4) != image.arch.signature:
        yield "the signature is missing in front of the abort target"


def decode(seq):
    """Reads the sequence's instructions; yields errors of its boundaries."""
    if not seq.function:
        yield "starts in no function of the symbol table"
        return
    function_end = seq.function.start + seq.function.size
    seq.before = seq.image.instructions(seq.function.start, seq.start)
    if not seq.before or seq.before[-1].end != seq.start:
        yield "does not start at an instruction"
    seq.code = seq.image.instructions(seq.start, seq.end)
    if not seq.code or seq.code[-1].end != seq.end or seq.end > function_end:
        yield "does not end at an instruction of its function"
        seq.code = []


# --- The announcement ---------------------------------------------------------

def written_address(instructions, register):
    """The constant address that these instructions leave in register; None if it is none."""
    for i in range(len(instructions) - 1, -1, -1):
        insn = instructions[i]
        if register not in insn.writes:
            continue
        if insn.mnemonic == "lea" and not insn.memory.base and not insn.memory.index:
            return insn.memory.displacement
        if insn.mnemonic in ("adr", "adrp"):
            return insn.operands[1]
        if insn.mnemonic == "add" and len(insn.operands) == 3 and isinstance(insn.operands[2], int):
            page = written_address(instructions[:i], insn.operands[1])
            return None if page is None else page + insn.operands[2]
        return None
    return None


def is_area_store(image, insn):
    """Is this a store of a register to [register + rseq_cs], on x86-64 relative to %fs?"""
    memory = insn.memory
    return (insn.stores == 1 and memory is not None and memory.base != "" and not memory.index and
            memory.displacement == RSEQ_CS_OFFSET and
            memory.segment == ("fs" if image.machine == "EM_X86_64" else ""))


def check_announcement(seq):
    store = seq.before[-1] if seq.before else None
    if not store or not is_area_store(seq.image, store):
        yield "no store to rseq_cs right before the start"
        return
    source = next(op for op in store.operands if not isinstance(op, Memory))
    window = 1 if seq.image.machine == "EM_X86_64" else ANNOUNCE_WINDOW
    if written_address(seq.before[-1 - window:-1], source) != seq.descriptor:
        yield "what is stored to rseq_cs is not this descriptor"
        return
    seq.announcement = store


# --- The code -----------------------------------------------------------------

def may_leave(seq, insn):
    """Is this a branch to the sequence's own function, its cold part or the abort targets?"""
    if insn.kind != "branch":
        return False
    function = seq.function
    if function.start <= insn.target < function.start + function.size:
        return True
    cold = seq.image.function_at(insn.target)
    return (seq.image.section_at(insn.target) is seq.image.section_at(seq.abort) or
            bool(cold and cold.name == function.name + COLD))


def check_flow(seq):
    addresses = {insn.address for insn in seq.code} | {seq.end}
    if len(seq.code) > MAX_INSTRUCTIONS:
        yield f"has {len(seq.code)} instructions, more than {MAX_INSTRUCTIONS}"
    for insn in seq.code:
        if insn.kind in ("call", "return", "trap", "divide"):
            yield f"`{insn.text}`: a {insn.kind} inside"
        elif insn.repeated:
            yield f"`{insn.text}`: repeats without bound"
        elif insn.kind in ("jump", "branch"):
            if insn.target is None:
                yield f"`{insn.text}`: an indirect jump inside"
            elif insn.target not in addresses and not may_leave(seq, insn):
                yield (f"`{insn.text}`: goes neither to an instruction of the sequence nor to "
                       "another part of its function")


# What a register holds, for the rules about stores: the caller's pointer or number (also any
# register that the sequence has not written yet), the slot's address, its count, an address among
# its entries, the address of an entry at or above the count, or anything else.
CALLER, SLOT, COUNT, ENTRIES, DEAD, OTHER = "caller", "slot", "count", "entries", "dead", "other"
# The address of an element of a caller's array. A value loaded from there is CALLER.
ELEMENT = "element"


def sum_of(state, base, index, constant, scaled):
    """What base + index + constant holds, as one of the names above."""
    held = state.get(base, CALLER)
    if held in (SLOT, ENTRIES):
        if not index:
            return held if not constant else ENTRIES if constant > 0 else OTHER
        return DEAD if state.get(index, CALLER) == COUNT and constant >= 0 else OTHER
    if held == CALLER and (scaled or not index or state.get(index, CALLER) == CALLER):
        return CALLER
    if held == DEAD and not index and constant >= 0:
        return DEAD
    return OTHER


def result_of(state, insn):
    """What insn leaves in the register it writes, as one of the names above."""
    ops = insn.operands
    memory = insn.memory
    if insn.mnemonic == "lea":
        return sum_of(state, memory.base, memory.index, memory.displacement, True)
    if insn.mnemonic in ("mov", "ldr") and memory:
        if memory.index and memory.base != "rip" and state.get(memory.base, CALLER) == CALLER:
            return CALLER       # loaded from an element of the caller's array
        if state.get(memory.base, CALLER) == ELEMENT:
            return CALLER
        first_word = not memory.index and not memory.displacement
        return COUNT if first_word and state.get(memory.base, CALLER) == SLOT else OTHER
    if insn.mnemonic == "mov" and isinstance(ops[1], str):
        return state.get(ops[1], CALLER)
    if insn.mnemonic == "add":
        base, added = (ops[0], ops[1]) if len(ops) == 2 else (ops[1], ops[2])
        scaled = bool(re.search("lsl|uxtw|sxtw", insn.text))
        if isinstance(added, int):
            return sum_of(state, base, "", added, False)
        if isinstance(added, str):
            held = sum_of(state, base, added, 0, scaled)
            return ELEMENT if held == CALLER and not scaled else held
    if insn.mnemonic == "slli":     # riscv64 has no scaled addresses: index * 8
        return state.get(ops[1], CALLER)
    return OTHER


def destination(state, insn):
    """Where a store goes to: CALLER, DEAD or SLOT; None if no sequence may store there."""
    memory = insn.memory
    if memory is None or memory.segment or not memory.base:
        return None
    held = state.get(memory.base, CALLER)
    if held in (CALLER, ELEMENT, DEAD):
        return DEAD if held == DEAD else CALLER
    if held in (SLOT, ENTRIES) and memory.index and state.get(memory.index, CALLER) == COUNT:
        return DEAD
    return SLOT if held in (SLOT, ENTRIES) else None


def check_stores(seq):
    commit = seq.code[-1]
    if commit.stores != 1 or not commit.memory:
        yield f"`{commit.text}`: the last instruction is not a store, so nothing is committed"
        return
    base = commit.memory.base
    made = [i for i, insn in enumerate(seq.code) if base in insn.writes]
    if not made:
        yield f"`{commit.text}`: commits to something that is not the current slot"
        return
    state = {}
    for i, insn in enumerate(seq.code):
        if insn.stores:
            goes_to = destination(state, insn)
            seq.stores.append((insn, goes_to))
            yield from check_store(insn, goes_to, insn is commit)
        for register in insn.writes:
            first = insn.operands and insn.operands[0] == register
            held = result_of(state, insn) if first else OTHER
            if insn.memory and insn.memory.base == register:    # written back
                held = state.get(register, CALLER)
            state[register] = SLOT if i == made[-1] and register == base else held


def check_store(insn, goes_to, is_commit):
    memory = insn.memory
    if is_commit:
        if goes_to != SLOT or memory.index or memory.displacement:
            yield f"`{insn.text}`: the last store is not to the slot's first word"
    elif memory is not None and memory.segment:
        yield f"`{insn.text}`: a store to the thread's own area inside"
    elif goes_to == SLOT:
        yield f"`{insn.text}`: a store to live words of the slot before the commit"
    elif goes_to is None:
        yield f"`{insn.text}`: a store to neither a dead entry nor the caller's memory"


def check_leaving(seq):
    """A branch must not leave the sequence after a store to the caller's memory."""
    place = {insn.address: i for i, insn in enumerate(seq.code)}
    behind = set()
    to_follow = [place[insn.address] for insn, goes_to in seq.stores if goes_to == CALLER]
    while to_follow:
        insn = seq.code[to_follow.pop()]
        ways = [] if insn.kind == "jump" else [insn.end]
        if insn.kind in ("jump", "branch"):
            ways.append(insn.target)
        for i in (place[way] for way in ways if way in place):
            if i not in behind:
                behind.add(i)
                to_follow.append(i)
    for i in sorted(behind):
        insn = seq.code[i]
        if insn.kind in ("jump", "branch") and insn.target not in place:
            yield f"`{insn.text}`: leaves after a store to the caller's memory"


def check_sequence(seq):
    yield from check_descriptor(seq)
    yield from decode(seq)
    if seq.code:
        yield from check_announcement(seq)
        yield from check_flow(seq)
        yield from check_stores(seq)
        yield from check_leaving(seq)


# --- The kernel's fields ------------------------------------------------------

def is_clearing(insn, areas):
    """Is this a store of 0 to rseq_cs? Code that may be unloaded does that."""
    source = next((op for op in insn.operands if not isinstance(op, Memory)), None)
    return (insn.memory.displacement == RSEQ_CS_OFFSET and not insn.memory.index and
            insn.memory.base in areas and source in (0, "xzr", "zero"))


def abort_edges(image, sequences):
    """Maps each instruction of a sequence to the address where its function goes on if aborted."""
    edges = {}
    for seq in sequences:
        jump = next((insn for insn in image.instructions(seq.abort, seq.abort + ABORT_BYTES)
                     if insn.kind == "jump"), None)
        if jump:
            edges.update((insn.address, jump.target) for insn in seq.code)
    return edges


def check_area_stores(image, sequences, unregistering):
    """Yields the forbidden stores to the thread's area, in all functions."""
    announcements = {seq.announcement.address for seq in sequences if seq.announcement}
    checked = {insn.address for seq in sequences for insn in seq.code} | announcements
    edges = abort_edges(image, sequences)
    names = {function.name for function in image.functions}
    mentioning = set()
    for function in image.functions:
        # Capstone does not know the shadow-stack instructions of the compiler's unwinder.
        if function.name.startswith("_Unwind_"):
            continue
        texts, end = image.text(function.start, function.start + function.size)
        if end != function.start + function.size:
            yield f"{function.name}{end - function.start:+#x}: an unknown instruction"
        if any(re.search(image.arch.thread_pointer_text, text) for text in texts):
            mentioning |= {function.name, function.name.removesuffix(COLD)}
    for function in image.functions:
        is_part = function.name.endswith(COLD) and function.name.removesuffix(COLD) in names
        if function.name not in mentioning or function.name in unregistering or is_part:
            continue
        areas = {seq.announcement.memory.base for seq in sequences
                 if seq.function == function and seq.announcement}
        for insn in area_stores(image, function, edges):
            if insn.address not in checked and not is_clearing(insn, areas):
                offset = insn.address - function.start
                yield (f"{function.name}{offset:+#x}: `{insn.text}`: stores to the thread's area "
                       "something else than a sequence's address to rseq_cs")


# --- The file -----------------------------------------------------------------

def check_file(image):
    dynamic_tls = sorted(kind for kind in image.relocation_types() if DYNAMIC_TLS.search(kind))
    if dynamic_tls:
        yield f"thread-local variables are found by a call: {', '.join(dynamic_tls)}"
    if image.symbol_types & {"STT_GNU_IFUNC", "STT_LOOS"} or any(
            "IRELATIV" in kind for kind in image.relocation_types()):
        yield "has an IFUNC"
    if not image.has_symbols:
        yield "has no symbol table, so its functions cannot be found"
    if image.relocatable:
        note = image.elf.get_section_by_name(".note.GNU-stack")
        if note is None or note["sh_flags"] & 4:
            yield "asks for an executable stack"
    else:
        stack = [s for s in image.elf.iter_segments() if s["p_type"] == "PT_GNU_STACK"]
        if not stack or stack[0]["p_flags"] & 1:
            yield "asks for an executable stack"
    if image.is_library:
        yield from check_library(image)


def check_library(image):
    tags = {}
    for tag in image.elf.get_section_by_name(".dynamic").iter_tags():
        tags.setdefault(tag.entry.d_tag, []).append(tag)
    flags = tags["DT_FLAGS"][0].entry.d_val if "DT_FLAGS" in tags else 0
    flags_1 = tags["DT_FLAGS_1"][0].entry.d_val if "DT_FLAGS_1" in tags else 0
    segments = {segment["p_type"]: segment for segment in image.elf.iter_segments()}

    foreign = [tag.needed for tag in tags.get("DT_NEEDED", ())
               if not re.match(r"libc\.|ld-|ld\.", tag.needed)]
    if foreign:
        yield f"needs more than libc: {', '.join(foreign)}"
    if not flags_1 & DF_1_NODELETE:
        yield "may be unloaded: DF_1_NODELETE is not set"
    if not (flags & DF_BIND_NOW or flags_1 & DF_1_NOW or "DT_BIND_NOW" in tags):
        yield "is bound lazily"
    if "PT_GNU_RELRO" not in segments:
        yield "is not read-only after relocation"
    if flags & DF_TEXTREL or "DT_TEXTREL" in tags:
        yield "has relocations in code"
    if "PT_TLS" in segments and segments["PT_TLS"]["p_memsz"] > MAX_TLS_BYTES:
        yield (f"has {segments['PT_TLS']['p_memsz']} bytes of thread-local variables, "
               f"more than {MAX_TLS_BYTES}")


def print_table(image, sequences):
    print(f"{image.label}: {len(sequences)} sequences")
    print(f"  {'function':32} {'offset':>7} {'bytes':>5} {'instr':>5} {'branch':>6} "
          f"{'stores':>6}  of them dead, caller's; commit")
    for seq in sequences:
        if not seq.code:
            continue
        goes_to = [where for _, where in seq.stores]
        branches = sum(insn.kind in ("jump", "branch") for insn in seq.code)
        offset = seq.start - seq.function.start
        print(f"  {seq.name:32} {offset:#7x} {seq.length:5} {len(seq.code):5} {branches:6} "
              f"{len(goes_to):6}  {goes_to.count(DEAD)}, {goes_to.count(CALLER)}; "
              f"{seq.code[-1].text}")


def check_image(image, table, unregistering):
    """All offences of one ELF file, and the number of its sequences."""
    offences = [f"{image.label}: {offence}" for offence in check_file(image)]
    sequences = list(read_sequences(image))
    section = image.section("__rseq_cs")
    if section:
        offences += [f"{image.label}: {offence}" for offence in check_section(section)]
    for seq in sequences:
        where = f"{seq.start - seq.function.start:+#x}" if seq.function else ""
        try:
            found = list(check_sequence(seq))
        except UnknownInstruction as error:
            found = [f"`{error}` is unknown to this check"]
        offences += [f"{image.label}: {seq.name}{where}: {offence}" for offence in found]
    try:
        found = list(check_area_stores(image, sequences, unregistering))
    except UnknownInstruction as error:
        found = [f"`{error}` is unknown to this check"]
    offences += [f"{image.label}: {offence}" for offence in found]
    if table:
        print_table(image, sequences)
    return offences, len(sequences)


def check_path(path, table=False, unregistering=()):
    """check_image() of all ELF files in path. At least one sequence must be there."""
    offences, nr_sequences = [], 0
    for image in open_images(path):
        found, nr = check_image(image, table, unregistering)
        offences += found
        nr_sequences += nr
    if not nr_sequences:
        offences.append(f"{path}: has no restartable sequence, so nothing was checked")
    return offences, nr_sequences


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--unregisters", action="append", default=[], metavar="FUNCTION")
    parser.add_argument("file", nargs="+")
    args = parser.parse_args()

    failed = 0
    for path in args.file:
        offences, nr_sequences = check_path(path, args.table, args.unregisters)
        for offence in offences:
            print(offence)
        failed += len(offences)
        print(f"{path}: {nr_sequences} sequences, {len(offences)} offences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
