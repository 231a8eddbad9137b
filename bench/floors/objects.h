/* SPDX-License-Identifier: MIT */
/*
 * The data that a free must look at, without a library: a window of addresses, a table with the
 * cache of each page's objects, and marks of free objects. A mark is in the object's second word
 * or, for large objects, in a byte of a table. Also the struct pages that a free of pages must look
 * at.
 */
#ifndef BENCH_FLOORS_OBJECTS_H
#define BENCH_FLOORS_OBJECTS_H

#include "sequences.h"

#define PAGE_SHIFT 12
#define SOLE 1
/* Objects with more bytes are large. */
#define LARGE_BYTES 512

struct cache {
	void *array;
	unsigned long slab_mask, divisor, start_limit;
};

struct page {
	unsigned long flags, words[3], private;
	int32_t count;
	uint8_t more[20];
} __attribute__((aligned(64)));

/*
 * A load waits for an earlier store to another page if both have the same offset in their pages.
 * Marks are stored at multiples of MARKS_APART, plus 8. So each structure that is read in between
 * begins at such a multiple with two words that nobody reads.
 */
#define MARKS_APART 256

static struct {
	unsigned long apart[2];
	unsigned long base, bytes, key;
	struct cache **caches;
	struct page *pages;
	unsigned long marks;		/* table of marks, minus the index of the window's start */
} window __attribute__((aligned(MARKS_APART)));

static struct {
	unsigned long apart[2];
	struct cache cache;
} the_only __attribute__((aligned(MARKS_APART))) = { .cache = {
	.array = (void *)ARRAY_OFFSET, .slab_mask = (1UL << PAGE_SHIFT) - 1,
} };

/* Sets up at least so many bytes of pages with objects of this size. */
static int window_set_up(unsigned long bytes, unsigned long object_bytes)
{
	uint8_t *marks;

	window.bytes = ((bytes - 1) | ((1UL << PAGE_SHIFT) - 1)) + 1;
	window.base = (unsigned long)mmap(NULL, window.bytes, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	window.caches = calloc(window.bytes >> PAGE_SHIFT, sizeof(*window.caches));
	window.pages = aligned_alloc(64, (window.bytes >> PAGE_SHIFT) * sizeof(*window.pages));
	window.key = 0x123456789abcdef0;
	marks = calloc(1, window.bytes / LARGE_BYTES);
	if (!window.caches || !window.pages || !marks || window.base == (unsigned long)MAP_FAILED) {
		fputs("no memory\n", stderr);
		return -1;
	}
	window.marks = (unsigned long)marks - window.base / LARGE_BYTES;
	the_only.cache.divisor = -object_bytes / object_bytes + 2;
	the_only.cache.start_limit = (1UL << PAGE_SHIFT) / object_bytes * the_only.cache.divisor *
				object_bytes;
	for (unsigned long i = 0; i < window.bytes >> PAGE_SHIFT; i++) {
		window.caches[i] = &the_only.cache;
		window.pages[i] = (struct page){ .count = SOLE };
	}
	return 0;
}

static inline __attribute__((always_inline)) struct cache *owner_of(void *object)
{
	unsigned long offset = (unsigned long)object - window.base;
	struct cache *cache;

	if (offset >= window.bytes)
		abort();
	cache = window.caches[offset >> PAGE_SHIFT];
	if (!cache)
		abort();
	return cache;
}

static inline __attribute__((always_inline)) void check_start(const struct cache *cache,
							      void *object)
{
	if (((unsigned long)object & cache->slab_mask) * cache->divisor >= cache->start_limit)
		abort();
}

static inline __attribute__((always_inline)) void mark_free(void *object)
{
	unsigned long mark = (unsigned long)object ^ window.key, *word = object;

	if ((uint32_t)word[1] == (uint32_t)mark)
		abort();
	word[1] = mark;
}

static inline __attribute__((always_inline)) void mark_in_use(void *object)
{
	((unsigned long *)object)[1] = 0;
}

static inline __attribute__((always_inline)) uint8_t *mark_of_large(void *object)
{
	return (uint8_t *)(window.marks + (unsigned long)object / LARGE_BYTES);
}

static inline __attribute__((always_inline)) void mark_large_free(void *object)
{
	uint8_t *mark = mark_of_large(object);

	if (*mark)
		abort();
	*mark = 1;
}

static inline __attribute__((always_inline)) void mark_large_in_use(void *object)
{
	*mark_of_large(object) = 0;
}

#endif
