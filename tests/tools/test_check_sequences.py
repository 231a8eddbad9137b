#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/check_sequences.py see what is wrong?

A good sequence is written down in parts. Each case replaces one part. Most replacements break one
rule, and the case names the offence that must be found; some are allowed, and nothing may be found.
Each case is tried as an object and as a shared library. Machines without binutils here, or that
capstone does not know, are left out, and the last line says so.
"""
import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_sequences
from machine_code_riscv64 import CAPSTONE_KNOWS_RISCV64

FRAME = """
	.text
	.globl operation
	.type operation, %function
operation:
	{announce}
start:
	{slot}
	{count}
	{entry}
	{change}
	{commit}
end:
	{after}
	ret
	.size operation, . - operation
	.globl other
	.hidden other
	.type other, %function
other:
	{other}
	ret
	.size other, . - other
	.type never, %function
never:
	{jump} never
	.size never, . - never

	.section .text.unlikely, "ax"
	.type operation.cold, %function
operation.cold:
	{cold}
	.size operation.cold, . - operation.cold
	.type other.cold, %function
other.cold:
	{other_cold}
	ret
	.size other.cold, . - other.cold

	.section __rseq_cs, "aw"
	{align}
descriptor:
	.long {version}
	.quad {range}, {abort_target}
	{behind}

	.section __rseq_abort, "ax"
	{signature}
abort:
	{jump} other

	.section .tbss, "awT", %nobits
	.balign 8
variable:
	.zero 8
	.data
	.balign 8
global:
	.quad 0
	.section .note.GNU-stack, "", %progbits
