# SPDX-License-Identifier: MIT
"""ELF files and their instructions, for the checks that read compiled code.

An Image is a shared library, an executable or one relocatable object. Its relocations are
applied as far as the checks need it. An Instruction is one machine instruction of x86-64,
aarch64 or riscv64, with its effect on memory, registers and the flow of control. Tables in this
file give the effect. An instruction that touches memory but is in no table raises
UnknownInstruction, since a guess would be a hole in the check.
"""
import bisect
import io
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from instruction import Instruction, Memory, UnknownInstruction, matches

try:
    import capstone
    from elftools.elf.elffile import ELFFile
    from elftools.elf.enums import ENUM_RELOC_TYPE_AARCH64, ENUM_RELOC_TYPE_x64
    from elftools.elf.relocation import RelocationSection
except ImportError as error:
    sys.exit(f"{error}: needs Debian's python3-capstone and python3-pyelftools, "
             "and the python3 that they are installed for")

import machine_code_riscv64 as riscv64

SHF_ALLOC, SHF_EXECINSTR = 2, 4
ARCHIVE_MAGIC = b"!<arch>\n"


# --- Instructions -------------------------------------------------------------

class X86:
    """x86-64. Registers have their 64-bit names."""
    signature = bytes.fromhex("53300553")
    returned = ("rax", "rdx")       # registers for the results of calls and system calls
    stack_pointer = "rsp"
    thread_pointer = None           # its name, if it is a general-purpose register
    thread_pointer_text = r"fs:"

    is_untouched = matches("lea", "nop", "prefetch.*", "endbr64")
    # What these instructions do to their first operand, if it is memory.
    is_written = matches("movabs", "mov", "mov[ahlu]p[sd]", "movdq[au]", "mov[dqi]", "movnt.*",
                         "movs[sd]", "set.*", "pop", "vmov.*", "fstp?", "fnst.*", "fist.*",
                         "stmxcsr")
    is_read = matches("cmp", "test", "push", "call", "jmp", "i?mul", "i?div", "bt", "fi?ld.*",
                      "ldmxcsr", "fi?(add|sub|mul|div)r?")
    is_changed = matches("add", "sub", "adc", "sbb", "and", "or", "xor", "inc", "dec", "neg", "not",
                         "xchg", "xadd", "cmpxchg", "cmpxchg16b", "sh[lr]d?", "sa[lr]", "ro[lr]",
                         "bt[src]")
    is_string = matches("stos[bwdq]", "movs[bwdq]", "lods[bwdq]", "scas[bwdq]", "cmps[bwdq]")
    is_trap = matches("syscall", "sysenter", "int\\d?", "int", "into", "ud\\d?", "hlt", "cpuid",
                      "rdtscp?", "[lsm]fence", "xbegin", "wr[fg]sbase", "in", "out")
    is_divide = matches("i?div", "v?div[ps][sd]", "fi?div.*", "sqrt.*")
    is_branch = matches("j[a-z]+", "loop.*")

    def __init__(self):
        self.decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self.decoder.detail = True

    @staticmethod
    def register(name):
        """The 64-bit register that the named one is part of."""
        if not name:
            return ""
        if re.fullmatch(r"r\d+[dwb]?", name):
            return name.rstrip("dwb")
        if re.fullmatch(r"[re]?[abcd]x|[abcd][lh]", name):
            return f"r{name.strip('re')[0]}x" if name.endswith("x") else f"r{name[0]}x"
        if re.fullmatch(r"[re]?(si|di|bp|sp|ip)l?", name) or name in ("sil", "dil", "bpl", "spl"):
            return "r" + re.search("si|di|bp|sp|ip", name)[0]
        return name

    def operand(self, insn, op):
        name = insn.reg_name
        if op.type == capstone.x86.X86_OP_REG:
            return self.register(name(op.reg))
        if op.type == capstone.x86.X86_OP_IMM:
            return op.imm
        mem = op.mem
        base = self.register(name(mem.base)) if mem.base else ""
        index = self.register(name(mem.index)) if mem.index else ""
        displacement = mem.disp
        if base == "rip":
            base, displacement = "", insn.address + insn.size + mem.disp
        return Memory(base, index, displacement, name(mem.segment) if mem.segment else "")

    def kind(self, mnemonic):
        if mnemonic == "call":
            return "call"
        if mnemonic in ("ret", "retf", "iretq"):
            return "return"
        if mnemonic == "jmp":
            return "jump"
        if self.is_branch(mnemonic):
            return "branch"
        if self.is_trap(mnemonic):
            return "trap"
        return "divide" if self.is_divide(mnemonic) else "plain"

    def accesses(self, mnemonic, operands):
        """Number of loads and stores of one execution, including those of the stack."""
        loads = mnemonic in ("pop", "ret", "leave")
        stores = mnemonic in ("push", "call")
        places = [i for i, op in enumerate(operands) if isinstance(op, Memory)]
        if not places or self.is_untouched(mnemonic):
            return int(loads), int(stores)
        both = len(places) == 2     # movsd with one place is a scalar's move
        if self.is_string(mnemonic) and (both or mnemonic[:4] in ("stos", "lods", "scas")):
            return int(mnemonic[:4] != "stos"), int(mnemonic[:4] in ("stos", "movs"))
        if places[0]:
            return loads + 1, int(stores)
        if self.is_written(mnemonic):
            return int(loads), stores + 1
        if self.is_read(mnemonic):
            return loads + 1, int(stores)
        if self.is_changed(mnemonic):
            return loads + 1, stores + 1
        if mnemonic.startswith(("ucomis", "comis", "pcmp", "cmov")):
            return loads + 1, int(stores)
        raise UnknownInstruction(mnemonic)

    @staticmethod
    def decode_unknown(_address, _code):
        return None

    @staticmethod
    def joined(instructions):
        return instructions

    def decode(self, insn):
        words = insn.mnemonic.split()
        mnemonic = words[-1]
        operands = [self.operand(insn, op) for op in insn.operands]
        kind = self.kind(mnemonic)
        loads, stores = self.accesses(mnemonic, operands)
        direct = kind in ("call", "jump", "branch") and isinstance(operands[0], int)
        return Instruction(
            insn.address, insn.size, mnemonic, f"{insn.mnemonic} {insn.op_str}".strip(), kind,
            operands[0] if direct else None,
            next((op for op in operands if isinstance(op, Memory)), None), loads, stores,
            frozenset(self.register(insn.reg_name(reg)) for reg in insn.regs_access()[1]),
            operands, words[0].startswith("rep"),
            next((op.size for op in insn.operands if op.type == capstone.x86.X86_OP_MEM), 0))


