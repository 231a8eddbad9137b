# SPDX-License-Identifier: MIT
"""riscv64 for machine_code.py: instructions and relocations.

Mnemonics are translated to aarch64's for the same effect (ldr, str, add, mov, adrp), and those of
compressed instructions to those of full ones, so the checks need not know them all. The text of an
instruction stays as it is. Needs capstone 5 (Debian 13 has it).
"""
import re
import sys

import capstone

from instruction import Instruction, Memory, UnknownInstruction, matches

RELOCATIONS = {
    2: "R_RISCV_64", 3: "R_RISCV_RELATIVE", 5: "R_RISCV_JUMP_SLOT", 7: "R_RISCV_TLS_DTPMOD64",
    9: "R_RISCV_TLS_DTPREL64", 11: "R_RISCV_TLS_TPREL64", 12: "R_RISCV_TLSDESC",
    16: "R_RISCV_BRANCH", 17: "R_RISCV_JAL", 18: "R_RISCV_CALL", 19: "R_RISCV_CALL_PLT",
    20: "R_RISCV_GOT_HI20", 21: "R_RISCV_TLS_GOT_HI20", 22: "R_RISCV_TLSGD_HI20",
    23: "R_RISCV_PCREL_HI20", 24: "R_RISCV_PCREL_LO12_I", 25: "R_RISCV_PCREL_LO12_S",
    26: "R_RISCV_HI20", 27: "R_RISCV_LO12_I", 28: "R_RISCV_LO12_S",
    29: "R_RISCV_TPREL_HI20", 30: "R_RISCV_TPREL_LO12_I", 31: "R_RISCV_TPREL_LO12_S",
    32: "R_RISCV_TPREL_ADD", 35: "R_RISCV_ADD32", 36: "R_RISCV_ADD64", 39: "R_RISCV_SUB32",
    40: "R_RISCV_SUB64", 44: "R_RISCV_RVC_BRANCH", 45: "R_RISCV_RVC_JUMP",
    58: "R_RISCV_IRELATIVE", 62: "R_RISCV_TLSDESC_HI20",
}
# Relocations where code reads a variable's offset in the thread's static TLS block, or the
# GOT slot that holds the offset.
THREAD_OFFSET = {"R_RISCV_TLS_TPREL64", "R_RISCV_TLS_GOT_HI20", "R_RISCV_TPREL_HI20",
                 "R_RISCV_TPREL_LO12_I", "R_RISCV_TPREL_LO12_S", "R_RISCV_TPREL_ADD"}

CAPSTONE_KNOWS_RISCV64 = hasattr(capstone, "CS_ARCH_RISCV")
SKIPPED = 77                # exit status that ctest takes for "skipped"

WIDTHS = {"b": 1, "h": 2, "w": 4, "d": 8}
PLACE = re.compile(r"(-?(?:0x)?[0-9a-f]*)\((\w+)\)")


def signed(value, bits):
    return (value & (1 << bits) - 1) - (value << 1 & 1 << bits)


