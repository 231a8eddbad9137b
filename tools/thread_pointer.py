# SPDX-License-Identifier: MIT
"""Which stores go to the thread's restartable-sequence area, or may.

The area lies at an offset from the thread pointer that only the running program
knows, so a store to the thread pointer plus something is taken for one to the area
unless that something is where a thread-local variable is: fetched from a GOT slot
that the linker fills with it, written into the instruction by a relocation, or, in
an executable, a number among those where its own variables are.

What registers hold is followed along all paths through a function, its .cold part
and the jumps of abort targets included. Where paths meet, a register holds what it
holds on all of them; but the thread pointer if it does so on any of them. What goes
through memory is not followed. A call leaves all registers but those of results:
a compiler uses no other afterwards unless it knows that the callee leaves it.
"""
import functools
from dataclasses import dataclass

from machine_code import Memory

COLD = ".cold"      # ends the name of the part of a function that is placed elsewhere

# What a register holds, besides a number or None, which is anything else: a thread-local
# variable's offset from the thread pointer; an address in such a variable.
OFFSET, VARIABLE = "offset", "variable"
NO_RETURN = ("ud2", "hlt", "udf", "brk")


@dataclass(frozen=True)
class Thread:
    """The thread pointer plus a number; None: plus what is not known."""
    plus: int = None


def meet(one, other):
    if one == other:
        return one
    return Thread() if isinstance(one, Thread) or isinstance(other, Thread) else None


def meet_states(one, other):
    return {register: held for register in one.keys() | other.keys()
            if (held := meet(one.get(register), other.get(register))) is not None}


def add(one, other):
    """The sum of what two registers hold."""
    if isinstance(other, Thread):
        one, other = other, one
    if isinstance(one, Thread):
        if other in (OFFSET, VARIABLE):
            return VARIABLE
        known = one.plus is not None and isinstance(other, int)
        return Thread(one.plus + other if known else None)
    if isinstance(one, int) and isinstance(other, int):
        return one + other
    return next((held for held in (VARIABLE, OFFSET) if held in (one, other)), None)


def shift_of(insn):
    """By how much the last operand of an aarch64 instruction is shifted."""
    last = insn.text.rsplit(", ", 1)[-1]
    return int(last.removeprefix("lsl #"), 0) if last.startswith("lsl #") else 0


class Follower:
    """What the instructions of one image do to what registers hold."""

    def __init__(self, image):
        self.image = image
        self.own = image.own_thread_offsets()

    def reads_thread_pointer(self, insn):
        return (insn.mnemonic == "mrs" and "tpidr_el0" in insn.text.lower() or
                insn.mnemonic in ("mov", "add") and insn.memory == Memory(segment="fs"))

    def held(self, state, operand):
        if isinstance(operand, int):
            return operand
        return state.get(operand) if isinstance(operand, str) else None

    def result(self, state, insn):
        """What insn leaves in its first operand, a register."""
        memory = insn.memory
        held = [self.held(state, op) for op in insn.operands]
        if self.reads_thread_pointer(insn):
            return add(Thread(0), held[0]) if insn.mnemonic == "add" else Thread(0)
        base = state.get(memory.base) if memory else None
        if insn.mnemonic in ("mov", "ldr", "add", "lea", "movz", "movk") and (
                self.image.reads_thread_offset(insn, base if isinstance(base, int) else None)):
            return VARIABLE if any(isinstance(h, Thread) for h in (*held, base)) else OFFSET
        if insn.mnemonic == "lea" and not memory.segment:
            if not memory.base:
                return memory.displacement if not memory.index else None
            index = state.get(memory.index) if memory.index else 0
            return add(add(base, index), memory.displacement)
        if insn.mnemonic.startswith("cmov") or insn.mnemonic == "csel":
            return meet(*held[-2:])
        if memory:
            return None
        if insn.mnemonic in ("adr", "adrp", "mov", "movabs", "movz"):
            return held[1] << shift_of(insn) if isinstance(held[1], int) else held[1]
        if insn.mnemonic == "movk" and isinstance(held[0], int):
            return held[0] & ~(0xffff << shift_of(insn)) | held[1] << shift_of(insn)
        if insn.mnemonic in ("add", "sub"):
            one, other = held[-2:]
            if isinstance(other, int):
                other <<= shift_of(insn)
            if insn.mnemonic == "sub":
                other = -other if isinstance(other, int) else None
            return add(one, other)
        return None

    def step(self, state, insn):
        """The state behind insn."""
        after = dict(state)
        for register in insn.writes:
            if insn.memory and insn.memory.base == register and insn.operands[0] != register:
                after[register] = add(state.get(register), None)    # written back
            elif insn.operands and insn.operands[0] == register:
                after[register] = self.result(state, insn)
            else:
                after[register] = None
        if insn.kind in ("call", "trap"):
            for register in self.image.arch.returned:
                after[register] = None
        return {register: held for register, held in after.items() if held is not None}

    def goes_to_area(self, state, insn):
        memory = insn.memory
        place = add(state.get(memory.base) if memory.base else 0,
                    state.get(memory.index) if memory.index else 0)
        place = add(place, memory.displacement)
        if memory.segment == "fs":
            place = add(Thread(0), place)
        return (isinstance(place, Thread) and place.plus not in self.own and
                not self.image.reads_thread_offset(insn))


