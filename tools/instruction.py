# SPDX-License-Identifier: MIT
"""What machine_code.py tells of an instruction, whatever the processor."""
import re
from dataclasses import dataclass, field


class UnknownInstruction(Exception):
    """An instruction that touches memory in a way the tables do not tell."""


# --- Instructions -------------------------------------------------------------

@dataclass(frozen=True)
class Memory:
    """A memory operand: segment:[base + index * scale + displacement]."""
    base: str = ""
    index: str = ""
    displacement: int = 0
    segment: str = ""


@dataclass
class Instruction:
    address: int
    size: int
    mnemonic: str                   # without prefixes and conditions
    text: str
    kind: str                       # plain, call, return, jump, branch, trap or divide
    target: int = None              # of a direct call, jump or branch
    memory: Memory = None
    loads: int = 0
    stores: int = 0
    writes: frozenset = frozenset()     # whole registers
    operands: list = field(default_factory=list)    # register name, int or Memory
    repeated: bool = False
    width: int = 0              # bytes that each register moves to or from memory

    @property
    def end(self):
        return self.address + self.size


def matches(*patterns):
    return re.compile("|".join(patterns)).fullmatch
