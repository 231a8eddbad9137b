/* SPDX-License-Identifier: MIT */
/*
 * Takes the thread's restartable sequences from the kernel, for good, for who wants to go
 * through them step by step. Nobody but this thread writes to libc's area from then on, so
 * it says that the thread is on slot 0, and nothing is ever aborted.
 */
#ifndef BENCH_LEAVE_RSEQ_H
#define BENCH_LEAVE_RSEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RSEQ_SIGNATURE_WORD 0x53053053
#define RSEQ_UNREGISTER 1

/* glibc's, since 2.35. */
extern const ptrdiff_t __rseq_offset __attribute__((__weak__));
extern const unsigned int __rseq_size __attribute__((__weak__));

/* The kernel's fields of struct rseq that can be a slot's index. */
enum { WORD_CPU_ID_START = 0, WORD_CPU_ID = 1, WORD_MM_CID = 6 };

static inline bool libc_has_rseq(void)
{
	return &__rseq_offset && &__rseq_size && __rseq_size;
}

/* False if libc registered the thread and it stays that. */
static __attribute__((__noinline__)) bool leave_rseq(void)
{
	unsigned long sizes[] = { 32, getauxval(AT_RSEQ_FEATURE_SIZE), 0 };
	volatile uint32_t *area;

	if (!libc_has_rseq())
		return true;
	/* It has to be the size that libc registered, which libc does not tell. */
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
