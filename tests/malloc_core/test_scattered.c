/* SPDX-License-Identifier: MIT */
/*
 * Where free memory is scattered, what the class's smaller slabs have is taken before its usual
 * slabs are tried, which would be in vain, and reclaim each time.
 */
#include "malloc/classes.h"
#include "malloc_core/tested.h"
#include "page/reclaim.h"
#include "support/kernel.h"

/* Slabs are of 32 KiB then. */
#define LIMIT (260 * MIB)
#define OPTIONS "limit=260M:slab_debug=Z,malloc-3072"
#define DEBUGGED_BYTES 3072
#define HOLE_BYTES (2 * PAGE_SIZE)
#define MAX_HOLES (LIMIT / HOLE_BYTES)
#define OBJECT_BYTES 1000
#define OBJECTS 1000
#define FIRST_MAX 200000

static void *holes[MAX_HOLES], *first[FIRST_MAX], *objects[OBJECTS];

static void make_holes(struct kunit *test)
{
	unsigned int nr = 0;

	while (nr < MAX_HOLES &&
	       (holes[nr] = tested_aligned_alloc(HOLE_BYTES, HOLE_BYTES / 2)))
		nr++;
	KUNIT_ASSERT_GT(test, nr, 1000u);
	KUNIT_ASSERT_LT(test, nr, (unsigned int)MAX_HOLES);
	for (unsigned int i = 0; i < nr; i += 2) {
		tested_free(holes[i]);
		holes[i] = NULL;
	}
}

static unsigned long direct_reclaims(void)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(reclaim_events.allocstall); i++)
		sum += atomic_load_relaxed(&reclaim_events.allocstall[i]);
	return sum;
}

/* Until the usual slabs find no more room; how many that were. */
static unsigned int fill_usual(struct kunit *test)
{
	unsigned int nr = 0;

	while (nr < FIRST_MAX && !class_scattered(OBJECT_BYTES))
		first[nr++] = tested_malloc(OBJECT_BYTES);
	KUNIT_ASSERT_NOT_NULL(test, class_scattered(OBJECT_BYTES));
	return nr;
}

/* One for each batch at the most: what is taken at once has at least four of them. */
static void test_scattered_at_hand_first(struct kunit *test)
{
	unsigned long before;
	unsigned int nr;

	make_holes(test);
	nr = fill_usual(test);
	before = direct_reclaims();
	for (unsigned int i = 0; i < OBJECTS; i++)
		objects[i] = tested_malloc(OBJECT_BYTES);
	KUNIT_EXPECT_LE(test, direct_reclaims() - before, OBJECTS / 4UL);
	for (unsigned int i = 0; i < OBJECTS; i++) {
		KUNIT_EXPECT_NOT_NULL(test, objects[i]);
		tested_free(objects[i]);
	}
	while (nr)
		tested_free(first[--nr]);
	for (unsigned int i = 0; i < MAX_HOLES; i++)
		tested_free(holes[i]);
}

/* Who names a class for debugging means all of its objects. */
static void test_scattered_debugged_as_class(struct kunit *test)
{
	const struct kmem_cache *cache = class_scattered_make(DEBUGGED_BYTES);

	KUNIT_EXPECT_NULL(test, cache);		/* there is no class yet */
	KUNIT_EXPECT_TRUE(test, class_make(DEBUGGED_BYTES)->flags & SLAB_RED_ZONE);
	cache = class_scattered_make(DEBUGGED_BYTES);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_EXPECT_TRUE(test, cache->flags & SLAB_RED_ZONE);
	KUNIT_EXPECT_STREQ(test, cache->name, "malloc-3072-scattered");
	KUNIT_EXPECT_FALSE(test, class_scattered(OBJECT_BYTES)->flags & SLAB_RED_ZONE);
}

static int set_options(struct kunit_suite *suite)
{
	const char *error;

	(void)suite;
	return usermm_set_options(OPTIONS, &error);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_scattered_at_hand_first),
	KUNIT_CASE(test_scattered_debugged_as_class),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "malloc-scattered", .suite_init = set_options, .test_cases = cases,
};

kunit_test_suite(suite);
