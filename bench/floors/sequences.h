/* SPDX-License-Identifier: MIT */
/*
 * The basis of the floors: an array of pointers for each CPU, and restartable sequences that push
 * and pop, without a library. For x86-64 and glibc 2.35 and later.
 */
#ifndef BENCH_FLOORS_SEQUENCES_H
#define BENCH_FLOORS_SEQUENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <unistd.h>
#include <x86intrin.h>

#include "announce.h"

#define OBJECTS 10000
#define LIMIT 255
#define RUNS 301

/* Offset of the array in a CPU's slot. The rest of the slot is unused. */
#define ARRAY_OFFSET 0x1240

static struct {
	unsigned long rseq;		/* address of struct rseq minus the thread pointer */
	uint32_t nr;
	char *slots;
} percpu;

/* Announces the sequence from label 1 to label 2. If it is interrupted it goes on at `stop`. */
#define ANNOUNCE_ONLY RSEQ_ANNOUNCE("rseq", "rax", "stop")
/* As ANNOUNCE_ONLY; then sets rax to the address of this CPU's array. */
#define ANNOUNCE							\
	ANNOUNCE_ONLY							\
	"movl %%fs:4(%[rseq]), %%eax\n\t"				\
	"cmpl %[nr], %%eax\n\t"						\
	"jae %l[stop]\n\t"						\
	"shlq $20, %%rax\n\t"						\
	"addq %[slots], %%rax\n\t"					\
	"addq %[array], %%rax\n\t"
#define PERCPU [rseq] "r"(percpu.rseq), [nr] "m"(percpu.nr), [slots] "m"(percpu.slots), \
	[array] "r"(array)

/* Copies n pointers, one by one. Uses rcx and rdi. */
#define COPY(from, to)							\
	"movq %[n], %%rcx\n"						\
	"5:\n\t"							\
	"movq -8(" from ", %%rcx, 8), %%rdi\n\t"			\
	"movq %%rdi, -8(" to ", %%rcx, 8)\n\t"				\
	"subq $1, %%rcx\n\t"						\
	"jnz 5b\n\t"

/* Called if the array is full or empty, or the sequence was interrupted. */
static inline void empty_arrays(void)
{
	for (uint32_t i = 0; i < percpu.nr; i++)
		*(uint32_t *)(percpu.slots + ((unsigned long)i << 20) + ARRAY_OFFSET) = 0;
}

static inline __attribute__((always_inline)) bool try_push(void *array, void *object)
{
	__asm__ goto(ANNOUNCE
		     "movl (%%rax), %%edx\n\t"
		     "cmpl 4(%%rax), %%edx\n\t"
		     "jae %l[stop]\n\t"
		     "movq %[object], 8(%%rax, %%rdx, 8)\n\t"
		     "addl $1, %%edx\n\t"
		     "movl %%edx, (%%rax)\n"
		     "2:\n\t"
		     : : PERCPU, [object] "r"(object)
		     : "rax", "rdx", "memory", "cc" : stop);
	return true;
stop:
	return false;
}

static inline __attribute__((always_inline)) void push(void *array, void *object)
{
	if (!try_push(array, object))
		empty_arrays();
}

/*
 * If gcc 12 knows that the result operand was NULL before, it takes the value that an aborted
 * sequence had loaded for the result. So it must not know.
 */
static inline __attribute__((always_inline)) void *pop(void *array)
{
	void *object = NULL;

	__asm__ volatile goto(ANNOUNCE
			      "movl (%%rax), %%edx\n\t"
			      "subl $1, %%edx\n\t"
			      "jl %l[stop]\n\t"
			      "movq 8(%%rax, %%rdx, 8), %[object]\n\t"
			      "movl %%edx, (%%rax)\n"
			      "2:\n\t"
			      : [object] "+&r"(object) : PERCPU
			      : "rax", "rdx", "memory", "cc" : stop);
	__asm__ volatile("");
	return object;
stop:
	object = NULL;
	__asm__ volatile("" : "+r"(object));
	return object;
}

/* Pops n pointers; the top one is the last in objects[]. False if there are fewer. */
static inline __attribute__((always_inline)) bool pop_n(void *array, void **objects,
							 unsigned long n)
{
	__asm__ volatile goto(ANNOUNCE
			      "movl (%%rax), %%edx\n\t"
			      "subq %[n], %%rdx\n\t"
			      "jb %l[stop]\n\t"
			      "leaq 8(%%rax, %%rdx, 8), %%rsi\n\t"
			      COPY("%%rsi", "%[objects]")
			      "movl %%edx, (%%rax)\n"
			      "2:\n\t"
			      : : PERCPU, [objects] "r"(objects), [n] "r"(n)
			      : "rax", "rcx", "rdx", "rsi", "rdi", "memory", "cc" : stop);
	return true;
stop:
	return false;
}

static inline __attribute__((always_inline)) bool push_n(void *array, void **objects,
							  unsigned long n)
{
	__asm__ volatile goto(ANNOUNCE
			      "movl (%%rax), %%edx\n\t"
			      "leaq 8(%%rax, %%rdx, 8), %%rsi\n\t"
			      "addq %[n], %%rdx\n\t"
			      "cmpl %%edx, 4(%%rax)\n\t"
			      "jb %l[stop]\n\t"
			      COPY("%[objects]", "%%rsi")
			      "movl %%edx, (%%rax)\n"
			      "2:\n\t"
			      : : PERCPU, [objects] "r"(objects), [n] "r"(n)
			      : "rax", "rcx", "rdx", "rsi", "rdi", "memory", "cc" : stop);
	return true;
stop:
	return false;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, RUNS, sizeof(*values), compare);
	return values[RUNS / 2];
}

/* Measures R. */
static inline double pair_of_sequences(void)
{
	void *array = (void *)ARRAY_OFFSET;
	double values[RUNS];

	__asm__("" : "+r"(array));
	for (int run = 0; run < RUNS; run++) {
		uint64_t ticks = __rdtsc();

		for (int i = 0; i < OBJECTS; i++) {
			push(array, values);
			pop(array);
		}
		values[run] = (double)(__rdtsc() - ticks) / OBJECTS;
	}
	return median(values);
}

static int sequences_set_up(void)
{
	percpu.rseq = (unsigned long)__rseq_offset;
	percpu.nr = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	percpu.slots = mmap(NULL, (size_t)percpu.nr << 20, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!__rseq_size || percpu.slots == MAP_FAILED) {
		fputs("no restartable sequences, or no memory\n", stderr);
		return -1;
	}
	for (uint32_t i = 0; i < percpu.nr; i++)
		((uint32_t *)(percpu.slots + ((unsigned long)i << 20) + ARRAY_OFFSET))[1] = LIMIT;
	return 0;
}

#endif