class AArch64:
    """aarch64. Registers have their 64-bit names."""
    signature = bytes.fromhex("00bc28d4")
    returned = ("x0", "x1")
    stack_pointer = "sp"
    thread_pointer = None
    thread_pointer_text = r"(?i:tpidr_el0)"

    is_untouched = matches("prfu?m")
    is_load = matches("ldn?pw?", "ldpsw", "ld[ua]?[ax]?p?[rp]?u?r?(s?[bhw])?", "ld[1-4]r?",
                      "lda?x[rp][bh]?")
    is_store = matches("stn?p", "st[lu]?r[bh]?", "stl?x[rp][bh]?", "st[1-4]")
    is_changed = matches("casp?a?l?[bh]?", "swpa?l?[bh]?", "ld(add|clr|set|eor)a?l?[bh]?")
    is_trap = matches("svc", "hvc", "smc", "brk", "hlt", "udf", "wf[ei]", "eret", "dmb", "dsb",
                      "isb", "msr")
    is_divide = matches("[us]div", "fdiv", "fsqrt")

    def __init__(self):
        self.decoder = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
        self.decoder.detail = True

    @staticmethod
    def register(name):
        if not name:
            return ""
        if name in ("wsp", "wzr"):
            return "x" + name[1:] if name == "wzr" else "sp"
        aliases = {"fp": "x29", "lr": "x30"}
        return aliases.get(name, "x" + name[1:] if re.fullmatch(r"w\d+", name) else name)

    def operand(self, insn, op):
        name = insn.reg_name
        if op.type == capstone.arm64.ARM64_OP_REG:
            return self.register(name(op.reg))
        if op.type == capstone.arm64.ARM64_OP_MEM:
            return Memory(self.register(name(op.mem.base)) if op.mem.base else "",
                          self.register(name(op.mem.index)) if op.mem.index else "",
                          op.mem.disp)
        if op.type == capstone.arm64.ARM64_OP_IMM:
            return op.imm
        return insn.op_str.split(", ")[-1]

    def kind(self, mnemonic):
        if mnemonic in ("bl", "blr"):
            return "call"
        if mnemonic == "ret":
            return "return"
        if mnemonic in ("b", "br"):
            return "jump"
        if mnemonic in ("b.", "cbz", "cbnz", "tbz", "tbnz"):
            return "branch"
        if self.is_trap(mnemonic):
            return "trap"
        return "divide" if self.is_divide(mnemonic) else "plain"

    def accesses(self, mnemonic, operands):
        touches = any(isinstance(op, Memory) for op in operands)
        if not touches or self.is_untouched(mnemonic):
            return 0, 0
        if self.is_changed(mnemonic):
            return 1, 1
        if self.is_store(mnemonic):
            return 0, 1
        if self.is_load(mnemonic):
            return 1, 0
        raise UnknownInstruction(mnemonic)

    def decode(self, insn):
        mnemonic = "b." if insn.mnemonic.startswith("b.") else insn.mnemonic
        operands = [self.operand(insn, op) for op in insn.operands]
        kind = self.kind(mnemonic)
        loads, stores = self.accesses(mnemonic, operands)
        direct = (kind in ("call", "jump", "branch") and bool(operands) and
                  isinstance(operands[-1], int))
        return Instruction(
            insn.address, insn.size, mnemonic, f"{insn.mnemonic} {insn.op_str}".strip(), kind,
            operands[-1] if direct else None,
            next((op for op in operands if isinstance(op, Memory)), None), loads, stores,
            self.written(insn, mnemonic, operands, kind, stores), operands,
            width=self.width(mnemonic, insn.op_str))

    @staticmethod
    def width(mnemonic, operands):
        """Bytes that one register operand loads or stores; 64, the maximum, if unknown."""
        kinds = {"x": 8, "w": 4, "b": 1, "h": 2, "s": 4, "d": 8, "q": 16}
        narrow = re.fullmatch(r"(?:ld|st)[a-z]*?s?([bhw])", mnemonic)
        if narrow:
            return kinds[narrow[1]]
        one = re.match(r"([xwbhsdq])(\d+|zr)\b", operands)
        return kinds[one[1]] if one and not mnemonic.startswith(("stx", "stlx")) else 64

    @staticmethod
    def decode_unknown(address, code):
        """
        Decodes what older capstones do not know: the atomics of ARMv8.1, and SVE's count of
        a vector's elements, which the compiler's unwinder uses.
        """
        word = int.from_bytes(code[:4], "little")
        base, first, second = (f"x{word >> at & 31}" for at in (5, 16, 0))
        if word & 0xff30fc00 == 0x0420e000:
            return Instruction(address, 4, "cnt", f"cnt {second}", "plain",
                               writes=frozenset({second}), operands=[second])
        if word & 0x3fa07c00 == 0x08a07c00:
            mnemonic, written = "cas", first
        elif word & 0x3f200c00 == 0x38200000:
            mnemonic, written = "swp" if word & 0x8000 else "ldadd", second
        else:
            return None
        memory = Memory(base.replace("x31", "sp"))
        return Instruction(address, 4, mnemonic, f"{mnemonic} {first}, {second}, [{memory.base}]",
                           "plain", None, memory, 1, 1, frozenset({written}),
                           [first, second, memory], width=8)

    @staticmethod
    def joined(instructions):
        return instructions

    @staticmethod
    def written(insn, mnemonic, operands, kind, stores):
        """Registers that it writes: the first operand, both of a pair, a written-back base."""
        names = set()
        if kind == "plain" and mnemonic not in ("cmp", "cmn", "tst", "ccmp", "ccmn", "nop", "prfm"):
            if not stores or mnemonic.startswith(("stx", "stlx")):
                names.update(op for op in operands[:1] if isinstance(op, str))
                if mnemonic.startswith(("ldp", "ldnp", "ldxp", "ldaxp")):
                    names.add(operands[1])
            elif AArch64.is_changed(mnemonic):
                names.add(operands[0 if mnemonic.startswith("cas") else 1])
            if insn.writeback:
                names.update(op.base for op in operands if isinstance(op, Memory))
        return frozenset(names)


