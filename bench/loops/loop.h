/* SPDX-License-Identifier: MIT */
/*
 * Measured loops: the common part of the loops in this folder.
 *
 * The loops are one source that is built three times: into `usermm bench` and plain programs with
 * usermm's public headers, into modules of Linux, and into modules on usermm. So they use only
 * names that all three have. bench/measure/timing.c runs them in user space, bench/loops/measure.h
 * in modules.
 *
 * A loop is measured at BENCH_PLACEMENTS places, since the position of a tight loop in the code, of
 * its frame on the stack and of its object in a page can change its time by a factor of two or
 * more. Each place has its own code address and stack depth. A loop that works on one object holds
 * as many others back as the place's number, so that each place uses another object.
 */
#ifndef BENCH_LOOPS_LOOP_H
#define BENCH_LOOPS_LOOP_H

#ifdef __KERNEL__
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "usermm/usermm.h"
#endif

#define BENCH_PLACEMENTS 8
#define BENCH_PHASES 2

/*
 * Reads the time-stamp counter after all preceding instructions have been executed. It does not use
 * the kernel's get_cycles(), which is 0 in UML (Linux as a user process).
 */
#if defined(__x86_64__)
static inline uint64_t ticks_begin(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence"
			 : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static inline uint64_t ticks_end(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtscp\n\tlfence"
			 : "=a"(low), "=d"(high) : : "rcx", "memory");
	return (uint64_t)high << 32 | low;
}

/*
 * Reads the counter after all preceding stores have reached the cache, so that clearing a page is
 * counted completely. The measurement must begin in the same way, or it would include earlier
 * stores.
 */
static inline uint64_t ticks_begin_stored(void)
{
	__asm__ volatile("mfence" : : : "memory");
	return ticks_begin();
}

static inline uint64_t ticks_end_stored(void)
{
	__asm__ volatile("mfence" : : : "memory");
	return ticks_end();
}
#else
#if defined(__aarch64__)
#define TICKS_READ "isb\n\tmrs %0, cntvct_el0\n\tisb"
#define TICKS_STORED "dsb sy"
#elif defined(__riscv)
#define TICKS_READ "fence\n\trdtime %0\n\tfence"
#define TICKS_STORED "fence"
#elif defined(__powerpc64__)
#define TICKS_READ "isync\n\tmftb %0\n\tisync"
#define TICKS_STORED "sync"
#elif defined(__loongarch64)
#define TICKS_READ "dbar 0\n\trdtime.d %0, $zero\n\tdbar 0"
#define TICKS_STORED "dbar 0"
#elif defined(__s390x__)
#define TICKS_READ "bcr 15, 0\n\tstckf %0\n\tbcr 15, 0"
#define TICKS_OPERAND "=Q"
#define TICKS_STORED "bcr 15, 0"
#else
#error "no time stamp counter known for this architecture"
#endif

#ifndef TICKS_OPERAND
#define TICKS_OPERAND "=r"
#endif

static inline uint64_t ticks_begin(void)
{
	uint64_t ticks;

	__asm__ volatile(TICKS_READ : TICKS_OPERAND(ticks) : : "memory", "cc");
	return ticks;
}

static inline uint64_t ticks_end(void)
{
	return ticks_begin();
}

static inline uint64_t ticks_begin_stored(void)
{
	__asm__ volatile(TICKS_STORED : : : "memory");
	return ticks_begin();
}

static inline uint64_t ticks_end_stored(void)
{
	__asm__ volatile(TICKS_STORED : : : "memory");
	return ticks_end();
}
#endif

/* Input and results of one execution of a loop. */
struct bench_run {
	unsigned long n;		/* in: iterations */
	unsigned int place;		/* in: number of the place */
	long step;			/* in: the case's step */
	void *arg;			/* in: the case's argument */
	uint64_t ticks[BENCH_PHASES];	/* out: cycles of each phase */
	unsigned long timed;		/* out: how often each phase was timed; 0 means 1 */
	unsigned long objects;		/* out: objects handled; 0 means n * per */
	unsigned long failed;		/* out: operations that failed */
};

typedef void (*bench_loop)(struct bench_run *run);

/*
 * BENCH_PLACED(name, statement) defines name[]: the loop `statement` (which may use `run`) at all
 * places. Each place has another number of nops before the loop, and another number of cache lines
 * of stack between caller and loop.
 */
#define BENCH_AT(name, place, shift, ...)				\
	static noinline __aligned(64)					\
	void name##_at_##place(struct bench_run *run)			\
	{								\
		char lines[(shift) * 64 + 1];				\
									\
		__asm__ volatile("" : : "r"(lines) : "memory");		\
		__asm__ volatile(".rept " #shift "\n\tnop\n\t.endr");	\
		__VA_ARGS__;						\
	}

#define BENCH_PLACED(name, ...)						\
	BENCH_AT(name, 0, 0, __VA_ARGS__)				\
	BENCH_AT(name, 1, 7, __VA_ARGS__)				\
	BENCH_AT(name, 2, 13, __VA_ARGS__)				\
	BENCH_AT(name, 3, 22, __VA_ARGS__)				\
	BENCH_AT(name, 4, 29, __VA_ARGS__)				\
	BENCH_AT(name, 5, 35, __VA_ARGS__)				\
	BENCH_AT(name, 6, 46, __VA_ARGS__)				\
	BENCH_AT(name, 7, 57, __VA_ARGS__)				\
	static const bench_loop name[BENCH_PLACEMENTS] = {		\
		name##_at_0, name##_at_1, name##_at_2, name##_at_3,	\
		name##_at_4, name##_at_5, name##_at_6, name##_at_7,	\
	}

static __always_inline void zero_size_body(struct bench_run *run)
{
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++)
		__asm__ volatile("" : : : "memory");
	run->ticks[0] = ticks_end() - start;
}

#endif
