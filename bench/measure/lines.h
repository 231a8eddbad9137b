/* SPDX-License-Identifier: MIT */
/*
 * Finds the cache lines of data that a piece of code touches. The code is executed one instruction
 * at a time, and every address that it loads or stores is computed from the operands and registers.
 * This is exact, the same on any machine, and needs no CPU counter. The thread's own stack is left
 * out.
 */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

#include <stdbool.h>

/* Numbers of distinct lines, by the kind of data. */
struct lines {
	unsigned long objects;		/* memory that the allocator hands out */
	unsigned long pages;		/* struct pages, and the table of slabs' caches */
	unsigned long others;		/* per-CPU slots, caches, tables, thread-local data */
};

/*
 * Unregisters the calling thread's restartable sequences for good, since every step would abort
 * them. Until the process ends the thread works on slot 0, and must not share this slot with
 * another thread. Returns NULL, or why lines cannot be traced here.
 */
const char *lines_begin(void);

/* False if an instruction is unknown or there were too many. */
bool lines_trace(void (*function)(void *arg), void *arg, struct lines *lines);

static inline double lines_total(const struct lines *lines)
{
	return (double)(lines->objects + lines->pages + lines->others);
}

#endif