@functools.cache
def never_returns(image, address):
    """Is there a function at the address, and no way out of it?"""
    function = image.function_at(address) if address is not None else None
    if not function:
        return False
    inside = range(function.start, function.start + function.size)
    code = image.instructions(inside.start, inside.stop)
    return bool(code) and code[-1].end == inside.stop and not any(
        insn.kind == "return" or insn.kind in ("jump", "branch") and insn.target not in inside
        for insn in code)


class Paths:
    """A function's instructions and the ways between them; edges: more ways, by address."""

    def __init__(self, image, function, edges):
        self.image = image
        self.code = {}              # by address
        self.following = {}         # addresses, by address
        parts, todo = set(), [function]
        while todo:
            part = todo.pop()
            if part in parts:
                continue
            parts.add(part)
            for insn in image.instructions(part.start, part.start + part.size):
                self.code[insn.address] = insn
                self.following[insn.address] = list(self._ways(insn, edges))
                other = image.function_at(insn.target) if insn.target is not None else None
                if other and insn.kind != "call" and other.name.endswith(COLD):
                    todo.append(other)

    def _ways(self, insn, edges):
        if insn.address in edges:
            yield edges[insn.address]
        if insn.kind in ("jump", "branch") and insn.target is not None:
            yield insn.target
        if (insn.kind not in ("jump", "return") and insn.mnemonic not in NO_RETURN and
                not (insn.kind == "call" and never_returns(self.image, insn.target))):
            yield insn.end

    def states(self, follower, start):
        """What registers hold before each instruction, by its address."""
        states = {}
        self._walk(follower, states, start, {})
        # Jumps by register have led to what no other way leads to.
        jumps = [at for at, insn in self.code.items()
                 if insn.kind == "jump" and insn.target is None]
        for at in sorted(self.code):
            if at not in states and self.code[at].mnemonic != "nop":
                seed = {}
                known = [states[jump] for jump in jumps if jump in states]
                if known:
                    seed = known[0]
                    for state in known[1:]:
                        seed = meet_states(seed, state)
                self._walk(follower, states, at, seed)
        return states

    def _walk(self, follower, states, start, state):
        todo = [(start, state)]
        while todo:
            at, state = todo.pop()
            if at not in self.code:
                continue
            if at in states:
                state = meet_states(states[at], state)
                if state == states[at]:
                    continue
            states[at] = state
            after = follower.step(state, self.code[at])
            todo += [(way, after) for way in self.following[at]]


def area_stores(image, function, edges):
    """The function's stores to what may be the thread's area."""
    follower = Follower(image)
    paths = Paths(image, function, edges)
    states = paths.states(follower, function.start)
    for at, insn in sorted(paths.code.items()):
        if (at in states and insn.stores and insn.memory and
                follower.goes_to_area(states[at], insn)):
            yield insn
