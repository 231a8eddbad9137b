/* SPDX-License-Identifier: MIT */
/*
 * A cache with its barn: the barn serves bursts of objects, and its objects are free memory for any
 * request.
 */
#include "os/os.h"
#include "slab/cache.h"
#include "slab/cpu_cache.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/shadow.h"
#include "support/slabs.h"
#include "support/threads.h"
#include "usermm/fault.h"
#include "usermm/reclaim.h"

#define NR_OBJECTS 5000
#define OBJECT_BYTES 64

static struct kmem_cache *cache;
static void *objects[NR_OBJECTS];

static void construct(void *object)
{
	memset(object, 0x5a, OBJECT_BYTES);
}

static void allocate(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
}

static void release(void)
{
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
}

/* Some bursts, after which the barn has what the next one needs. */
static void make_bursts(struct kunit *test)
{
	for (unsigned int i = 0; i < 3; i++) {
		allocate(test);
		release();
	}
}

static int begin(struct kunit *test)
{
	if (slab_init())
		return -1;
	test_stop_ageing();
	/* So much that the other barns, which keep what they have, do not use it up. */
	barn_budget_set_budget(64UL << 20, 64UL << 20);
	cache = kmem_cache_create("burst", OBJECT_BYTES, 0, 0, NULL);
	test_pin(0);
	if (cache && cache->own_cpu_slab)
		kunit_skip(test, "barns are for sheaves");
	return cache && test_barn_here(cache)->batch ? 0 : -1;
}

static void end(struct kunit *test)
{
	(void)test;
	kmem_cache_destroy(cache);
	test_unpin();
}

static void test_cache_barns_trims(struct kunit *test)
{
	make_bursts(test);
	KUNIT_EXPECT_GT(test, barn_objects(test_barn_here(cache)), 0ul);
	usermm_trim(0);
	KUNIT_EXPECT_EQ(test, barn_objects(test_barn_here(cache)), 0ul);
}

static void test_cache_barns_serves_bursts(struct kunit *test)
{
	unsigned long created_before, created, freed;
	struct barn_counts before, after;

	make_bursts(test);
	KUNIT_EXPECT_GT(test, barn_objects(test_barn_here(cache)), NR_OBJECTS / 10 * 9ul);
	barn_read_counts(test_barn_here(cache), &before);
	slab_read_turnover(cache, &created_before, &freed);
	allocate(test);
	barn_read_counts(test_barn_here(cache), &after);
	KUNIT_EXPECT_GE(test, after.barn_get - before.barn_get,
			NR_OBJECTS / test_barn_here(cache)->batch / 10 * 9ul);
	slab_read_turnover(cache, &created, &freed);
	KUNIT_EXPECT_EQ(test, created, created_before);
	release();
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), slab_cached_objects(cache));
}

/* A bulk has them before a new slab is made. */
static void test_cache_barns_serves_bulk(struct kunit *test)
{
	unsigned long created_before, created, freed;

	make_bursts(test);
	slab_read_turnover(cache, &created_before, &freed);
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, NR_OBJECTS, objects),
			NR_OBJECTS);
	slab_read_turnover(cache, &created, &freed);
	KUNIT_EXPECT_EQ(test, created, created_before);
	KUNIT_EXPECT_EQ(test, barn_objects(test_barn_here(cache)), 0ul);
	kmem_cache_free_bulk(cache, NR_OBJECTS, objects);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), slab_cached_objects(cache));
}

/* Without memory for slabs, all free objects can be allocated, however few at a time. */
static void take_all_without_memory(struct kunit *test, void *arg)
{
	unsigned long there = slab_nr_slabs(cache) * cache->objects, got = 0;
	int n = *(const int *)arg;

	usermm_arm_faults();
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_page_alloc.attr.probability = 100;
	usermm_fail_page_alloc.attr.times = -1;
	for (; got + (unsigned int)n <= there; got += (unsigned int)n)
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_NOWAIT | __GFP_NOWARN,
							    (size_t)n, objects), n);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), got + slab_cached_objects(cache));
}

