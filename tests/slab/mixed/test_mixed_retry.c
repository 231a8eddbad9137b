/* SPDX-License-Identifier: MIT */
/*
 * A slab becomes a mixed one. At each instruction of this, in turn, an object is given back to the
 * slab: either the swap of the slab's word is tried again, or the object is diverted to the map.
 */
#include "mixed_caches.h"
#include "selftest/stepping.h"
#include "slab/slab_free.h"
#include "support/places.h"

#define TAKEN_MAX 600
#define STAY 10

static struct kmem_cache *cache;
static void *objects[TAKEN_MAX];
static enum mixed_made made;
static bool is_given;

/* One slab, of whose objects STAY are out. */
static void make_sparse(struct kunit *test)
{
	unsigned int nr = slab_take_objects(cache, GFP_KERNEL, objects, TAKEN_MAX);

	KUNIT_ASSERT_GT(test, nr, STAY * MIXED_SPARSE);
	slab_return_objects(cache, objects + STAY, nr - STAY);
	KUNIT_ASSERT_EQ(test, test_slab_inuse(cache), STAY);
	is_given = false;
}

static void make(void *unused)
{
	(void)unused;
	made = slab_mixed_make(cache, &cache->first_node, 0);
}

static void give_one(void)
{
	is_given = true;
	slab_return_objects(cache, objects, 1);
}

/* All objects but the given one are still out, and come back. */
static void expect_no_loss(struct kunit *test)
{
	struct slab_mixed_usage usage;

	slab_return_deferred(cache);
	slab_mixed_read_usage(&usage);
	KUNIT_EXPECT_EQ(test, made, MIXED_MADE);
	KUNIT_EXPECT_EQ(test, usage.blocks, STAY - is_given);
	KUNIT_EXPECT_EQ(test, usage.used_bytes, usage.blocks * cache->size);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 0);
	slab_return_objects(cache, objects + is_given, STAY - is_given);
	mixed_expect_nothing(test);
}

static void test_mixed_swap_is_tried_again(struct kunit *test)
{
	const unsigned long *fails;
	unsigned int hits = 0;

	if (!mixed_caches_make(test))
		return;
	if (!STEPPING_SINGLE || RSEQ_IN_C || !stepping_works())
		kunit_skip(test, "no single steps");
	cache = &mixed_caches[2];
	cache->counts = true;
	fails = &cache->counters.nr[SLAB_CMPXCHG_DOUBLE_FAIL];
	/* The second time is like all others: there is memory for a record. */
	for (unsigned int i = 0; i < 2; i++) {
		make_sparse(test);
		nr_places = 0;
		stepping_run(make, NULL, place_note);
		expect_no_loss(test);
	}
	KUNIT_EXPECT_GT(test, nr_places, 50);
	KUNIT_EXPECT_LT(test, nr_places, NR_PLACES);
	KUNIT_EXPECT_EQ(test, *fails, 0);
	for (unsigned int i = 0; i < nr_places; i++) {
		make_sparse(test);
		hits += stepping_break_at(places[i], make, NULL, give_one).all;
		expect_no_loss(test);
	}
	KUNIT_EXPECT_GT(test, hits, nr_places / 2);
	kunit_info(test, "%u places, %lu swaps in vain", nr_places, *fails);
	KUNIT_EXPECT_GT(test, *fails, 2);
	cache->counts = false;
}

/* --- Pages on their way to the system ------------------------------------------------- */

static void *last_block;
static unsigned long released;

/* A mixed slab with one block; its other pages wait to be released. */
static void make_nearly_empty(struct kunit *test)
{
	make_sparse(test);
	make(NULL);
	last_block = slab_mixed_take(100, 16);
	KUNIT_ASSERT_NOT_NULL(test, last_block);
	slab_return_objects(cache, objects, STAY);
}

static void release(void *unused)
{
	(void)unused;
	released = slab_mixed_release(~0UL);
}

static void free_last(void)
{
	kfree(last_block);
	last_block = NULL;
}

static void test_mixed_frees_while_pages_go(struct kunit *test)
{
	unsigned int hits = 0, took_part = 0;

	if (!mixed_caches_make(test))
		return;
	if (!STEPPING_SINGLE || RSEQ_IN_C || !stepping_works())
		kunit_skip(test, "no single steps");
	cache = &mixed_caches[2];
	make_nearly_empty(test);
	nr_places = 0;
	stepping_run(release, NULL, place_note);
	KUNIT_EXPECT_GT(test, released, 4);
	free_last();
	mixed_expect_nothing(test);
	KUNIT_EXPECT_GT(test, nr_places, 50);
	for (unsigned int i = 0; i < nr_places; i++) {
		struct slab_mixed_usage usage;

		make_nearly_empty(test);
		hits += stepping_break_at(places[i], release, NULL, free_last).all;
		slab_mixed_read_usage(&usage);
		/* Freed before the pages were looked at, or the lock's holder was interrupted. */
		took_part += released && !usage.slabs;
		if (last_block)
			free_last();
		slab_mixed_release(1);
		mixed_expect_nothing(test);
	}
	KUNIT_EXPECT_GT(test, hits, nr_places / 2);
	/* The slab ended when its pages had gone, not its last block. */
	KUNIT_EXPECT_GT(test, took_part, 5);
	kunit_info(test, "%u places, the slab ended with %u", nr_places, took_part);
}

static struct kunit_case mixed_retry_cases[] = {
	KUNIT_CASE(test_mixed_frees_while_pages_go),
	KUNIT_CASE(test_mixed_swap_is_tried_again),
	{ 0 },
};

static struct kunit_suite mixed_retry_suite = {
	.name = "slab-mixed-retry",
	.test_cases = mixed_retry_cases,
};

kunit_test_suite(mixed_retry_suite);
