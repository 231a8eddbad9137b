/* SPDX-License-Identifier: MIT */
/*
 * The processor's trap flag. While it is set, SIGTRAP follows every instruction. The signal aborts
 * any restartable sequence that it interrupts.
 */
#ifndef BENCH_STEP_H
#define BENCH_STEP_H

#include <stdbool.h>

#if defined(__x86_64__)
static inline __attribute__((always_inline)) void trap_flag(bool on)
{
	unsigned long flags;

	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"	/* skip the red zone */
			 "pushfq\n\t"
			 "popq %0\n\t"
			 "andq $~0x100, %0\n\t"
			 "orq %1, %0\n\t"
			 "pushq %0\n\t"
			 "popfq\n\t"
			 "leaq 128(%%rsp), %%rsp"
			 : "=&r"(flags)
			 : "r"(on ? 0x100UL : 0UL)
			 : "memory", "cc");
}
#endif

#endif
