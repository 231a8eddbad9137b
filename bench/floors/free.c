// SPDX-License-Identifier: MIT
/*
 * What a free costs before there is an allocator: 10000 objects of 64 bytes are given, one
 * call each, to a function that does
 *
 *	push	no more than push the pointer on this CPU's array by a restartable sequence
 *	owner	the same behind the look for the owner: struct page, cache, the cache's array
 *	start	the same behind the check that an object starts at the address
 *	mark	the same behind the check that the object is in use, which marks it free
 *
 * The array is emptied by one store when it is full, so nothing goes anywhere. Cycles of the
 * time-stamp counter for one call, the median of many runs, and as a multiple of R: a
 * sequence that pops and one that pushes, without calls. For x86-64 and glibc 2.35 and later.
 *
 * usage: cc -O2 -o free free.c && ./free
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <unistd.h>
#include <x86intrin.h>

#define OBJECTS 10000
#define OBJECT_BYTES 64
#define LIMIT 255
#define RUNS 301
#define PAGE_SHIFT 12

struct cache {
	void *array;
	unsigned long slab_mask, divisor, start_limit;
};

/* Where an array of a CPU's slot begins; the other parts of the slots are not used. */
#define ARRAY_OFFSET 0x1240

static struct {
	unsigned long base, bytes, key;
	struct page {
		unsigned long words[3];
		struct cache *cache;
		unsigned long more[4];
	} *pages;
} window;

static struct {
	unsigned long rseq;		/* struct rseq minus thread pointer */
	uint32_t nr;
	char *slots;
} percpu;

#define ANNOUNCE							\
	".pushsection __rseq_cs, \"aw\"\n\t"				\
	".balign 32\n"							\
	"3:\n\t"							\
	".long 0, 0\n\t"						\
	".quad 1f, 2f - 1f, 4f\n\t"					\
	".popsection\n\t"						\
	".pushsection __rseq_abort, \"ax\"\n\t"				\
	".byte 0x0f, 0xb9, 0x3d\n\t"					\
	".long 0x53053053\n"						\
	"4:\n\t"							\
	"jmp %l[stop]\n\t"						\
	".popsection\n\t"						\
	"leaq 3b(%%rip), %%rax\n\t"					\
	"movq %%rax, %%fs:8(%[rseq])\n"					\
	"1:\n\t"							\
	"movl %%fs:4(%[rseq]), %%eax\n\t"				\
	"cmpl %[nr], %%eax\n\t"						\
	"jae %l[stop]\n\t"						\
	"shlq $20, %%rax\n\t"						\
	"addq %[slots], %%rax\n\t"					\
	"addq %[array], %%rax\n\t"
#define PERCPU [rseq] "r"(percpu.rseq), [nr] "m"(percpu.nr), [slots] "m"(percpu.slots), \
	[array] "r"(array)

static inline __attribute__((always_inline)) void push(void *array, void *object)
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
	return;
stop:
	for (uint32_t i = 0; i < percpu.nr; i++)
		*(uint32_t *)(percpu.slots + ((unsigned long)i << 20) + ARRAY_OFFSET) = 0;
}

static inline __attribute__((always_inline)) void pop(void *array)
{
	__asm__ goto(ANNOUNCE
		     "movl (%%rax), %%edx\n\t"
		     "subl $1, %%edx\n\t"
		     "jl %l[stop]\n\t"
		     "movq 8(%%rax, %%rdx, 8), %%rcx\n\t"
		     "movl %%edx, (%%rax)\n"
		     "2:\n\t"
		     : : PERCPU
		     : "rax", "rcx", "rdx", "memory", "cc" : stop);
stop:
	return;
}

enum depth { PUSH, OWNER, START, MARK, NR_DEPTHS };

static inline __attribute__((always_inline)) void give(void *object, enum depth depth)
{
	unsigned long offset = (unsigned long)object - window.base, mark, *word = object;
	struct cache *cache = NULL;

	if (depth >= OWNER) {
		if (offset >= window.bytes)
			abort();
		cache = window.pages[offset >> PAGE_SHIFT].cache;
		if (!cache)
			abort();
	}
	if (depth >= START &&
	    ((unsigned long)object & cache->slab_mask) * cache->divisor >= cache->start_limit)
		abort();
	if (depth >= MARK) {
		mark = (unsigned long)object ^ window.key;
		if ((uint32_t)word[1] == (uint32_t)mark)
			abort();
		word[1] = mark;
	}
	push(depth >= OWNER ? cache->array : (void *)ARRAY_OFFSET, object);
}

#define GIVER(name, depth)							\
	static __attribute__((noinline)) void name(void *object)		\
	{									\
		give(object, depth);						\
	}
GIVER(give_push, PUSH)
GIVER(give_owner, OWNER)
GIVER(give_start, START)
GIVER(give_mark, MARK)

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

static double pair_of_sequences(void)
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

int main(void)
{
	static void (*volatile givers[])(void *) = { give_push, give_owner, give_start, give_mark };
	static const char *const names[] = { "push", "owner", "start", "mark" };
	static struct cache cache = {
		.array = (void *)ARRAY_OFFSET, .slab_mask = (1UL << PAGE_SHIFT) - 1,
	};
	static void *objects[OBJECTS];
	double values[RUNS], r;

	percpu.rseq = (unsigned long)__rseq_offset;
	percpu.nr = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	percpu.slots = mmap(NULL, (size_t)percpu.nr << 20, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	window.bytes = (OBJECTS * OBJECT_BYTES | ((1UL << PAGE_SHIFT) - 1)) + 1;
	window.base = (unsigned long)mmap(NULL, window.bytes, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	window.pages = calloc(window.bytes >> PAGE_SHIFT, sizeof(*window.pages));
	window.key = 0x123456789abcdef0;
	if (!__rseq_size || percpu.slots == MAP_FAILED || !window.pages ||
	    window.base == (unsigned long)MAP_FAILED) {
		fputs("no restartable sequences, or no memory\n", stderr);
		return 1;
	}
	for (uint32_t i = 0; i < percpu.nr; i++)
		((uint32_t *)(percpu.slots + ((unsigned long)i << 20) + ARRAY_OFFSET))[1] = LIMIT;
	cache.divisor = -(unsigned long)OBJECT_BYTES / OBJECT_BYTES + 2;
	cache.start_limit = (1UL << PAGE_SHIFT) / OBJECT_BYTES * cache.divisor * OBJECT_BYTES;
	for (unsigned long i = 0; i < window.bytes >> PAGE_SHIFT; i++)
		window.pages[i].cache = &cache;
	for (int i = 0; i < OBJECTS; i++)
		objects[i] = (char *)window.base + i * OBJECT_BYTES;
	r = pair_of_sequences();
	printf("R %.2f\n", r);
	for (int depth = 0; depth < NR_DEPTHS; depth++) {
		void (*giver)(void *) = givers[depth];

		for (int run = 0; run < RUNS; run++) {
			uint64_t ticks;

			for (int i = 0; i < OBJECTS; i++)
				((unsigned long *)objects[i])[1] = 0;
			ticks = __rdtsc();
			for (int i = 0; i < OBJECTS; i++)
				giver(objects[i]);
			values[run] = (double)(__rdtsc() - ticks) / OBJECTS;
		}
		printf("%-6s %.2f = %.2f R\n", names[depth], median(values), median(values) / r);
	}
	return 0;
}