# --- Files --------------------------------------------------------------------

@dataclass(frozen=True)
class Section:
    name: str
    start: int
    data: bytearray
    executable: bool
    align: int

    @property
    def end(self):
        return self.start + len(self.data)


@dataclass(frozen=True)
class Function:
    name: str
    start: int
    size: int


# Relocations of words that the checks read: 64-bit addresses, and distances to code or data.
ABSOLUTE = {"R_X86_64_64", "R_AARCH64_ABS64", "R_RISCV_64"}
RELATIVE = {"R_X86_64_RELATIVE", "R_AARCH64_RELATIVE", "R_RISCV_RELATIVE"}
DISTANCE = {"R_X86_64_PC32", "R_X86_64_PLT32", "R_AARCH64_PREL32"}
# Relocations where code reads a variable's offset in the thread's static TLS block.
THREAD_OFFSET = {"R_X86_64_TPOFF64", "R_X86_64_TPOFF32", "R_X86_64_GOTTPOFF",
                 "R_AARCH64_TLS_TPREL64", "R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21",
                 "R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC", "R_AARCH64_TLSLE_ADD_TPREL_HI12",
                 "R_AARCH64_TLSLE_ADD_TPREL_LO12_NC", "R_AARCH64_TLSLE_ADD_TPREL_LO12",
                 *riscv64.THREAD_OFFSET}