class RiscV64:
    signature = bytes.fromhex("731040f1")
    returned = ("a0", "a1")
    stack_pointer = "sp"
    thread_pointer = "tp"
    thread_pointer_text = r"\btp\b"

    is_load = matches("l[bhwd]u?", "fl[wd]", "l[wd]sp", "fldsp", r"lr\.[wd](\.\w+)?")
    is_store = matches("s[bhwd]", "fs[wd]", "s[wd]sp", "fsdsp")
    is_changed = matches(r"amo\w+\.[wd](\.\w+)?", r"sc\.[wd](\.\w+)?")
    is_branch = matches("b(eq|ne|lt|ge|le|gt)u?z?")
    is_trap = matches("ecall", "ebreak", "wfi", r"fence(\.\w+)?", "csr.*", "unimp", "[msu]ret",
                      "rdcycle", "rdtime", "rdinstret", "pause")
    is_divide = matches("(div|rem)u?w?", r"f(div|sqrt)\..*")

    def __init__(self):
        if not CAPSTONE_KNOWS_RISCV64:
            print("not checked: riscv64 needs capstone 5 or newer")
            sys.exit(SKIPPED)
        self.decoder = capstone.Cs(capstone.CS_ARCH_RISCV,
                                   capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC)

    @staticmethod
    def operand(text):
        place = PLACE.fullmatch(text)
        if place:
            return Memory(place[2], "", int(place[1] or "0", 0))
        return int(text, 0) if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text) else text

    def kind(self, mnemonic, operands):
        if mnemonic in ("jal", "jalr"):
            return "jump" if operands[0] == "zero" else "call"
        if mnemonic == "ret" or mnemonic == "jr" and operands[0] == "ra":
            return "return"
        if mnemonic in ("j", "jr"):
            return "jump"
        if self.is_branch(mnemonic):
            return "branch"
        if mnemonic == "fence" and operands == ["r", "rw"]:
            return "plain"      # the load before it acquires
        if self.is_trap(mnemonic):
            return "trap"
        return "divide" if self.is_divide(mnemonic) else "plain"

    def accesses(self, mnemonic, operands):
        if self.is_changed(mnemonic):
            return int(not mnemonic.startswith("sc")), 1
        if self.is_store(mnemonic):
            return 0, 1
        if self.is_load(mnemonic):
            return 1, 0
        if any(isinstance(op, Memory) for op in operands) and not mnemonic.startswith("prefetch"):
            raise UnknownInstruction(mnemonic)
        return 0, 0

    def common(self, insn, mnemonic, operands, kind, loads):
        """The instruction's name and operands as on aarch64."""
        if kind != "plain":
            return mnemonic, operands
        if loads and len(operands) == 2:
            return "ldr", operands
        if self.is_store(mnemonic):
            return "str", operands
        if mnemonic in ("addi16sp", "addi4spn"):
            return "add", [operands[0], "sp", operands[-1]]
        if mnemonic in ("add", "addi", "sub", "slli"):
            operands = operands if len(operands) == 3 else [operands[0], *operands]
            if mnemonic == "addi" and operands[1] == "zero":
                return "mov", [operands[0], operands[2]]
            return "add" if mnemonic == "addi" else mnemonic, operands
        if mnemonic in ("mv", "li"):
            return "mov", operands
        if mnemonic == "lui":
            return "mov", [operands[0], signed(operands[1], 20) << 12]
        if mnemonic == "auipc":
            return "adrp", [operands[0], insn.address + (signed(operands[1], 20) << 12)]
        return mnemonic, operands

    def decode(self, insn):
        text = f"{insn.mnemonic} {insn.op_str}".strip()
        name = insn.mnemonic.removeprefix("c.")
        operands = [self.operand(word) for word in insn.op_str.split(", ") if word]
        kind = self.kind(name, operands)
        loads, stores = self.accesses(name, operands)
        target = None
        if kind in ("call", "jump", "branch") and operands and isinstance(operands[-1], int):
            target = operands[-1] = insn.address + operands[-1]
        written = set()
        if kind == "plain" and operands and isinstance(operands[0], str):
            written = {operands[0]} if not stores or self.is_changed(name) else set()
        width = re.match(r"f?(?:[ls]|amo\w+\.|lr\.|sc\.)([bhwd])", name)
        mnemonic, operands = self.common(insn, name, operands, kind, loads)
        return Instruction(
            insn.address, insn.size, mnemonic, text, kind, target,
            next((op for op in operands if isinstance(op, Memory)), None), loads, stores,
            frozenset(written - {"zero"}), operands,
            width=WIDTHS[width[1]] if width and loads + stores else 0)

    @staticmethod
    def decode_unknown(_address, _code):
        return None

    @staticmethod
    def joined(instructions):
        """Sets the target of a jump or call by a register that the instruction before sets."""
        for first, second in zip(instructions, instructions[1:]):
            if (first.mnemonic != "adrp" or second.kind not in ("call", "jump", "return") or
                    second.target is not None):
                continue
            by = second.operands[-1]
            place = by if isinstance(by, Memory) else Memory(by)
            if place.base == first.operands[0]:
                second.target = first.operands[1] + place.displacement
        return instructions


def pieces(value, *moves):
    """Places bits of value in an instruction; each move is (lowest bit, how many, where to)."""
    return sum((value >> low & (1 << nr) - 1) << to for low, nr, to in moves)


def relocate(image, place, kind, value):
    """Applies one relocation to a relocatable image, as the linker would."""
    distance = value - place
    word = image.word(place, 4)
    high = (distance + 0x800) >> 12
    if kind in ("R_RISCV_ADD64", "R_RISCV_SUB64"):
        sign = 1 if "ADD" in kind else -1
        image.write(place, (image.word(place, 8) + sign * value) % 2**64, 8)
    elif kind == "R_RISCV_BRANCH":
        image.write(place, word & 0x01fff07f |
                    pieces(distance, (12, 1, 31), (5, 6, 25), (1, 4, 8), (11, 1, 7)), 4)
    elif kind == "R_RISCV_JAL":
        image.write(place, word & 0xfff |
                    pieces(distance, (20, 1, 31), (1, 10, 21), (11, 1, 20), (12, 8, 12)), 4)
    elif kind == "R_RISCV_RVC_BRANCH":
        image.write(place, word & 0xe383 |
                    pieces(distance, (8, 1, 12), (3, 2, 10), (6, 2, 5), (1, 2, 3), (5, 1, 2)), 2)
    elif kind == "R_RISCV_RVC_JUMP":
        image.write(place, word & 0xe003 |
                    pieces(distance, (11, 1, 12), (4, 1, 11), (8, 2, 9), (10, 1, 8), (6, 1, 7),
                           (7, 1, 6), (1, 3, 3), (5, 1, 2)), 2)
    elif kind in ("R_RISCV_CALL", "R_RISCV_CALL_PLT"):
        image.write(place, word & 0xfff | pieces(high, (0, 20, 12)), 4)
        image.write(place + 4, image.word(place + 4, 4) & 0xfffff |
                    pieces(distance, (0, 12, 20)), 4)
    elif kind == "R_RISCV_PCREL_HI20":
        image.write(place, word & 0xfff | pieces(high, (0, 20, 12)), 4)
        image.pc_relative[place] = distance
    elif kind == "R_RISCV_PCREL_LO12_I" and value in image.pc_relative:
        image.write(place, word & 0xfffff | pieces(image.pc_relative[value], (0, 12, 20)), 4)
