/* SPDX-License-Identifier: MIT */
/*
 * Unregisters the thread's restartable sequences for good, so that they can be single-stepped.
 * After that only this thread writes to libc's area: the area says that the thread is on slot 0,
 * and nothing is ever aborted.
 */
#ifndef BENCH_LEAVE_RSEQ_H
#define BENCH_LEAVE_RSEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "percpu/rseq/libc_area.h"

#define RSEQ_SIGNATURE_WORD 0x53053053
#define RSEQ_UNREGISTER 1

/* The fields of struct rseq that can be a slot's index, as words. */
enum { WORD_CPU_ID_START = 0, WORD_CPU_ID = 1, WORD_MM_CID = 6 };

static inline bool libc_has_rseq(void)
{
	return libc_has_area && __rseq_size;
}

/* False if the thread stays registered by libc. */
static __attribute__((__noinline__)) bool leave_rseq(void)
{
	unsigned long sizes[] = { 32, getauxval(AT_RSEQ_FEATURE_SIZE), 0 };
	volatile uint32_t *area;

	if (!libc_has_rseq())
		return true;
	/* The size must be the one that libc registered, which libc does not tell: try several. */
	sizes[2] = __rseq_size;
	area = (void *)((char *)__builtin_thread_pointer() + __rseq_offset);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (syscall(SYS_rseq, area, sizes[i], RSEQ_UNREGISTER, RSEQ_SIGNATURE_WORD))
			continue;
		area[WORD_CPU_ID_START] = 0;
		area[WORD_CPU_ID] = 0;
		area[WORD_MM_CID] = 0;
		return true;
	}
	return false;
}

#endif
