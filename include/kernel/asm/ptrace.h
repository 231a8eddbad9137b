/* SPDX-License-Identifier: MIT */
/* Registers of a task as the processor's entry code stores them. Nobody stores any. */
#ifndef KERNEL_ASM_PTRACE_H
#define KERNEL_ASM_PTRACE_H

#include <asm/current.h>
#include <asm/msr-index.h>
#include <asm/segment.h>
#include <linux/linkage.h>
#include <linux/stringify.h>

#ifdef __x86_64__
/* libc's <sys/ptrace.h> has the same structure under the same name with other fields. */
#define pt_regs usermm_pt_regs
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip;
	unsigned long cs, flags, sp, ss;
};

#define regs_return_value(regs) ((regs)->ax)
#define regs_set_return_value(regs, value) ((void)((regs)->ax = (value)))
#define instruction_pointer(regs) ((regs)->ip)
#define kernel_stack_pointer(regs) ((regs)->sp)
#define user_stack_pointer(regs) ((regs)->sp)
#define frame_pointer(regs) ((regs)->bp)
#define user_mode(regs) (((regs)->cs & 3) != 0)
#define regs_get_kernel_argument(regs, n)					\
	((n) == 0 ? (regs)->di : (n) == 1 ? (regs)->si : (n) == 2 ? (regs)->dx : \
	 (n) == 3 ? (regs)->cx : (n) == 4 ? (regs)->r8 : (n) == 5 ? (regs)->r9 : 0UL)
#define instruction_pointer_set(regs, value) ((void)((regs)->ip = (value)))
#else
#define pt_regs usermm_pt_regs
struct pt_regs {
	unsigned long regs[31], sp, pc, pstate;
};

#define regs_return_value(registers) ((registers)->regs[0])
#define regs_set_return_value(registers, value) \
	((void)((registers)->regs[0] = (value)))
#define instruction_pointer(registers) ((registers)->pc)
#define kernel_stack_pointer(registers) ((registers)->sp)
#define user_stack_pointer(registers) ((registers)->sp)
#define regs_get_kernel_argument(registers, n) ((registers)->regs[n])
#endif

struct task_struct;
#define task_pt_regs(task) ((void)(task), (struct pt_regs *)NULL)
#define current_pt_regs() ((struct pt_regs *)NULL)

#endif
