/* SPDX-License-Identifier: MIT */
/*
 * Memory in single pages: a slab of several is not to be had, one of a page is, and reclaim
 * that frees neighbours makes larger ones possible again.
 */
#include "slab/slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/zones.h"
#include "usermm/shrinker.h"

#define ZONE "zone_normal=16M:pcp=off:background=off"
#define ZONE_PAGES MIB_PAGES(16)

static struct page *held[ZONE_PAGES];
static unsigned long nr_held;
static bool may_shrink;

/* Of each two neighbours one is free; no block is left in the reserves. */
static void scatter(struct kunit *test)
{
	unsigned long kept = 0;

	while (nr_held < ZONE_PAGES &&
	       (held[nr_held] = alloc_page(GFP_NOWAIT | __GFP_MEMALLOC | __GFP_NOWARN)))
		nr_held++;
	KUNIT_ASSERT_GT(test, nr_held, ZONE_PAGES / 2);
	for (unsigned long i = 0; i < nr_held; i++)
		if (page_to_pfn(held[i]) % 2)
			__free_page(held[i]);
		else
			held[kept++] = held[i];
	nr_held = kept;
}

static unsigned long count_held(struct shrinker *shrinker, struct shrink_control *control)
{
	(void)shrinker;
	(void)control;
	return may_shrink ? nr_held : 0;
}

static unsigned long free_held(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long nr = min(control->nr_to_scan, nr_held);

	(void)shrinker;
	for (unsigned long i = 0; i < nr; i++)
		__free_page(held[--nr_held]);
	return nr;
}

static struct kmem_cache *cache_of_order(struct kunit *test, bool large)
{
	struct kmem_cache *cache = kmem_cache_create(large ? "large" : "small",
						     large ? 2048 : 64, 0, 0, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_ASSERT_EQ(test, cache->order > 0, large);
	KUNIT_ASSERT_EQ(test, slab_min_order(cache), 0);
	return cache;
}

static void one_order(struct kunit *test)
{
	struct kmem_cache *small = cache_of_order(test, false);
	struct kmem_cache *large = cache_of_order(test, true);
	struct shrinker *shrinker = shrinker_alloc(0, "neighbours");
	void *object;

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	shrinker->count_objects = count_held;
	shrinker->scan_objects = free_held;
	shrinker_register(shrinker);
	scatter(test);
	object = kmem_cache_alloc(small, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, object);
	kmem_cache_free(small, object);
	KUNIT_EXPECT_NULL(test, kmem_cache_alloc(large, GFP_KERNEL));
	may_shrink = true;
	KUNIT_EXPECT_NULL_MSG(test, kmem_cache_alloc(large, GFP_NOWAIT | __GFP_NOWARN),
			      "who may not wait has no reclaim");
	object = kmem_cache_alloc(large, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, object);
	kmem_cache_free(large, object);
}


static void in_child(struct kunit *test, void *arg)
{
	const char *error;

	(void)arg;
	KUNIT_ASSERT_EQ_MSG(test, usermm_set_options(ZONE, &error), 0, "%s", error);
	one_order(test);
}

/* The report names both orders. */
static void test_order_is_one(struct kunit *test)
{
	struct child_result result;
	const char *text;

	child_run(test, in_child, NULL, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	text = strstr(result.err, "  cache: large, object size: 2048, buffer size: 2048, "
		      "default order: ");
	KUNIT_ASSERT_NOT_NULL_MSG(test, text, "%s", result.err);
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, ", min order: 0\n"));
}

static struct kunit_case order_cases[] = {
	KUNIT_CASE(test_order_is_one),
	{ 0 },
};

static struct kunit_suite order_suite = { .name = "slab_order", .test_cases = order_cases };

kunit_test_suite(order_suite);