TYPE_NAMES = {
    "EM_X86_64": {number: name for name, number in ENUM_RELOC_TYPE_x64.items()
                  if isinstance(number, int)},
    "EM_AARCH64": {number: name for name, number in ENUM_RELOC_TYPE_AARCH64.items()
                   if isinstance(number, int)},
    "EM_RISCV": riscv64.RELOCATIONS,
}
ARCHITECTURES = {"EM_X86_64": X86, "EM_AARCH64": AArch64, "EM_RISCV": riscv64.RiscV64}


class Image:
    """One ELF file with addresses. The sections of a relocatable object get made-up addresses."""

    def __init__(self, label, data):
        self.label = label
        self.elf = ELFFile(io.BytesIO(data))
        machine = self.elf["e_machine"]
        if machine not in TYPE_NAMES:
            raise ValueError(f"{label}: {machine} is not one of {', '.join(TYPE_NAMES)}")
        self.arch = ARCHITECTURES[machine]()
        self.machine = machine
        self.relocatable = self.elf["e_type"] == "ET_REL"
        self.interpreted = any(s["p_type"] == "PT_INTERP" for s in self.elf.iter_segments())
        self.is_library = self.elf["e_type"] == "ET_DYN" and not self.interpreted
        self.relocations = {}       # address -> names of the types there
        self.pc_relative = {}       # riscv64: address of an upper part -> the whole distance
        self._place_sections()
        self._read_symbols()
        self._relocate()

    def _place_sections(self):
        self.sections, self._by_index = [], {}
        free = 0x10000
        for index, section in enumerate(self.elf.iter_sections()):
            if not section["sh_flags"] & SHF_ALLOC:
                continue
            start = section["sh_addr"]
            if self.relocatable:
                align = max(section["sh_addralign"], 1)
                start = (free + align - 1) // align * align
                free = start + section["sh_size"]
            nobits = section["sh_type"] == "SHT_NOBITS"
            if nobits and section.name.startswith(".tbss"):
                continue
            placed = Section(section.name, start,
                             bytearray(section["sh_size"]) if nobits else bytearray(section.data()),
                             bool(section["sh_flags"] & SHF_EXECINSTR), section["sh_addralign"])
            self.sections.append(placed)
            self._by_index[index] = placed

    def _symbol_address(self, symbol):
        index = symbol["st_shndx"]
        if index in ("SHN_UNDEF", "SHN_COMMON"):
            return None
        if self.relocatable and index in self._by_index:
            return self._by_index[index].start + symbol["st_value"]
        return symbol["st_value"]

    def _read_symbols(self):
        table = self.elf.get_section_by_name(".symtab")
        self.has_symbols = table is not None
        self.symbol_types = set()
        functions = {}
        for symbol in table.iter_symbols() if table else ():
            kind = symbol["st_info"]["type"]
            self.symbol_types.add(kind)
            address = self._symbol_address(symbol)
            if kind == "STT_FUNC" and symbol["st_size"] and address is not None:
                functions.setdefault(address, Function(symbol.name, address, symbol["st_size"]))
        self.functions = [functions[address] for address in sorted(functions)]
        self._starts = [function.start for function in self.functions]

    def _relocate(self):
        for section in self.elf.iter_sections():
            if not isinstance(section, RelocationSection):
                continue
            base = 0
            if self.relocatable:
                if section["sh_info"] not in self._by_index:
                    continue
                base = self._by_index[section["sh_info"]].start
            symbols = self.elf.get_section(section["sh_link"])
            for relocation in section.iter_relocations():
                self._apply(base + relocation["r_offset"], relocation, symbols)

    def _apply(self, place, relocation, symbols):
        kind = TYPE_NAMES[self.machine].get(relocation["r_info_type"],
                                            str(relocation["r_info_type"]))
        self.relocations.setdefault(place, []).append(kind)
        value = relocation["r_addend"] if relocation.is_RELA() else 0
        if relocation["r_info_sym"]:
            address = self._symbol_address(symbols.get_symbol(relocation["r_info_sym"]))
            if address is None:
                return
            value += address
        if kind in ABSOLUTE | RELATIVE:
            self.write(place, value % 2**64, 8)
        elif self.relocatable and kind in DISTANCE:
            self.write(place, (value - place) % 2**32, 4)
        elif self.relocatable and self.machine == "EM_AARCH64":
            self._relocate_aarch64(place, kind, value)
        elif self.relocatable and self.machine == "EM_RISCV":
            riscv64.relocate(self, place, kind, value)

    def _relocate_aarch64(self, place, kind, value):
        word = self.word(place, 4)
        if kind == "R_AARCH64_ADR_PREL_PG_HI21":
            pages = ((value >> 12) - (place >> 12)) % 2**21
            word = word & ~0x60ffffe0 | (pages & 3) << 29 | (pages >> 2) << 5
        elif kind == "R_AARCH64_ADR_PREL_LO21":
            distance = (value - place) % 2**21
            word = word & ~0x60ffffe0 | (distance & 3) << 29 | (distance >> 2) << 5
        elif kind == "R_AARCH64_ADD_ABS_LO12_NC":
            word = word & ~0x3ffc00 | (value & 0xfff) << 10
        elif kind in ("R_AARCH64_JUMP26", "R_AARCH64_CALL26"):
            word = word & ~0x3ffffff | (value - place) // 4 % 2**26
        elif kind == "R_AARCH64_CONDBR19":
            word = word & ~0xffffe0 | (value - place) // 4 % 2**19 << 5
        self.write(place, word, 4)

    def write(self, address, value, size):
        section = self.section_at(address)
        if section:
            offset = address - section.start
            section.data[offset:offset + size] = value.to_bytes(size, "little")

    def section_at(self, address):
        return next((s for s in self.sections if s.start <= address < s.end), None)

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)

    def bytes_at(self, address, size):
        """Up to size bytes: fewer at the end of the section, none outside of all sections."""
        section = self.section_at(address)
        if not section:
            return b""
        offset = address - section.start
        return bytes(section.data[offset:offset + size])

    def word(self, address, size):
        return int.from_bytes(self.bytes_at(address, size), "little")

    def function_at(self, address):
        i = bisect.bisect_right(self._starts, address) - 1
        if i >= 0 and address < self._starts[i] + self.functions[i].size:
            return self.functions[i]
        return None

    def instructions(self, start, end):
        """Decodes from start to end; stops at the first bytes that are no instruction."""
        found = []
        while start < end:
            code = self.bytes_at(start, end - start)
            found += [self.arch.decode(insn) for insn in self.arch.decoder.disasm(code, start)]
            start = found[-1].end if found else start
            unknown = self.arch.decode_unknown(start, self.bytes_at(start, end - start))
            if not unknown:
                break
            found.append(unknown)
            start = unknown.end
        return self.arch.joined(found)

    def text(self, start, end):
        """The operands' texts of instructions(), which is much faster; and where decoding ended."""
        texts = []
        while start < end:
            code = self.bytes_at(start, end - start)
            for address, size, _, operands in self.arch.decoder.disasm_lite(code, start):
                texts.append(operands)
                start = address + size
            unknown = self.arch.decode_unknown(start, self.bytes_at(start, end - start))
            if not unknown:
                break
            start = unknown.end
        return texts, start

    def relocation_types(self):
        return {kind for kinds in self.relocations.values() for kind in kinds}

    def own_thread_offsets(self):
        """The offsets of an executable's own thread-local variables from the thread pointer."""
        tls = next((s for s in self.elf.iter_segments() if s["p_type"] == "PT_TLS"), None)
        if not tls or not self.interpreted:
            return range(0)
        align = max(tls["p_align"], 1)
        if self.machine == "EM_X86_64":         # they end at the thread pointer
            start = -tls["p_memsz"] // align * align
        elif self.machine == "EM_RISCV":        # they begin there
            start = 0
        else:                                   # on aarch64 behind two words of libc's
            start = (16 + align - 1) // align * align
        return range(start, start + tls["p_memsz"])

    def reads_thread_offset(self, instruction, base=None):
        """
        Does the instruction get a thread-local variable's offset, from the GOT or as a
        constant? base is the address in the memory operand's base register, if it is known.
        """
        places = list(range(instruction.address, instruction.end))
        if instruction.memory and not instruction.memory.base:
            places.append(instruction.memory.displacement)
        elif instruction.memory and base is not None:
            places.append(base + instruction.memory.displacement)
        return any(kind in THREAD_OFFSET
                   for place in places for kind in self.relocations.get(place, ()))

    def compilers(self):
        """The names of the compilers, from the section .comment."""
        comment = self.elf.get_section_by_name(".comment")
        return set(comment.data().decode().strip("\0").split("\0")) if comment else set()


def archive_members(data):
    """Name and content of the members of an ar archive that are ELF files."""
    at = len(ARCHIVE_MAGIC)
    while at + 60 <= len(data):
        name = data[at:at + 16].decode().rstrip().rstrip("/")
        size = int(data[at + 48:at + 58])
        content = data[at + 60:at + 60 + size]
        if content[:4] == b"\x7fELF":
            yield name, content
        at += 60 + size + size % 2


def open_images(path):
    data = Path(path).read_bytes()
    if data.startswith(ARCHIVE_MAGIC):
        return [Image(f"{Path(path).name}({name})", content)
                for name, content in archive_members(data)]
    return [Image(Path(path).name, data)]
