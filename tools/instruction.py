# SPDX-License-Identifier: MIT
"""How machine_code.py describes one instruction, for all processors."""
import re
from dataclasses import dataclass, field


class UnknownInstruction(Exception):
    """An instruction that touches memory, but is in none of the tables."""


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
    target: int = None              # address that a direct call, jump or branch goes to
    memory: Memory = None
    loads: int = 0
    stores: int = 0
    writes: frozenset = frozenset()     # registers that it writes, by their full names
    operands: list = field(default_factory=list)    # register name, int or Memory
    repeated: bool = False      # has a rep prefix
    width: int = 0              # bytes that each register operand loads or stores

    @property
    def end(self):
        return self.address + self.size


def matches(*patterns):
    return re.compile("|".join(patterns)).fullmatch