static void test_cache_barns_bulk_without_memory(struct kunit *test)
{
	static int some[] = { 1, 30, 126, 127, 200 };

	make_bursts(test);
	for (unsigned int i = 0; i < ARRAY_SIZE(some); i++)
		CHILD_EXPECT_SUCCESS(test, take_all_without_memory, &some[i]);
}

/* Objects from the barn are marked free: another free of one of them is noticed. */
static void free_again(struct kunit *test, void *object)
{
	(void)test;
	kmem_cache_free(cache, object);
}

static void test_cache_barns_double_free(struct kunit *test)
{
	make_bursts(test);
	CHILD_EXPECT_DEATH(test, free_again, objects[NR_OBJECTS / 2], "double free",
			   child_hex(objects[NR_OBJECTS / 2]));
}

static void test_cache_barns_keeps_constructed(struct kunit *test)
{
	kmem_cache_destroy(cache);
	cache = kmem_cache_create("constructed", OBJECT_BYTES, 0, 0, construct);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	make_bursts(test);
	allocate(test);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		KUNIT_EXPECT_TRUE(test, shadow_all_bytes(objects[i], OBJECT_BYTES, 0x5a));
	release();
}

/* No object is left in the barn when all are given back to the slabs. */
static void test_cache_barns_drains(struct kunit *test)
{
	make_bursts(test);
	slab_drain_all(cache);
	KUNIT_EXPECT_EQ(test, barn_objects(test_barn_here(cache)), 0ul);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 0ul);
	KUNIT_EXPECT_EQ(test, slab_free_empty(cache), 0ul);
	make_bursts(test);
	KUNIT_EXPECT_GT(test, barn_objects(test_barn_here(cache)), 0ul);
}

static void test_cache_barns_pressure(struct kunit *test)
{
	unsigned long slabs;

	make_bursts(test);
	slabs = slab_nr_slabs(cache);
	for (int priority = 12; priority >= 0; priority--)
		shrink_slab(GFP_KERNEL, 0, NULL, priority);
	KUNIT_EXPECT_EQ(test, barn_objects(test_barn_here(cache)), 0ul);
	KUNIT_EXPECT_LT(test, slab_nr_slabs(cache), slabs / 2);
}

/* While requests fail on purpose, those of the library are not among them. */
static void fail_each(struct kunit *test, void *arg)
{
	unsigned int nth;

	for (nth = 1; nth < 10000; nth++) {
		void *object;

		usermm_fail_nth(nth);
		object = kmem_cache_alloc(cache, GFP_NOWAIT | __GFP_NOWARN);
		if (object)
			kmem_cache_free(cache, object);
		if (usermm_fail_nth(0))
			break;
		/* Only the call itself asks for fault injection, whatever the barn has. */
		KUNIT_EXPECT_EQ(test, nth, 1u);
		KUNIT_EXPECT_NULL(test, object);
	}
	KUNIT_EXPECT_EQ(test, nth, 2u);
	make_bursts(test);
	(void)arg;
}

static void test_cache_barns_faults(struct kunit *test)
{
	make_bursts(test);
	CHILD_EXPECT_SUCCESS(test, fail_each, NULL);
}

static struct kunit_case cache_barns_cases[] = {
	KUNIT_CASE(test_cache_barns_serves_bursts),
	KUNIT_CASE(test_cache_barns_serves_bulk),
	KUNIT_CASE(test_cache_barns_bulk_without_memory),
	KUNIT_CASE(test_cache_barns_trims),
	KUNIT_CASE(test_cache_barns_double_free),
	KUNIT_CASE(test_cache_barns_keeps_constructed),
	KUNIT_CASE(test_cache_barns_drains),
	KUNIT_CASE(test_cache_barns_pressure),
	KUNIT_CASE(test_cache_barns_faults),
	{ 0 },
};

static struct kunit_suite cache_barns_suite = {
	.name = "slab_cache_barns",
	.init = begin,
	.exit = end,
	.test_cases = cache_barns_cases,
};

kunit_test_suite(cache_barns_suite);
