/* SPDX-License-Identifier: MIT */
/*
 * The CPU that a thread runs on, and its instructions.
 *
 * If libc has no struct rseq to read the CPU from, sched_getcpu(3) calls the vDSO. On x86-64 Linux
 * keeps the number in a register, and reading that takes a tenth of the time.
 */
#ifndef OS_MACHINE_CPU_H
#define OS_MACHINE_CPU_H

#include "base/atomic.h"
#include "base/compiler.h"

/* Sync: atomic relaxed; found out by the first call */
extern enum os_rdpid { OS_RDPID_UNKNOWN, OS_RDPID_IS_CPU, OS_RDPID_IS_NOT } os_rdpid __hidden;

/*
 * May AVX2's instructions be used, and LZCNT, which came with them? The system must save their
 * registers, too.
 */
bool os_has_avx2(void);

unsigned int os_current_cpu_slow(void);

#ifdef __x86_64__
#define RDPID_CPU_MASK 0xfffu		/* the other bits are the memory node */

static inline unsigned int os_read_rdpid(void)
{
	unsigned long id;

	__asm__ volatile("rdpid %0" : "=r"(id));
	return (unsigned int)id & RDPID_CPU_MASK;
}
#endif

/* The CPU of the calling thread, at the time of the call. */
static inline unsigned int os_current_cpu(void)
{
#ifdef __x86_64__
	if (likely(atomic_load_relaxed(&os_rdpid) == OS_RDPID_IS_CPU))
		return os_read_rdpid();
#endif
	return os_current_cpu_slow();
}

#endif
