# SPDX-License-Identifier: MIT
"""Finds the stores that go, or may go, to the thread's restartable-sequence area.

The area lies at an offset from the thread pointer that only the running program knows. So a
store to the thread pointer plus some offset counts as one to the area, unless the offset is
known to be that of a thread-local variable. It is known if it comes from a GOT slot that the
linker fills, if a relocation wrote it into the instruction, or, in an executable, if it is
among the offsets of its own variables.

The content of registers is followed along all paths through a function, including its .cold
part and the jumps of abort targets. Where paths meet, a register's content is kept if it is the
same on all of them; but if it is the thread pointer on any of them, it counts as the thread
pointer. A call changes only the registers of results: after a call a compiler uses another
register only if it knows that the callee preserved it.

Words that the function puts on its stack, through the stack pointer or a register computed from
it, are followed in the same way. A store through another pointer does not change these words,
since the program has no pointer to what a compiler spills. Values that go through other memory
are not followed.
"""
import functools
from dataclasses import dataclass

from machine_code import Memory

COLD = ".cold"      # ends the name of the part of a function that is placed elsewhere

# A register holds a number, a Thread, a Stack, a thread-local variable's offset from the thread
# pointer (OFFSET), an address in such a variable (VARIABLE), or anything else (None).
OFFSET, VARIABLE = "offset", "variable"
NO_RETURN = ("ud2", "hlt", "udf", "brk")


@dataclass(frozen=True)
class Thread:
    """The thread pointer plus a number; None: plus an unknown number."""
    plus: int = None


@dataclass(frozen=True)
class Stack:
    """The stack pointer of the function's start plus a number."""
    plus: int


def meet(one, other):
    if one == other:
        return one
    return Thread() if isinstance(one, Thread) or isinstance(other, Thread) else None


def meet_states(one, other):
    return {register: held for register in one.keys() | other.keys()
            if (held := meet(one.get(register), other.get(register))) is not None}


def add(one, other):
    """The sum of what two registers hold."""
    if isinstance(other, Thread) or isinstance(other, Stack) and not isinstance(one, Thread):
        one, other = other, one
    if isinstance(one, Stack):
        return Stack(one.plus + other) if isinstance(other, int) else None
    if isinstance(one, Thread):
        if other in (OFFSET, VARIABLE):
            return VARIABLE
        known = one.plus is not None and isinstance(other, int)
        return Thread(one.plus + other if known else None)
    if isinstance(one, int) and isinstance(other, int):
        return one + other
    return next((held for held in (VARIABLE, OFFSET) if held in (one, other)), None)


def shift_of(insn):
    """By how many bits the last operand of an aarch64 instruction is shifted."""
    last = insn.text.rsplit(", ", 1)[-1]
    return int(last.removeprefix("lsl #"), 0) if last.startswith("lsl #") else 0


def written_back(insn):
    """What an aarch64 instruction adds to its memory operand's base; None: unknown."""
    if insn.text.endswith("!"):
        return insn.memory.displacement
    return insn.operands[-1] if isinstance(insn.operands[-1], int) else None


# --- The stack. A key of a state that is a number is the place of a word on the stack ---

WORD = 8
# Moves of whole registers between memory and registers.
SPILLS, RELOADS = ("str", "stur", "stp", "mov"), ("ldr", "ldur", "ldp", "mov")


def forget_words(state, start=float("-inf"), end=float("inf")):
    for word in [key for key in state if isinstance(key, int)]:
        if start < word + WORD and word < end:
            del state[word]


def stored(insn):
    """The operands that go to memory: they stand before it, on x86-64 behind it."""
    at = insn.operands.index(insn.memory)
    return insn.operands[:at] or insn.operands[at + 1:]


