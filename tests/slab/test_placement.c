/* SPDX-License-Identifier: MIT */
/*
 * The places of new objects: side by side in the order of allocation, on no page earlier than
 * needed, and apart for the first objects of many caches.
 */
#include "slab/cache.h"
#include "slab/cpu_cache.h"
#include "slab/slab_free.h"
#include "slab/small_slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/zones.h"

#define BATCH 127

static const unsigned int sizes[] = { 16, 24, 48, 64, 192, 512, 1024, 2048, 6144, 12288 };

static struct kmem_cache *make(struct kunit *test, unsigned int size, bool large_slabs)
{
	struct slab_cache_request request = {
		.name = "placement", .size = size, .large_slabs = large_slabs,
	};
	struct kmem_cache *cache = slab_cache_create(&request);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* Objects that the CPU has of the cache. */
static unsigned int nr_kept(const struct kmem_cache *cache)
{
	const struct percpu_array *sheaf;
	int slot = percpu_current_slot();

	if (slot < 0)
		return 0;
	sheaf = percpu_ptr(cache->own_sheaf, (unsigned int)slot);
	return sheaf->count;
}

static void free_all(struct kmem_cache *cache, void **objects, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		kmem_cache_free(cache, objects[i]);
	kmem_cache_destroy(cache);
}

/* For objects of up to two pages, enough that one can be chosen. */
static unsigned int first_refill(const struct kmem_cache *cache)
{
	unsigned int least = cache->size > 2 * PAGE_SIZE ? 1 : 4;

	return min(max((unsigned int)PAGE_SIZE / cache->size, least), (unsigned int)BATCH);
}

/* How many the next allocation brings; a slab that has fewer left brings these. */
static unsigned int refill(struct kunit *test, struct kmem_cache *cache, void **objects)
{
	unsigned int nr = 0;

	objects[nr] = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, objects[nr++]);
	while (nr_kept(cache))
		objects[nr++] = kmem_cache_alloc(cache, GFP_KERNEL);
	return nr;
}

static void check_slow_start(struct kunit *test)
{
	static void *objects[20 * BATCH];

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *cache = make(test, sizes[i], true);
		unsigned int batch = min(cache->sheaf_room_max / 2, (unsigned int)BATCH);
		unsigned int wanted = min(first_refill(cache), batch);
		unsigned int nr = 0, most = 0, taken;

		for (int round = 0; cache->own_sheaf && round < 12; round++) {
			taken = refill(test, cache, objects + nr);
			KUNIT_EXPECT_LE(test, taken, wanted);
			KUNIT_EXPECT_TRUE(test, round || taken == wanted);
			nr += taken;
			most = max(most, taken);
			wanted = min(2 * wanted, batch);
		}
		/* A slab of large ones has fewer. */
		KUNIT_EXPECT_TRUE(test, !nr || most == (sizes[i] <= 1024 ? batch :
							min(batch, (unsigned int)cache->objects)));
		free_all(cache, objects, nr);
	}
}

/*
 * Within what one refill has brought; the slab is large enough for all of it. The first one of all
 * begins somewhere in the middle, and comes to the slab's first objects last.
 */
static void check_rising(struct kunit *test)
{
	void *objects[BATCH];

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *cache = make(test, sizes[i], true);
		unsigned int nr = first_refill(cache);
		size_t first = 0;

		for (size_t j = 0; j < nr; j++) {
			char *start;

			objects[j] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[j]);
			start = (char *)slab_start_of(cache, objects[j]);
			if (!j && cache->own_sheaf)
				first = (size_t)((char *)objects[0] - start) / cache->size;
			KUNIT_EXPECT_TRUE(test, j || first || nr == 1 || !cache->own_sheaf);
			KUNIT_EXPECT_PTR_EQ(test, objects[j],
					    (void *)(start + (first + j) % nr * cache->size));
		}
		free_all(cache, objects, nr);
	}
}

