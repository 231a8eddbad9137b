// SPDX-License-Identifier: MIT
/*
 * A floor for bulk calls: the cost of the unavoidable work alone, without an allocator. n objects
 * of 256 bytes are taken and given back, one by one or in one call each way:
 *
 *	plain	each is only moved between this CPU's array and the caller's
 *	marked	each is also looked up and marked: its owner (once for objects of one page), the
 *		check that an object starts there, and the mark. Taking clears the mark; giving
 *		back compares and writes it
 *
 * n is a multiple of four, and marks are handled four at a time: the processor would mispredict the
 * end of a loop with one round for each object, which would cost more than the marks.
 *
 * Prints time-stamp cycles for an object, both ways together, as the median of many runs; and bulk
 * relative to one by one.
 *
 * usage: cc -O2 -o bulk bulk.c && ./bulk
 */
#include "objects.h"

#define OBJECT_BYTES 256
#define OBJECTS_MAX 64

static void *taken[OBJECTS_MAX];

static __attribute__((noinline)) void *take_plain(void)
{
	return pop((void *)ARRAY_OFFSET);
}

static __attribute__((noinline)) void give_plain(void *object)
{
	push((void *)ARRAY_OFFSET, object);
}

static __attribute__((noinline)) void *take_marked(void)
{
	void *object = pop((void *)ARRAY_OFFSET);

	if (object)
		mark_in_use(object);
	return object;
}

static __attribute__((noinline)) void give_marked(void *object)
{
	struct cache *cache = owner_of(object);

	check_start(cache, object);
	mark_free(object);
	push(cache->array, object);
}

static __attribute__((noinline)) bool take_bulk_plain(void **objects, unsigned long n)
{
	return pop_n((void *)ARRAY_OFFSET, objects, n);
}

static __attribute__((noinline)) void give_bulk_plain(void **objects, unsigned long n)
{
	push_n((void *)ARRAY_OFFSET, objects, n);
}

static __attribute__((noinline)) bool take_bulk_marked(void **objects, unsigned long n)
{
	if (!pop_n((void *)ARRAY_OFFSET, objects, n))
		return false;
	for (unsigned long i = 0; i < n; i += 4) {
		mark_in_use(objects[i]);
		mark_in_use(objects[i + 1]);
		mark_in_use(objects[i + 2]);
		mark_in_use(objects[i + 3]);
	}
	return true;
}

static inline __attribute__((always_inline)) void check_and_mark(const struct cache *cache,
								  void *object, void *before)
{
	if (((unsigned long)object ^ (unsigned long)before) >> PAGE_SHIFT)
		owner_of(object);
	check_start(cache, object);
	mark_free(object);
}

static __attribute__((noinline)) void give_bulk_marked(void **objects, unsigned long n)
{
	const struct cache cache = *owner_of(objects[0]);
	void *before = objects[0];

	for (unsigned long i = 0; i < n; i += 4) {
		check_and_mark(&cache, objects[i], before);
		check_and_mark(&cache, objects[i + 1], objects[i]);
		check_and_mark(&cache, objects[i + 2], objects[i + 1]);
		before = objects[i + 3];
		check_and_mark(&cache, before, objects[i + 2]);
	}
	push_n(cache.array, objects, n);
}

static const struct kind {
	const char *name;
	void *(*take)(void);
	void (*give)(void *object);
	bool (*take_bulk)(void **objects, unsigned long n);
	void (*give_bulk)(void **objects, unsigned long n);
} kinds[] = {
	{ "plain", take_plain, give_plain, take_bulk_plain, give_bulk_plain },
	{ "marked", take_marked, give_marked, take_bulk_marked, give_bulk_marked },
};

/* Fills this CPU's array with n free objects. */
static void fill(unsigned long n)
{
	empty_arrays();
	for (unsigned long i = 0; i < n; i++) {
		void *object = (char *)window.base + i * OBJECT_BYTES;

		mark_in_use(object);
		give_marked(object);
	}
}

/* If an interruption leaves the array empty, this spoils only one of many runs. */
static void one_by_one(const struct kind *kind, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		taken[i] = kind->take();
	for (unsigned long i = 0; i < n; i++)
		if (taken[i])
			kind->give(taken[i]);
}

static void by_bulk(const struct kind *kind, unsigned long n)
{
	if (kind->take_bulk(taken, n))
		kind->give_bulk(taken, n);
}

static double measure(const struct kind *kind, unsigned long n,
		      void (*turn)(const struct kind *, unsigned long))
{
	double values[RUNS];

	for (int run = 0; run < RUNS; run++) {
		uint64_t ticks;

		fill(n);
		ticks = __rdtsc();
		for (unsigned long i = 0; i < OBJECTS; i += n)
			turn(kind, n);
		values[run] = (double)(__rdtsc() - ticks) / OBJECTS;
	}
	return median(values);
}

int main(void)
{
	if (sequences_set_up() || window_set_up(OBJECTS_MAX * OBJECT_BYTES, OBJECT_BYTES))
		return 1;
	printf("R %.2f\n", pair_of_sequences());
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		for (unsigned long n = 4; n <= OBJECTS_MAX; n *= 2) {
			double single = measure(&kinds[i], n, one_by_one);
			double bulk = measure(&kinds[i], n, by_bulk);

			printf("%-6s %2lu: one by one %.2f, bulk %.2f = %.2f\n", kinds[i].name, n,
			       single, bulk, bulk / single);
		}
	}
	return 0;
}
