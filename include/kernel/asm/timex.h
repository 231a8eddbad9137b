/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_TIMEX_H
#define KERNEL_ASM_TIMEX_H

#include <linux/types.h>

#if defined(__x86_64__)
static inline unsigned long long rdtsc(void)
{
	return __builtin_ia32_rdtsc();
}

/* Not before what stands above it. */
static inline unsigned long long rdtsc_ordered(void)
{
	__asm__ __volatile__("lfence" : : : "memory");
	return __builtin_ia32_rdtsc();
}

#define rdtscll(value) ((void)((value) = rdtsc()))
#define get_cycles() ((cycles_t)rdtsc())
#else
static inline cycles_t get_cycles(void)
{
	unsigned long long cycles;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(cycles));
	return cycles;
}
#endif

#define random_get_entropy() ((unsigned long)get_cycles())

#endif
