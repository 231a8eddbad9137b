/* SPDX-License-Identifier: MIT */
/* Caches and kmalloc with a budget of 16 MiB that runs out. */
#include <sched.h>

#include "os/os.h"
#include "slab/slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/shadow.h"
#include "support/threads.h"
#include "usermm/fault.h"
#include "usermm/reclaim.h"

#define BUDGET_BYTES (16UL << 20)
#define GFP_QUIET (GFP_KERNEL | __GFP_NOWARN)
/*
 * Objects of 8 bytes lie 16 apart, so half of their memory is not the user's. A million of 16
 * bytes take ThreadSanitizer too long.
 */
#ifdef __SANITIZE_THREAD__
#define SMALLEST 32
#else
#define SMALLEST 16
#endif

/* Objects that were got, linked through their first word. */
struct chain {
	struct chain *next;
};

static unsigned long take_all(struct kmem_cache *cache, size_t size, struct chain **chain)
{
	unsigned long nr = 0;

	for (;;) {
		struct chain *link = cache ? kmem_cache_alloc(cache, GFP_QUIET) :
				     kmalloc(size, GFP_QUIET);

		if (!link)
			return nr;
		link->next = *chain;
		*chain = link;
		nr++;
	}
}

static void give_all(struct kmem_cache *cache, struct chain **chain)
{
	while (*chain) {
		struct chain *link = *chain;

		*chain = link->next;
		if (cache)
			kmem_cache_free(cache, link);
		else
			kfree(link);
	}
}

static void test_exhaustion_kmalloc(struct kunit *test)
{
	/* The large ones first: the empty slabs that classes keep lie scattered. */
	static const size_t sizes[] = { 1UL << 20, 16384, 8192, 4096, 1024, 192, 96, 64,
					SMALLEST };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct chain *chain = NULL;
		unsigned long first = take_all(NULL, sizes[i], &chain), second;

		KUNIT_EXPECT_NULL(test, kmalloc(sizes[i], GFP_QUIET));
		KUNIT_EXPECT_NULL(test, kzalloc(sizes[i], GFP_QUIET));
		/* Most of the budget is there to be used. */
		KUNIT_EXPECT_GT_MSG(test, first * sizes[i], BUDGET_BYTES / 4 * 3, "%zu bytes",
				    sizes[i]);
		KUNIT_EXPECT_LT(test, first * sizes[i], BUDGET_BYTES);
		give_all(NULL, &chain);
		second = take_all(NULL, sizes[i], &chain);
		/* Empty slabs that other classes keep make a small difference. */
		KUNIT_EXPECT_GT_MSG(test, second + second / 10 + 10, first, "%zu bytes", sizes[i]);
		give_all(NULL, &chain);
	}
}

static void test_exhaustion_cache(struct kunit *test)
{
	static const unsigned int sizes[] = { 24, 100, 700, 5000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *cache = kmem_cache_create("small", sizes[i], 0, 0, NULL);
		struct chain *chain = NULL;
		unsigned long first;

		KUNIT_ASSERT_NOT_NULL(test, cache);
		first = take_all(cache, 0, &chain);
		KUNIT_EXPECT_GT_MSG(test, first * sizes[i], BUDGET_BYTES / 2, "%u bytes", sizes[i]);
		KUNIT_EXPECT_NULL(test, kmem_cache_alloc(cache, GFP_QUIET));
		KUNIT_EXPECT_NULL(test, kmem_cache_zalloc(cache, GFP_QUIET));
		give_all(cache, &chain);
		kmem_cache_destroy(cache);
	}
}

/* Memory that another cache had comes back when that cache is destroyed. */
static void test_exhaustion_memory_moves_between_caches(struct kunit *test)
{
	struct kmem_cache *one = kmem_cache_create("one", 128, 0, 0, NULL);
	struct kmem_cache *two = kmem_cache_create("two", 2048, 0, 0, NULL);
	struct chain *chain = NULL;
	unsigned long first, second;

	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_ASSERT_NOT_NULL(test, two);
	first = take_all(two, 0, &chain);
	give_all(two, &chain);
	take_all(one, 0, &chain);
	give_all(one, &chain);
	second = take_all(two, 0, &chain);
	KUNIT_EXPECT_GT(test, second + first / 10, first);
	give_all(two, &chain);
	kmem_cache_destroy(one);
	kmem_cache_destroy(two);
}