"""

COMMON = {
    "align": ".balign 32",
    "version": "0, 0",
    "range": "start, end - start",
    "abort_target": "abort",
    "behind": "",
    "after": "",
    "other": "",
    "other_cold": "",
}

# push: rdi the array, rsi the item, r9 the area, r10 the library's state.
X86 = COMMON | {
    "announce": "leaq descriptor(%rip), %rcx; movq %rcx, %fs:8(%r9)",
    "slot": "movq 16(%r10), %rcx; movl %fs:(%rcx), %ecx; cmpl 48(%r10), %ecx; jae end;"
            "shlq $20, %rcx; addq 32(%r10), %rcx; addq %rdi, %rcx",
    "count": "movl (%rcx), %edx; cmpl 4(%rcx), %edx; jae end",
    "entry": "movq %rsi, 8(%rcx, %rdx, 8)",
    "change": "leal 1(%rdx), %eax",
    "commit": "movl %eax, (%rcx)",
    "signature": ".byte 0x0f, 0xb9, 0x3d; .long 0x53053053",
    "jump": "jmp",
    "cold": "movl $1, %fs:(%rbx); jmp other",
}

X86_ALLOWED = {
    "nothing replaced": {},
    "rseq_cs is cleared behind the end": {"after": "movq $0, %fs:8(%r9)"},
    "a thread-local variable is written": {
        "after": "movq variable@gottpoff(%rip), %rax; movl $1, %fs:(%rax)"},
    "its address is taken": {
        "after": "movq %fs:0, %rax; addq variable@gottpoff(%rip), %rax; movl $1, 4(%rax)"},
    "its offset is kept over a call": {
        "after": "movq variable@gottpoff(%rip), %rbx; call other; movl $1, %fs:(%rbx)"},
    "its offset is kept while others are added": {
        "after": "movq variable@gottpoff(%rip), %rbx; 1: movl %fs:(%rbx), %edx; addl $1, %edx;"
                 "movl %edx, %fs:4(%rbx); jne 1b"},
    "its offset is known on both ways": {
        "after": "je 1f; movq variable@gottpoff(%rip), %rbx; jmp 2f;"
                 "1: movq variable@gottpoff(%rip), %rbx; call never; 2: movl $1, %fs:(%rbx)"},
    "its offset comes from where a jump leads": {
        "after": "jmp 2f; 1: movl $1, %fs:(%rbx); ret; 2: movq variable@gottpoff(%rip), %rbx;"
                 "jmp 1b"},
    "its offset is known unless nothing returns": {
        "after": "movq variable@gottpoff(%rip), %rbx; je 1f; movq (%rdi), %rbx; call never;"
                 "1: movl $1, %fs:(%rbx)"},
    "its offset is known in the cold part": {
        "after": "movq variable@gottpoff(%rip), %rbx; jne operation.cold"},
    "its offset waits on the stack": {
        "after": "subq $24, %rsp; movq variable@gottpoff(%rip), %rbx; 1: movl $1, %fs:(%rbx);"
                 "movq %rbx, 8(%rsp); movl $2, 4(%rsp); pushq %rax; movq %rdi, %rbx; call other;"
                 "movq 16(%rsp), %rbx; popq %rax; jne 1b; addq $24, %rsp"},
    "it is saved and brought back": {
        "after": "movq variable@gottpoff(%rip), %rbx; pushq %rbx; movq %rsp, %rbp;"
                 "movq (%rdi), %rbx; movq %rbp, %rsp; popq %rbx; movl $1, %fs:(%rbx)"},
    "the caller's memory is written": {"entry": "movq %rdx, (%rsi)"},
    "it is written behind the last way out": {
        "entry": "testq %rsi, %rsi; je end; movl $4, %r8d;"
                 "1: movq %rdx, (%rsi, %r8, 8); subl $1, %r8d; jne 1b"},
    "a way out behind a dead entry's store": {"entry": "movq %rsi, 8(%rcx, %rdx, 8); je end"},
    "dead entries are reached by a register": {
        "entry": "leaq 8(%rcx, %rdx, 8), %r8; movups %xmm0, -16(%r8, %rax, 8)"},
}

X86_FORBIDDEN = {
    "a call": ({"change": "call other"}, "a call inside"),
    "a system call": ({"change": "syscall"}, "a trap inside"),
    "an interrupt": ({"change": "int $0x80"}, "a trap inside"),
    "a return": ({"change": "ret"}, "a return inside"),
    "a division": ({"change": "divl %esi"}, "a divide inside"),
    "an indirect jump": ({"change": "jmp *%rax"}, "an indirect jump"),
    "a branch out": ({"change": "jne other"}, "neither to an instruction of the sequence"),
    "a jump out": ({"change": "jmp other"}, "neither to an instruction of the sequence"),
    "a jump into an instruction": ({"change": "jmp . + 3; movl $1, %eax"}, "neither to an instr"),
    "a copy without bound": ({"entry": "rep movsq"}, "repeats without bound"),
    "too many instructions": ({"change": ".rept 70; nop; .endr"}, "more than 64"),
    "a way out behind a store to the caller's memory": (
        {"entry": "movq %rdx, (%rsi); je end"}, "leaves after a store"),
    "a way out into the cold part behind it": (
        {"entry": "movq %rdx, (%rsi); testq %rdx, %rdx; je operation.cold"},
        "leaves after a store"),
    "a way out behind it the second time": (
        {"entry": "1: cmpl $4, %r8d; je end; movq %rdx, (%rsi); addl $1, %r8d; jne 1b"},
        "leaves after a store"),
    "a way out in front of it that a jump leads back to": (
        {"entry": "jne 2f; 1: je end; 2: movq %rdx, (%rsi); jmp 1b"}, "leaves after a store"),
    "the commit is not last": (
        {"commit": "movl %eax, (%rcx); addl $1, %eax"}, "nothing is committed"),
    "no commit": ({"commit": "nop"}, "nothing is committed"),
    "two commits": ({"entry": "movl %edx, (%rcx)"}, "live words of the slot"),
    "the limit is written": ({"entry": "movl %edx, 4(%rcx)"}, "live words of the slot"),
    "a live entry is written": (
        {"entry": "subl $1, %edx; movq %rsi, 8(%rcx, %rdx, 8)"}, "live words of the slot"),
    "a live entry through a register": (
        {"entry": "subl $1, %edx; leaq 8(%rcx, %rdx, 8), %r8; movq %rsi, (%r8)"}, "neither"),
    "a commit elsewhere in the slot": (
        {"commit": "movl %eax, 4(%rcx)"}, "not to the slot's first word"),
    "a commit to no slot": ({"commit": "movl %eax, (%rdi)"}, "not the current slot"),
    "a variable is written": ({"entry": "movl $1, global(%rip)"}, "neither"),
    "cpu_id is written inside": ({"entry": "movl $0, %fs:4(%r9)"}, "own area inside"),
    "rseq_cs is written inside": ({"entry": "movq $0, %fs:8(%r9)"}, "own area inside"),
    "cpu_id is written outside": ({"after": "movl $0, %fs:4(%r9)"}, "stores to the thread's area"),
    "mm_cid is written through a pointer": (
        {"after": "movq %fs:0, %rax; addq %r9, %rax; movl $0, 24(%rax)"},
        "stores to the thread's area"),
    "an offset from memory": (
        {"after": "movq 16(%r10), %rbx; movl $0, %fs:(%rbx)"}, "stores to the thread's area"),
    "an offset from memory on one way": (
        {"after": "movq variable@gottpoff(%rip), %rbx; je 1f; movq 16(%r10), %rbx;"
                  "1: movl $0, %fs:(%rbx)"}, "stores to the thread's area"),
    "an offset from memory the second time": (
        {"after": "movq variable@gottpoff(%rip), %rbx; 1: movl $0, %fs:(%rbx);"
                  "movq 16(%r10), %rbx; jne 1b"}, "stores to the thread's area"),
    "an offset from another slot of the GOT": (
        {"after": "movq global@GOTPCREL(%rip), %rbx; movl $0, %fs:(%rbx)"},
        "stores to the thread's area"),
    "an offset that a call returned": (
        {"after": "movq variable@gottpoff(%rip), %rax; call other; movl $0, %fs:(%rax)"},
        "stores to the thread's area"),
    "an offset that is a number": (
        {"after": "movq $-8, %rbx; movl $0, %fs:(%rbx)"}, "stores to the thread's area"),
    "another word of the stack": (
        {"after": "movq variable@gottpoff(%rip), %rbx; movq %rbx, -16(%rsp);"
                  "movq -24(%rsp), %rbx; movl $1, %fs:(%rbx)"}, "stores to the thread's area"),
    "an offset on the stack, half overwritten": (
        {"after": "movq variable@gottpoff(%rip), %rbx; movq %rbx, -16(%rsp); movl $0, -12(%rsp);"
                  "movq -16(%rsp), %rbx; movl $1, %fs:(%rbx)"}, "stores to the thread's area"),
    "an offset on the stack, changed": (
        {"after": "movq variable@gottpoff(%rip), %rbx; movq %rbx, -16(%rsp); addq $8, -16(%rsp);"
                  "movq -16(%rsp), %rbx; movl $1, %fs:(%rbx)"}, "stores to the thread's area"),
    "an offset on the stack on one way": (
        {"after": "movq variable@gottpoff(%rip), %rbx; movq %rdi, -16(%rsp); je 1f;"
                  "movq %rbx, -16(%rsp); 1: movq -16(%rsp), %rbx; movl $1, %fs:(%rbx)"},
        "stores to the thread's area"),
    "an offset below the stack pointer, and a call": (
        {"after": "movq variable@gottpoff(%rip), %rbx; movq %rbx, -16(%rsp); call other;"
                  "movq -16(%rsp), %rbx; movl $1, %fs:(%rbx)"}, "stores to the thread's area"),
    "an offset on a stack whose place is lost": (
        {"after": "movq variable@gottpoff(%rip), %rbx; pushq %rbx; movq (%rdi), %rsp;"
                  "popq %rbx; movl $1, %fs:(%rbx)"}, "stores to the thread's area"),
    "half an offset from the stack": (
        {"after": "movq variable@gottpoff(%rip), %rbx; movq %rbx, -16(%rsp);"
                  "movl -16(%rsp), %ebx; movl $1, %fs:(%rbx)"}, "stores to the thread's area"),
    "the thread pointer from the stack": (
        {"after": "movq %fs:0, %rax; pushq %rax; popq %rbx; addq %r9, %rbx; movl $0, 4(%rbx)"},
        "stores to the thread's area"),
    "an offset from memory in the cold part": (
        {"after": "movq 16(%r10), %rbx; jne operation.cold"}, "stores to the thread's area"),
    "no instruction": ({"after": ".byte 6"}, "an unknown instruction"),
    "the thread pointer on one way": (
        {"after": "movq %rdi, %rax; je 1f; movq %fs:0, %rax; addq %r9, %rax;"
                  "1: movl $0, 4(%rax)"}, "stores to the thread's area"),
    "a function all of whose stores are in the cold part": (
        {"other": "jne other.cold", "other_cold": "movl $0, %fs:4(%rbx)"},
        "stores to the thread's area"),
    "the thread pointer, chosen": (
        {"after": "movq %fs:0, %rax; subq $64, %rax; cmoveq %rax, %rdx; movl $0, 4(%rdx)"},
        "stores to the thread's area"),
    "rseq_cs gets something else": (
        {"after": "movq %rax, %fs:8(%r9)"}, "stores to the thread's area"),
    "not announced": ({"announce": "nop"}, "no store to rseq_cs"),
    "announced too early": (
        {"announce": "leaq descriptor(%rip), %rcx; movq %rcx, %fs:8(%r9); nop"},
        "no store to rseq_cs"),
    "announced in another field": (
        {"announce": "leaq descriptor(%rip), %rcx; movq %rcx, %fs:16(%r9)"}, "no store to rseq_cs"),
    "another descriptor announced": (
        {"announce": "leaq global(%rip), %rcx; movq %rcx, %fs:8(%r9)"}, "not this descriptor"),
    "the signature is missing": ({"signature": "nop"}, "signature is missing"),
    "another signature": ({"signature": ".long 0x53053054"}, "signature is missing"),
    "a version": ({"version": "1, 0"}, "version 1"),
    "flags": ({"version": "0, 1"}, "flags 0x1"),
    "misaligned": ({"align": ".balign 8"}, "not aligned to 32"),
    "a piece of a descriptor": ({"behind": ".quad 0"}, "whole descriptors"),
    "aborts into itself": ({"abort_target": "start"}, "abort target is inside"),
    "aborts into data": ({"abort_target": "global"}, "abort target is not code"),
    "no code": ({"range": "global, 8"}, "not in one section of code"),
    "empty": ({"range": "start, 0"}, "not in one section of code"),
    "starts inside an instruction": ({"range": "start + 1, end - start - 1"}, "does not start at"),
    "ends inside an instruction": ({"range": "start, end - start - 1"}, "does not end at"),
    "ends behind its function": ({"range": "start, other - start + 1"}, "does not end at"),
}

# push: x0 the array, x1 the item, x2 the slots, x3 the area, w4 the index's limit.
AARCH64 = COMMON | {
    "announce": "adrp x9, descriptor; add x9, x9, :lo12:descriptor; str x9, [x3, #8]",
    "slot": "ldr w9, [x3, #24]; cmp w9, w4; b.hs end; add x9, x2, x9, lsl #20; add x9, x9, x0",
    "count": "ldp w10, w11, [x9]; ldr w10, [x9]; cmp w10, w11; b.hs end",
    "entry": "add x11, x9, #8; str x1, [x11, w10, uxtw #3]",
    "change": "add w10, w10, #1",
    "commit": "str w10, [x9]",
    "signature": ".inst 0xd428bc00",
    "jump": "b",
    "cold": "str w9, [x19, x20]; b other",
}

AARCH64_ALLOWED = {
    "nothing replaced": {},
    "rseq_cs is cleared behind the end": {"after": "str xzr, [x3, #8]"},
    "dead entries are reached by a register": {
        "entry": "add x11, x9, x10, lsl #3; str x1, [x11, #8]"},
    "dead entries one after the other": {
        "entry": "add x11, x9, x10, lsl #3; add x11, x11, #8;"
                 "str x1, [x11], #8; str x1, [x11], #8"},
    "the caller's memory is written": {"entry": "str x10, [x1]"},
    "it is written behind the last way out": {
        "entry": "cbz x1, end; mov x12, #4; 1: str x10, [x1, x12, lsl #3];"
                 "subs x12, x12, #1; b.ne 1b"},
    "a thread-local variable is written": {
        "after": "mrs x10, tpidr_el0; adrp x11, :gottprel:variable;"
                 "ldr x11, [x11, :gottprel_lo12:variable]; add x10, x10, x11; str w9, [x10, #4]"},
    "it is written at an index": {
        "after": "mrs x19, tpidr_el0; adrp x20, :gottprel:variable;"
                 "ldr x20, [x20, :gottprel_lo12:variable]; bl other; str w9, [x19, x20]"},
    "others are added to atomically": {"after": ".inst 0xb8e00020"},    # ldaddal w0, w0, [x1]
    "its offset is known on both ways": {
        "after": "adrp x20, :gottprel:variable; ldr x20, [x20, :gottprel_lo12:variable]; b.eq 1f;"
                 "ldr x20, [x0]; bl never; 1: mrs x19, tpidr_el0; str w9, [x20, x19]"},
    "its offset waits on the stack": {
        "after": "sub sp, sp, #48; mov x29, sp; mrs x28, tpidr_el0; adrp x22, :gottprel:variable;"
                 "ldr x22, [x22, :gottprel_lo12:variable]; 1: str w9, [x28, x22];"
                 "stp x27, x22, [x29, #16]; str w9, [sp, #12]; mov x22, x0; bl other;"
                 "ldp x27, x22, [sp, #16]; cbz x0, 1b; add sp, sp, #48"},
    "it is saved and brought back": {
        "after": "mrs x28, tpidr_el0; adrp x22, :gottprel:variable;"
                 "ldr x22, [x22, :gottprel_lo12:variable]; str x22, [sp, #-16]!; mov x22, x0;"
                 "bl other; ldr x22, [sp], #16; str x22, [sp, #-16]!; ldr x21, [sp];"
                 "str w9, [x28, x21]"},
    "SVE's vectors are counted": {"after": ".inst 0x04e0e3e0"},         # cntd x0
    "its offset is known in the cold part": {
        "after": "adrp x20, :gottprel:variable; ldr x20, [x20, :gottprel_lo12:variable];"
                 "mrs x19, tpidr_el0; cbz x0, operation.cold"},
}

AARCH64_FORBIDDEN = {
    "a call": ({"change": "bl other"}, "a call inside"),
    "an indirect call": ({"change": "blr x10"}, "a call inside"),
    "a system call": ({"change": "svc #0"}, "a trap inside"),
    "a return": ({"change": "ret"}, "a return inside"),
    "a barrier": ({"change": "dmb ish"}, "a trap inside"),
    "a division": ({"change": "udiv w10, w10, w11"}, "a divide inside"),
    "an indirect jump": ({"change": "br x10"}, "an indirect jump"),
    "a branch out": ({"change": "cbz x10, other"}, "neither to an instruction of the sequence"),
    "a way out behind a store to the caller's memory": (
        {"entry": "str x10, [x1]; cbz x10, end"}, "leaves after a store"),
    "a way out behind it the second time": (
        {"entry": "1: cbz x12, end; str x10, [x1]; subs x12, x12, #1; b.ne 1b"},
        "leaves after a store"),
    "the commit is not last": ({"commit": "str w10, [x9]; nop"}, "nothing is committed"),
    "two commits": ({"entry": "str w10, [x9]"}, "live words of the slot"),
    "a live entry is written": (
        {"entry": "sub w10, w10, #1; add x11, x9, #8; str x1, [x11, w10, uxtw #3]"}, "live words"),
    "a commit elsewhere in the slot": (
        {"commit": "str w10, [x9, #4]"}, "not to the slot's first word"),
    "a commit to no slot": ({"commit": "str w10, [x0]"}, "not the current slot"),
    "cpu_id is written": (
        {"after": "mrs x10, tpidr_el0; add x10, x10, x3; str w9, [x10, #4]"}, "the thread's area"),
    "an offset from memory": (
        {"after": "mrs x10, tpidr_el0; ldr x11, [x0]; str w9, [x10, x11]"}, "the thread's area"),
    "the thread pointer is the index": (
        {"after": "mrs x10, tpidr_el0; ldr x11, [x0]; str w9, [x11, x10]"}, "the thread's area"),
    "another word of the stack": (
        {"after": "mrs x10, tpidr_el0; adrp x11, :gottprel:variable;"
                  "ldr x11, [x11, :gottprel_lo12:variable]; stp x11, x0, [sp, #-16]!;"
                  "ldp x0, x11, [sp], #16; str w9, [x10, x11]"}, "the thread's area"),
    "an offset on the stack, half overwritten": (
        {"after": "mrs x10, tpidr_el0; adrp x11, :gottprel:variable;"
                  "ldr x11, [x11, :gottprel_lo12:variable]; str x11, [sp, #-16]!;"
                  "strb w0, [sp, #7]; ldr x11, [sp], #16; str w9, [x10, x11]"},
        "the thread's area"),
    "an offset on the stack, overwritten by a vector": (
        {"after": "mrs x10, tpidr_el0; adrp x11, :gottprel:variable;"
                  "ldr x11, [x11, :gottprel_lo12:variable]; stp x0, x11, [sp, #-16]!;"
                  "stp q0, q0, [sp, #-16]; ldp x0, x11, [sp], #16; str w9, [x10, x11]"},
        "the thread's area"),
    "an offset on the stack, which moves": (
        {"after": "mrs x10, tpidr_el0; adrp x11, :gottprel:variable;"
                  "ldr x11, [x11, :gottprel_lo12:variable]; str x11, [sp, #-16]!;"
                  "sub sp, sp, #16; ldr x11, [sp], #32; str w9, [x10, x11]"},
        "the thread's area"),
    "the thread pointer from the stack": (
        {"after": "mrs x10, tpidr_el0; str x10, [sp, #-16]!; ldr x12, [sp], #16;"
                  "add x12, x12, x3; str w9, [x12, #4]"}, "the thread's area"),
    "an offset in the register that SVE counts into": (
        {"after": "mrs x10, tpidr_el0; adrp x11, :gottprel:variable;"
                  "ldr x11, [x11, :gottprel_lo12:variable]; .inst 0x04e0e3eb;"     # cntd x11
                  "str w9, [x10, x11]"}, "the thread's area"),
    "an offset from memory on one way": (
        {"after": "mrs x10, tpidr_el0; adrp x11, :gottprel:variable;"
                  "ldr x11, [x11, :gottprel_lo12:variable]; cbz x0, 1f; ldr x11, [x0];"
                  "1: str w9, [x10, x11]"}, "the thread's area"),
    "an offset from another slot of the GOT": (
        {"after": "mrs x10, tpidr_el0; adrp x11, :got:global; ldr x11, [x11, :got_lo12:global];"
                  "str w9, [x10, x11]"}, "the thread's area"),
    "an offset that is a number": (
        {"after": "mrs x10, tpidr_el0; str w9, [x10, #16]"}, "the thread's area"),
    "no instruction": ({"after": ".inst 0x00ffffff"}, "an unknown instruction"),
    "a function all of whose stores are in the cold part": (
        {"other": "cbz x0, other.cold",
         "other_cold": "mrs x10, tpidr_el0; str w0, [x10, x1]"}, "the thread's area"),
    "an offset from memory, exchanged atomically": (
        {"after": "mrs x10, tpidr_el0; adrp x11, :gottprel:variable;"
                  "ldr x11, [x11, :gottprel_lo12:variable];"
                  # swpal x0, x11, [x0]
                  ".inst 0xf8e0800b;"
                  "str w9, [x10, x11]"}, "the thread's area"),
    "the thread pointer moved on": (
        {"after": "mrs x10, tpidr_el0; str x9, [x0], #8; ldr x9, [x10, #8]!; str w9, [x10]"},
        "the thread's area"),
    "an offset from memory in the cold part": (
        {"after": "ldr x20, [x0]; mrs x19, tpidr_el0; cbz x0, operation.cold"},
        "the thread's area"),
    "not announced": ({"announce": "nop"}, "no store to rseq_cs"),
    "another descriptor announced": (
        {"announce": "adrp x9, global; add x9, x9, :lo12:global; str x9, [x3, #8]"},
        "not this descriptor"),
    "the signature is missing": ({"signature": "nop"}, "signature is missing"),
    "the other processor's signature": ({"signature": ".long 0x53053053"}, "signature is missing"),
    "flags": ({"version": "0, 1"}, "flags 0x1"),
    "aborts into itself": ({"abort_target": "start"}, "abort target is inside"),
}

# push: a0 the array, a1 the item, t4 the area, a2 the library's state.
RISCV64 = COMMON | {
    "announce": "lla t0, descriptor; sd t0, 8(t4)",
    "slot": "lw t0, 0(a3); bgeu t0, a4, end; slli t0, t0, 20; add t0, a0, t0; add t0, t0, a2",
    "count": "lw t1, 0(t0); lw t2, 4(t0); bgeu t1, t2, end",
    "entry": "slli t2, t1, 3; add t2, t0, t2; sd a1, 8(t2)",
    "change": "addi t1, t1, 1",
    "commit": "sw t1, 0(t0)",
    "signature": ".balign 4; .4byte 0xf1401073",
    "jump": "tail",
    "cold": "add s3, s3, s4; sw t0, 0(s3); tail other",
}

RISCV64_ALLOWED = {
    "nothing replaced": {},
    "rseq_cs is cleared behind the end": {"after": "sd zero, 8(t4)"},
    "a load that acquires": {"change": "fence r, rw; addi t1, t1, 1"},
    "long instructions": {
        "announce": ".option norvc; .option norelax; lla t0, descriptor; sd t0, 8(t4)"},
    "dead entries one after the other": {
        "entry": "slli t2, t1, 3; add t2, t0, t2; addi t2, t2, 8; sd a1, 0(t2); addi t2, t2, 8;"
                 "sd a1, 0(t2)"},
    "the caller's memory is written": {"entry": "sd t1, 0(a1)"},
    "what an element of the caller's points to is": {
        "entry": "slli t3, a5, 3; add t3, a1, t3; ld t3, 0(t3); sw zero, 48(t3)"},
    "it is written behind the last way out": {
        "entry": "beqz a1, end; li t3, 4; 1: sd t1, 0(a1); addi t3, t3, -1; bnez t3, 1b"},
    "a thread-local variable is written": {
        "after": "la.tls.ie a5, variable; add a5, a5, tp; sw t0, 4(a5)"},
    "its offset is kept over a call": {
        "after": "la.tls.ie s3, variable; call other; add s3, s3, tp; sw t0, 0(s3)"},
    "its offset waits on the stack": {
        "after": "addi sp, sp, -32; la.tls.ie s3, variable; sd s3, 8(sp); mv s3, a0; call other;"
                 "ld s3, 8(sp); addi sp, sp, 32; add s3, tp, s3; sw t0, 0(s3)"},
    "its offset is known in the cold part": {
        "after": "la.tls.ie s4, variable; mv s3, tp; beqz a0, operation.cold"},
    "others are added to atomically": {"after": "amoadd.w.aqrl a0, a0, (a1)"},
}

RISCV64_FORBIDDEN = {
    "a call": ({"change": "call other"}, "a call inside"),
    "an indirect call": ({"change": "jalr t1"}, "a call inside"),
    "a system call": ({"change": "ecall"}, "a trap inside"),
    "a return": ({"change": "ret"}, "a return inside"),
    "a barrier": ({"change": "fence"}, "a trap inside"),
    "a division": ({"change": "divu t1, t1, t2"}, "a divide inside"),
    "an indirect jump": ({"change": "jr t1"}, "an indirect jump"),
    "a branch out": ({"change": "beqz t1, other"}, "neither to an instruction of the sequence"),
    "a way out behind a store to the caller's memory": (
        {"entry": "sd t1, 0(a1); beqz t1, end"}, "leaves after a store"),
    "the commit is not last": ({"commit": "sw t1, 0(t0); nop"}, "nothing is committed"),
    "two commits": ({"entry": "sw t1, 0(t0)"}, "live words of the slot"),
    "a live entry is written": (
        {"entry": "addi t1, t1, -1; slli t2, t1, 3; add t2, t0, t2; sd a1, 8(t2)"},
        "neither a dead entry nor the caller's memory"),
    "a commit elsewhere in the slot": ({"commit": "sw t1, 4(t0)"}, "not to the slot's first word"),
    "a commit to no slot": ({"commit": "sw t1, 0(a0)"}, "not the current slot"),
    "cpu_id is written": ({"after": "add a5, tp, a3; sw t0, 4(a5)"}, "the thread's area"),
    "an offset from memory": (
        {"after": "ld a5, 0(a0); add a5, a5, tp; sw t0, 0(a5)"}, "the thread's area"),
    "an offset that is a number": ({"after": "sw t0, 16(tp)"}, "the thread's area"),
    "an offset on the stack, half overwritten": (
        {"after": "addi sp, sp, -16; la.tls.ie a5, variable; sd a5, 0(sp); sb a0, 7(sp);"
                  "ld a5, 0(sp); addi sp, sp, 16; add a5, a5, tp; sw t0, 0(a5)"},
        "the thread's area"),
    "an offset from memory on one way": (
        {"after": "la.tls.ie a5, variable; beqz a0, 1f; ld a5, 0(a0);"
                  "1: add a5, a5, tp; sw t0, 0(a5)"}, "the thread's area"),
    "an offset from memory in the cold part": (
        {"after": "ld s4, 0(a0); mv s3, tp; beqz a0, operation.cold"}, "the thread's area"),
    "no instruction": ({"after": ".4byte 0xffffffff"}, "an unknown instruction"),
    "not announced": ({"announce": "nop"}, "no store to rseq_cs"),
    "another descriptor announced": (
        {"announce": "lla t0, global; sd t0, 8(t4)"}, "not this descriptor"),
    "the signature is missing": ({"signature": ".balign 4; nop"}, "signature is missing"),
    "the other processor's signature": (
        {"signature": ".balign 4; .4byte 0x53053053"}, "signature is missing"),
    "flags": ({"version": "0, 1"}, "flags 0x1"),
    "aborts into itself": ({"abort_target": "start"}, "abort target is inside"),
}

MACHINES = {
    "x86_64": (X86, X86_ALLOWED, X86_FORBIDDEN),
    "aarch64": (AARCH64, AARCH64_ALLOWED, AARCH64_FORBIDDEN),
    "riscv64": (RISCV64, RISCV64_ALLOWED, RISCV64_FORBIDDEN),
}

# The linker's options for a good library; a case names the option that it replaces.
LINK = {"nodelete": "-znodelete", "now": "-znow", "relro": "-zrelro", "stack": "-znoexecstack",
        "text": "-ztext"}
LIBRARY_FORBIDDEN = {
    "may be unloaded": ({"nodelete": ""}, "", "may be unloaded"),
    "bound lazily": ({"now": "-zlazy"}, "", "bound lazily"),
    "writable after relocation": ({"relro": "-znorelro"}, "", "not read-only"),
    "executable stack": ({"stack": "-zexecstack"}, "", "executable stack"),
    "relocations in code": ({"text": "-znotext"}, ".text; .quad operation", "relocations in code"),
    "a library too many": ({"needs": "-lm"}, "", "needs more than libc"),
    "an IFUNC": ({}, ".text; .globl choose; .type choose, %gnu_indirect_function; choose: ret",
                 "has an IFUNC"),
    "TLS by a call": ({}, ".text; .hidden variable; leaq variable@tlsgd(%rip), %rdi; nop;"
                      "call __tls_get_addr@PLT", "found by a call"),
    "TLS by a descriptor": ({}, ".text; leaq variable@tlsdesc(%rip), %rax", "found by a call"),
    "much TLS": ({}, '.section .tbss, "awT", %nobits; .zero 64', "thread-local variables, more"),
    "no sequence": ({}, "", "nothing was checked"),
}


class Workshop:
    """Makes files of assembler text, and returns what the check says about them."""

    def __init__(self, folder, prefix):
        self.folder = Path(folder)
        self.assemble, self.link = [f"{prefix}as"], [f"{prefix}ld", "-shared"]
        self.failed = self.tried = 0

    def build(self, source, options):
        """The object and its library; making them must not fail."""
        text, obj, lib = (self.folder / name for name in ("case.s", "case.o", "case.so"))
        text.write_text(source.replace(";", "\n\t"))
        for command in ([*self.assemble, "-o", obj, text], [*self.link, *options, "-o", lib, obj]):
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stderr}{source}")
        return obj, lib

    def try_case(self, name, path, expected):
        """expected is what an offence must say, or None if there must be none."""
        offences, _ = check_sequences.check_path(path)
        found = any(expected in o for o in offences) if expected else not offences
        self.tried += 1
        if not found:
            self.failed += 1
            print(f"FAILED {name} ({path.suffix}): expected {expected or 'nothing'}; found:")
            print("".join(f"  {offence}\n" for offence in offences) or "  nothing")


def try_parts(shop, machine, good, allowed, forbidden):
    cases = [(name, parts, None) for name, parts in allowed.items()]
    cases += [(name, parts, expected) for name, (parts, expected) in forbidden.items()]
    for name, parts, expected in cases:
        source = FRAME.format(**good | parts)
        for path in shop.build(source, [o for o in LINK.values() if o]):
            shop.try_case(f"{machine}: {name}", path, expected)


def try_libraries(shop):
    for name, (replaced, text, expected) in LIBRARY_FORBIDDEN.items():
        source = "" if expected == "nothing was checked" else FRAME.format(**X86)
        source += text + "\n"
        _, lib = shop.build(source, [o for o in (LINK | replaced).values() if o])
        shop.try_case(f"library: {name}", lib, expected)


def binutils(machine):
    """The prefix of `as` and `ld` for that machine; None if they are not installed."""
    for prefix in (f"{machine}-linux-gnu-", "" if platform.machine() == machine else None):
        if prefix is not None and shutil.which(f"{prefix}as") and shutil.which(f"{prefix}ld"):
            return prefix
    return None


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    shops, left_out = [], []
    with tempfile.TemporaryDirectory() as folder:
        for machine, cases in MACHINES.items():
            prefix = binutils(machine)
            if prefix is None or machine == "riscv64" and not CAPSTONE_KNOWS_RISCV64:
                left_out.append(machine)
                continue
            shop = Workshop(folder, prefix)
            try_parts(shop, machine, *cases)
            if machine == "x86_64":
                try_libraries(shop)
            shops.append(shop)

    tried, failed = sum(s.tried for s in shops), sum(s.failed for s in shops)
    print(f"{tried} files tried, {failed} judged wrongly" +
          (f"; left out: {', '.join(left_out)}" if left_out else ""))
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
