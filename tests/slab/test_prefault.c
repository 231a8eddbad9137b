/* SPDX-License-Identifier: MIT */
/*
 * Which caches' slabs are made present before they are touched (page/prefault.h): those of which
 * all pages will be written to. Each case in a fresh process.
 */
#include "base/options.h"
#include "slab/cache.h"
#include "slab/partial.h"
#include "slab/slab.h"
#include "support/child.h"
#include "support/prefault.h"

#define OPTIONS "background=off:reserve=16G:thp=never"
/* A request may then prefault more than a slab. */
#define SHARE_PAGES 64UL
#define NR_OBJECTS 3000

static void set_up(struct kunit *test)
{
	const char *error;

	KUNIT_ASSERT_EQ(test, usermm_set_options(OPTIONS, &error), 0);
	KUNIT_ASSERT_EQ(test, slab_init(), 0);
	prefault_use_for(test, SHARE_PAGES);
}

/* Of the slab's pages. */
static unsigned long resident(const void *object)
{
	const struct page *slab = compound_head(virt_to_page(object));

	return nr_resident(slab, 1UL << compound_order(slab));
}

static void *take(struct kunit *test, struct kmem_cache *cache)
{
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	*(char *)object = 1;
	return object;
}

/* How many of the objects are the first of a slab, and the slab was present as it came. */
static unsigned int slabs_present(struct kunit *test, struct kmem_cache *cache)
{
	unsigned long created = 0, now, freed;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		void *object = take(test, cache);

		slab_read_turnover(cache, &now, &freed);
		nr += now != created && resident(object) == 1UL << cache->order;
		created = now;
	}
	return nr;
}

static struct kmem_cache *make(struct kunit *test, unsigned int size)
{
	struct kmem_cache *cache = kmem_cache_create("populated", size, 0, 0, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_ASSERT_GT(test, cache->order, 0);
	KUNIT_ASSERT_LE(test, cache->order, PAGE_ALLOC_COSTLY_ORDER);
	return cache;
}

/* Except the first slab, which may be the only one. */
static void slabs_of_small_objects(struct kunit *test, void *unused)
{
	struct kmem_cache *cache;

	(void)unused;
	set_up(test);
	cache = make(test, 1024);
	KUNIT_EXPECT_LT(test, resident(take(test, cache)), 1UL << cache->order);
	KUNIT_EXPECT_GT(test, slabs_present(test, cache), NR_OBJECTS / cache->objects / 2);
}

/* A program may never touch more of an object than its first page. */
static void slabs_of_large_objects(struct kunit *test, void *unused)
{
	static const unsigned int sizes[] = { PAGE_SIZE + 2048, 2 * PAGE_SIZE };

	(void)unused;
	set_up(test);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *cache = make(test, sizes[i]);

		KUNIT_EXPECT_EQ_MSG(test, slabs_present(test, cache), 0U, "of %u", sizes[i]);
	}
}

static void test_populated_slabs(struct kunit *test)
{
	prefault_need(test);
	CHILD_EXPECT_SUCCESS(test, slabs_of_small_objects, NULL);
	CHILD_EXPECT_SUCCESS(test, slabs_of_large_objects, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_populated_slabs),
	{ 0 },
};

static struct kunit_suite suite = { .name = "slab-prefault", .test_cases = cases };

kunit_test_suite(suite);