class Follower:
    """The effect of one image's instructions on the contents of registers and the stack."""

    def __init__(self, image):
        self.image = image
        self.own = image.own_thread_offsets()
        self.stack_pointer = image.arch.stack_pointer

    def start(self):
        """The state in which a function begins."""
        state = {self.stack_pointer: Stack(0)}
        if self.image.arch.thread_pointer:
            state[self.image.arch.thread_pointer] = Thread(0)
        return state

    def reads_thread_pointer(self, insn):
        return (insn.mnemonic == "mrs" and "tpidr_el0" in insn.text.lower() or
                insn.mnemonic in ("mov", "add") and insn.memory == Memory(segment="fs"))

    def held(self, state, operand):
        if isinstance(operand, int):
            return operand
        return state.get(operand) if isinstance(operand, str) else None

    def place(self, state, memory):
        """The address of a memory operand, as the content of a register."""
        place = add(state.get(memory.base) if memory.base else 0,
                    state.get(memory.index) if memory.index else 0)
        place = add(place, memory.displacement)
        return add(Thread(0), place) if memory.segment == "fs" else place

    def reloaded(self, state, insn, nr=0):
        """What the register that is operand nr gets from the stack."""
        place = self.place(state, insn.memory)
        if insn.mnemonic not in RELOADS or insn.width != WORD or not isinstance(place, Stack):
            return None
        return state.get(place.plus + WORD * nr)

    def spill(self, state, after, insn):
        """Applies a store to the words of the stack, in `after`."""
        place = self.place(state, insn.memory)
        sources = stored(insn)
        if insn.repeated:
            forget_words(after)
        if not isinstance(place, Stack):
            return
        forget_words(after, place.plus, place.plus + insn.width * max(len(sources), 1))
        if insn.mnemonic in SPILLS and insn.width == WORD:
            after.update((place.plus + WORD * i, self.held(state, source))
                         for i, source in enumerate(sources))

    def push_or_pop(self, state, after, insn):
        """Applies x86-64's push, pop and call. A call keeps all words above the stack pointer."""
        pointer = state.get(self.stack_pointer)
        if isinstance(pointer, Stack):
            if insn.mnemonic == "push":
                after[self.stack_pointer] = add(pointer, -WORD)
                forget_words(after, pointer.plus - WORD, pointer.plus)
                after[pointer.plus - WORD] = self.held(state, insn.operands[0])
            elif insn.mnemonic == "pop":
                after[self.stack_pointer] = add(pointer, WORD)
                if isinstance(insn.operands[0], str):
                    after[insn.operands[0]] = state.get(pointer.plus)
            elif insn.kind == "call":
                after[self.stack_pointer] = pointer
                forget_words(after, end=pointer.plus)
        if not isinstance(after.get(self.stack_pointer), Stack):
            forget_words(after)

    def result(self, state, insn):
        """What insn puts into its first operand, a register."""
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
            return self.reloaded(state, insn)
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
        """The state after insn."""
        after = dict(state)
        if insn.stores and insn.memory:
            self.spill(state, after, insn)
        for register in insn.writes:
            if insn.memory and insn.memory.base == register and insn.operands[0] != register:
                after[register] = add(state.get(register), written_back(insn))
            elif insn.operands and insn.operands[0] == register:
                after[register] = self.result(state, insn)
            elif insn.mnemonic == "ldp" and insn.operands[1] == register:
                after[register] = self.reloaded(state, insn, 1)
            else:
                after[register] = None
        self.push_or_pop(state, after, insn)
        if insn.kind in ("call", "trap"):
            for register in self.image.arch.returned:
                after[register] = None
        return {register: held for register, held in after.items() if held is not None}

    def goes_to_area(self, state, insn):
        place = self.place(state, insn.memory)
        return (isinstance(place, Thread) and place.plus not in self.own and
                not self.image.reads_thread_offset(insn))


@functools.cache
def never_returns(image, address):
    """Is there a function at the address that cannot return?"""
    function = image.function_at(address) if address is not None else None
    if not function:
        return False
    inside = range(function.start, function.start + function.size)
    code = image.instructions(inside.start, inside.stop)
    return bool(code) and code[-1].end == inside.stop and not any(
        insn.kind == "return" or insn.kind in ("jump", "branch") and insn.target not in inside
        for insn in code)


class Paths:
    """A function's instructions and the ways between them; `edges` has further ways."""

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
        """The state before each instruction, by its address."""
        states = {}
        self._walk(follower, states, start, follower.start())
        # Instructions that no other way reaches are reached by jumps through registers.
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
    """The function's stores that may go to the thread's area."""
    follower = Follower(image)
    paths = Paths(image, function, edges)
    states = paths.states(follower, function.start)
    for at, insn in sorted(paths.code.items()):
        if (at in states and insn.stores and insn.memory and
                follower.goes_to_area(states[at], insn)):
            yield insn
