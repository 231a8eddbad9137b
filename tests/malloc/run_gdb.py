#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A debugger finds malloc()'s callers wherever it stops.

    run_gdb.py LIBRARY

gdb steps through calls of malloc() and free() of a program under the preloaded library, one
instruction at a time. After each it compares the frames that it shows with the calls and returns
that were seen. Each stop aborts a restartable sequence, so the abort targets are among the stops.
Exit status 77: no gdb, or it may not trace.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
    #include <stdlib.h>
    static void *volatile blocks[3];
    __attribute__((noinline)) void calls(void)
    {
        for (int i = 0; i < 3; i++)
            blocks[i] = malloc(100);
        for (int i = 0; i < 3; i++)
            free(blocks[i]);
    }
    int main(void) { calls(); calls(); return 0; }
    """
# Runs inside gdb. An abort target of x86-64 has 32 bytes: a jump to the start of the sequence, an
# undefined instruction with the signature, and the code (RSEQ_UNWIND in percpu/rseq/asm.h).
SCRIPT = """
import gdb
STEPS, INSTRUCTION_BYTES = 3000, 15
UNDEFINED = bytes.fromhex("0fb93d53300553")

def word(address, size=8):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, size).tobytes(), "little")

def start_of(code):
    target = code & ~31
    memory = gdb.selected_inferior().read_memory(target, 32).tobytes()
    if code % 32 < 12 or memory[0] != 0xe9 or memory[5:12] != UNDEFINED:
        return []
    return [target + 5 + int.from_bytes(memory[1:5], "little", signed=True)]

def frames():
    frame, found = gdb.newest_frame(), []
    while frame:
        # gdb also makes frames for calls that were inlined, and for jumps that end a function.
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            found.append(frame.pc())
        frame = frame.older()
    return found

def registers():
    frame = gdb.newest_frame()
    return frame.pc(), int(frame.read_register("rsp")) & (1 << 64) - 1

for command in ("set pagination off", "set confirm off", "set debuginfod enabled off",
                "set startup-with-shell off", "set environment LD_PRELOAD " + LIBRARY,
                "break calls", "run", "continue", "delete"):
    try:
        gdb.execute(command, to_string=True)
    except gdb.error as error:
        if "debuginfod" not in command:
            raise
base, calls, wrong, checked, targets = frames()[1:], [], 0, 0, 0
outermost = registers()[1]
while checked < STEPS:
    last, stack_before = registers()
    gdb.execute("stepi", to_string=True)
    code, stack = registers()
    if stack == stack_before - 8 and 0 < word(stack) - last <= INSTRUCTION_BYTES:
        calls.append((stack, word(stack)))
    while calls and stack > calls[-1][0]:
        calls.pop()
    if stack > outermost + 8:
        break
    right = [code] + start_of(code) + [address for _, address in reversed(calls)] + base
    targets += len(start_of(code))
    checked += 1
    found = frames()
    if found != right:
        wrong += 1
        if wrong < 5:
            print("wrong:", [hex(a) for a in found], "not", [hex(a) for a in right])
print(f"gdb: {checked} stops, {targets} in abort targets, {wrong} wrong")
gdb.execute("kill")
"""


def main():
    library = str(Path(sys.argv[1]).resolve())
    gdb = shutil.which("gdb")
    if not gdb or os.uname().machine != "x86_64":
        print("no gdb, or not x86-64")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        source, program, script = (Path(folder, name) for name in ("p.c", "p", "script.py"))
        source.write_text(PROGRAM)
        script.write_text(f"LIBRARY = {library!r}\n{SCRIPT}")
        subprocess.run(["cc", "-O1", "-fno-builtin", "-Wl,-z,now", "-o", program, source],
                       check=True)
        done = subprocess.run([gdb, "-nx", "-batch", "-x", script, program], capture_output=True,
                              text=True, timeout=240, stdin=subprocess.DEVNULL)
    output = done.stdout + done.stderr
    print(output)
    if "ptrace" in output and "permitted" in output:
        return 77
    told = [line for line in done.stdout.splitlines() if line.startswith("gdb: ")]
    return 0 if told and told[-1].endswith(" 0 wrong") else 1


if __name__ == "__main__":
    sys.exit(main())
