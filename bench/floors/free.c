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
#include "sequences.h"

#define OBJECT_BYTES 64
#define PAGE_SHIFT 12

struct cache {
	void *array;
	unsigned long slab_mask, divisor, start_limit;
};

static struct {
	unsigned long base, bytes, key;
	struct page {
		unsigned long words[3];
		struct cache *cache;
		unsigned long more[4];
	} *pages;
} window;

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

int main(void)
{
	static void (*volatile givers[])(void *) = { give_push, give_owner, give_start, give_mark };
	static const char *const names[] = { "push", "owner", "start", "mark" };
	static struct cache cache = {
		.array = (void *)ARRAY_OFFSET, .slab_mask = (1UL << PAGE_SHIFT) - 1,
	};
	static void *objects[OBJECTS];
	double values[RUNS], r;

	if (sequences_set_up())
		return 1;
	window.bytes = (OBJECTS * OBJECT_BYTES | ((1UL << PAGE_SHIFT) - 1)) + 1;
	window.base = (unsigned long)mmap(NULL, window.bytes, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	window.pages = calloc(window.bytes >> PAGE_SHIFT, sizeof(*window.pages));
	window.key = 0x123456789abcdef0;
	if (!window.pages || window.base == (unsigned long)MAP_FAILED) {
		fputs("no memory\n", stderr);
		return 1;
	}
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