/*
 * The slabs of many caches begin at a page's start. Their first objects must not all lie at the
 * same offset: a processor's first-level cache has only few places for lines of one offset.
 */
#define SETS ((unsigned int)PAGE_SIZE / CACHE_LINE_BYTES)
#define SET_MOST 4

static void check_colours(struct kunit *test)
{
	unsigned int nr_of_set[SETS] = { 0 }, most = 0, nr = 0;
	struct kmem_cache *caches[SETS];
	void *objects[SETS];

	for (unsigned int size = 16, step; size < PAGE_SIZE; size += step) {
		struct kmem_cache *cache = caches[nr] = make(test, size, true);
		void *object = objects[nr++] = kmem_cache_alloc(cache, GFP_KERNEL);
		unsigned int *of_set;

		KUNIT_ASSERT_NOT_NULL(test, object);
		of_set = &nr_of_set[(unsigned long)object % PAGE_SIZE / CACHE_LINE_BYTES];
		most = max(most, ++*of_set);
		step = max(16u, 1u << (ilog2(size) - 3));
	}
	KUNIT_EXPECT_GT(test, nr, 45);
	KUNIT_EXPECT_TRUE(test, most <= SET_MOST || !caches[0]->own_sheaf);
	while (nr--)
		free_all(caches[nr], &objects[nr], 1);
}

/* The object that was freed last is handed out first, even if it has been in its slab meanwhile. */
static void check_freed_last_first(struct kunit *test)
{
	struct kmem_cache *cache = make(test, 512, true);
	void *objects[8], *again;

	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	slab_drain_all(cache);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects) - 1; i++)
		slab_return_objects(cache, &objects[i], 1);
	for (unsigned int i = ARRAY_SIZE(objects) - 1; i > 0; i--) {
		again = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_EXPECT_PTR_EQ(test, again, objects[i - 1]);
	}
	free_all(cache, objects, ARRAY_SIZE(objects));
}

/* Of all sizes; Linux's rules give small objects less. */
static void check_order(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *large = make(test, sizes[i], true);
		struct kmem_cache *plain = make(test, sizes[i], false);

		if (sizes[i] <= 2 * PAGE_SIZE)
			KUNIT_EXPECT_EQ(test, large->order, PAGE_ALLOC_COSTLY_ORDER);
		KUNIT_EXPECT_TRUE(test, sizes[i] > 64 || plain->order < large->order);
		kmem_cache_destroy(plain);
		kmem_cache_destroy(large);
	}
}

/* Nothing changes for caches whose slabs are touched as a whole. */
static void check_plain_order(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *large = make(test, sizes[i], true);
		struct kmem_cache *plain = make(test, sizes[i], false);

		KUNIT_EXPECT_EQ(test, large->order, plain->order);
		kmem_cache_destroy(plain);
		kmem_cache_destroy(large);
	}
}

static void test_placement_slow_start(struct kunit *test)
{
	zones_run(test, "background=off", check_slow_start);
}

static void test_placement_rising(struct kunit *test)
{
	zones_run(test, "background=off", check_rising);
}

static void test_placement_colours(struct kunit *test)
{
	zones_run(test, "background=off", check_colours);
}

static void test_placement_freed_last_first(struct kunit *test)
{
	zones_run(test, "background=off", check_freed_last_first);
}

static void test_placement_order(struct kunit *test)
{
	zones_run(test, "background=off", check_order);
	zones_run(test, "slab_freelist_random=on", check_plain_order);
	zones_run(test, "limit=64M", check_plain_order);
	zones_run(test, "slab_debug=Z,placement", check_plain_order);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_placement_slow_start),
	KUNIT_CASE(test_placement_rising),
	KUNIT_CASE(test_placement_colours),
	KUNIT_CASE(test_placement_freed_last_first),
	KUNIT_CASE(test_placement_order),
	{ 0 },
};

static struct kunit_suite suite = { .name = "slab-placement", .test_cases = cases };

kunit_test_suite(suite);