static void test_exhaustion_krealloc_keeps_the_old(struct kunit *test)
{
	u8 *object = kmalloc(500, GFP_KERNEL), *large = kmalloc(20000, GFP_KERNEL);
	struct chain *chain = NULL;

	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_ASSERT_NOT_NULL(test, large);
	memset(object, 0x42, 500);
	memset(large, 0x43, 20000);
	take_all(NULL, 8192, &chain);
	KUNIT_EXPECT_NULL(test, krealloc(object, 5000, GFP_QUIET));
	KUNIT_EXPECT_NULL(test, krealloc(large, 1UL << 20, GFP_QUIET));
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(object, 500, 0x42));
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(large, 20000, 0x43));
	give_all(NULL, &chain);
	/* Caches keep some empty slabs, so memory is in pieces. */
	large = krealloc(large, 40000, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, large);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(large, 20000, 0x43));
	kfree(large);
	kfree(object);
}

static unsigned int nr_constructed;

static void construct(void *object)
{
	nr_constructed++;
	memset(object, 0x66, 512);
}

/* The constructor does not run if there was no memory for the slab. */
static void test_exhaustion_ctor(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("built", 512, 0, 0, construct);
	static void *objects[BUDGET_BYTES / 512];
	unsigned long nr = 0;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	nr_constructed = 0;
	while ((objects[nr] = kmem_cache_alloc(cache, GFP_QUIET))) {
		KUNIT_ASSERT_TRUE(test, shadow_all_bytes(objects[nr], 512, 0x66));
		nr++;
	}
	KUNIT_EXPECT_GT(test, nr, 20000);
	KUNIT_EXPECT_GE(test, nr_constructed, nr);
	while (nr--)
		kmem_cache_free(cache, objects[nr]);
	kmem_cache_destroy(cache);
}

/* No page is left: caches can be made while there is room for their descriptions. */
static void test_exhaustion_cache_create(struct kunit *test)
{
	struct kmem_cache *caches[100];
	unsigned int nr = 0;
	LIST_HEAD(pages);

	while (alloc_pages_bulk_list(GFP_QUIET, 1, &pages))
		;
	while (nr < 100 && (caches[nr] = kmem_cache_create("none", 64, 0, 0, NULL))) {
		KUNIT_EXPECT_NULL(test, kmem_cache_alloc(caches[nr], GFP_QUIET));
		nr++;
	}
	KUNIT_EXPECT_LT_MSG(test, nr, 100, "there was no memory for so many caches");
	while (!list_empty(&pages)) {
		struct page *page = list_first_entry(&pages, struct page, lru);

		list_del(&page->lru);
		__free_page(page);
	}
	for (unsigned int i = 0; i < nr; i++) {
		void *object = kmem_cache_alloc(caches[i], GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		kmem_cache_free(caches[i], object);
		kmem_cache_destroy(caches[i]);
	}
}

/* Rounds in which another thread has all memory, and makes no progress. */
#define VAIN_ROUNDS_MAX 1000

static void hammer(struct test_thread *thread)
{
	struct chain *chain = NULL;
	unsigned int round = 0, vain = 0;

	while (round < TEST_STEPS(16) && vain < VAIN_ROUNDS_MAX) {
		unsigned long nr = take_all(NULL, 32u << (thread->index + round) % 8, &chain);

		give_all(NULL, &chain);
		round += !!nr;
		vain += !nr;
		if (!nr)
			sched_yield();
	}
	KUNIT_EXPECT_GT(thread->test, round, 0);
}

/* Several threads without free memory: at least one always makes progress. */
static void test_exhaustion_threads(struct kunit *test)
{
	struct chain *chain = NULL;

	test_threads_run(test, 4, hammer, NULL);
	KUNIT_EXPECT_GT(test, take_all(NULL, 4096, &chain) * 4096, BUDGET_BYTES / 2);
	give_all(NULL, &chain);
}

/*
 * No allocation has ever filled this CPU's sheaf, but objects that were freed to it can be
 * allocated.
 */
static void without_a_refill(struct kunit *test, void *arg)
{
	struct kmem_cache *cache = arg;
	void *objects[64];
	int nr = cache->objects;

	KUNIT_ASSERT_LE(test, nr, 64);
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, nr, objects), nr);
	usermm_arm_faults();
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_page_alloc.attr.probability = 100;
	usermm_fail_page_alloc.attr.times = -1;
	KUNIT_EXPECT_NULL(test, kmem_cache_alloc(cache, GFP_QUIET));
	kmem_cache_free(cache, objects[0]);
	KUNIT_EXPECT_NOT_NULL(test, kmem_cache_alloc(cache, GFP_QUIET));
	KUNIT_EXPECT_NULL(test, kmem_cache_alloc(cache, GFP_QUIET));
}

