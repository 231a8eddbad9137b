/* SPDX-License-Identifier: MIT */
/*
 * Which cache lines of data a piece of code touches: it is executed one instruction at a
 * time, and every address that an instruction loads or stores is computed from its operands
 * and the registers. That is exact and the same on any machine, and needs no counter of the
 * processor's. The thread's own stack is left out.
 */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

#include <stdbool.h>

/* Different lines, by what lies there. */
struct lines {
	unsigned long objects;		/* memory that the allocator hands out */
	unsigned long pages;		/* struct pages, and whose slabs they are */
	unsigned long others;		/* per-CPU slots, caches, tables, thread-local data */
};

/*
 * Takes restartable sequences from the calling thread for good, since every step would
 * restart them: until the process ends it works on slot 0 and must not share that with
 * another thread. NULL, or why lines cannot be had here.
 */
const char *lines_begin(void);

/* False if a step was not understood or there were too many. */
bool lines_trace(void (*function)(void *arg), void *arg, struct lines *lines);

static inline double lines_total(const struct lines *lines)
{
	return (double)(lines->objects + lines->pages + lines->others);
}

#endif