static void test_exhaustion_before_a_refill(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("unfilled", 1000, 0, 0, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	test_pin(0);
	CHILD_EXPECT_SUCCESS(test, without_a_refill, cache);
	test_unpin();
	kmem_cache_destroy(cache);
}

/* Frees an object to this CPU, once, for the thread that asks. No page comes of it. */
struct giver {
	struct kmem_cache *cache;
	void *object;		/* Sync: the thread's */
	int thread;		/* the background thread has nothing to give */
};

static unsigned long giver_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct giver *giver = shrinker->private_data;

	(void)sc;
	return giver->thread == os_current_thread() && giver->object != NULL;
}

static unsigned long giver_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct giver *giver = shrinker->private_data;

	(void)sc;
	kmem_cache_free(giver->cache, giver->object);
	giver->object = NULL;
	return 1;
}

static unsigned int nr_victims;

static bool count_victims(gfp_t gfp, unsigned int order)
{
	(void)gfp;
	(void)order;
	nr_victims++;
	return false;
}

/* No victim is asked for if objects have come back to the cache's own slabs meanwhile. */
static void own_slabs_before_victims(struct kunit *test, slab_flags_t flags)
{
	struct giver giver = {
		.cache = kmem_cache_create("given", 700, 0, flags, NULL),
		.thread = os_current_thread(),
	};
	struct shrinker *shrinker = shrinker_alloc(0, "giver");
	struct chain *chain = NULL;
	void *objects[1];

	KUNIT_ASSERT_NOT_NULL(test, giver.cache);
	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	take_all(giver.cache, 0, &chain);
	shrinker->count_objects = giver_count;
	shrinker->scan_objects = giver_scan;
	shrinker->batch = 1;
	shrinker->private_data = &giver;
	shrinker_register(shrinker);
	usermm_set_oom_victim(count_victims);
	nr_victims = 0;
	for (unsigned int bulk = 0; bulk < 2; bulk++) {
		giver.object = chain;
		chain = chain->next;
		objects[0] = NULL;
		if (bulk)
			KUNIT_EXPECT_EQ(test, 1, kmem_cache_alloc_bulk(giver.cache, GFP_QUIET, 1,
								       objects));
		else
			objects[0] = kmem_cache_alloc(giver.cache, GFP_QUIET);
		KUNIT_EXPECT_NULL_MSG(test, giver.object, "the shrinker was not asked");
		KUNIT_ASSERT_NOT_NULL(test, objects[0]);
		((struct chain *)objects[0])->next = chain;
		chain = objects[0];
	}
	KUNIT_EXPECT_EQ(test, nr_victims, 0);
	KUNIT_EXPECT_NULL(test, kmem_cache_alloc(giver.cache, GFP_QUIET));
	KUNIT_EXPECT_GT_MSG(test, nr_victims, 0, "a victim is the last that is asked for");
	usermm_set_oom_victim(NULL);
	shrinker_free(shrinker);
	give_all(giver.cache, &chain);
	kmem_cache_destroy(giver.cache);
}

static void test_exhaustion_own_slabs_before_victims(struct kunit *test)
{
	own_slabs_before_victims(test, 0);
	own_slabs_before_victims(test, SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE);
}

static struct kunit_case exhaustion_cases[] = {
	KUNIT_CASE(test_exhaustion_kmalloc),
	KUNIT_CASE(test_exhaustion_cache),
	KUNIT_CASE(test_exhaustion_memory_moves_between_caches),
	KUNIT_CASE(test_exhaustion_krealloc_keeps_the_old),
	KUNIT_CASE(test_exhaustion_ctor),
	KUNIT_CASE(test_exhaustion_threads),
	KUNIT_CASE(test_exhaustion_cache_create),
	KUNIT_CASE(test_exhaustion_before_a_refill),
	KUNIT_CASE(test_exhaustion_own_slabs_before_victims),
	{ 0 },
};

static struct kunit_suite exhaustion_suite = {
	.name = "slab_exhaustion",
	.suite_init = test_set_small_budget,
	.test_cases = exhaustion_cases,
};

kunit_test_suite(exhaustion_suite);
