/* SPDX-License-Identifier: MIT */
/*
 * Pages inside large free objects go back to the system; nothing else changes: see
 * slab/mixed/inside.h.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "slab/cache.h"
#include "slab/mixed/inside.h"
#include "slab/sheaf/cache_barns.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/prng.h"
#include "support/slabs.h"
#include "support/threads.h"

#define OBJECT_BYTES 20000
/* Whole pages of an object without its link, at least. */
#define PAGES_INSIDE 3
#define NR_OBJECTS 300
/* One in so many stays. */
#define STAY 10

static struct kmem_cache *cache;
static unsigned char *objects[NR_OBJECTS];

static int begin(struct kunit *test)
{
	const struct slab_cache_request request = { .name = "inside", .size = OBJECT_BYTES };

	(void)test;
	if (slab_init())
		return -1;
	test_stop_ageing();
	cache = slab_cache_create(&request);
	return cache ? 0 : -1;
}

static void end(struct kunit *test)
{
	(void)test;
	kmem_cache_destroy(cache);
}

static void take(struct kunit *test, size_t i)
{
	objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	memset(objects[i], (int)(i % 251) + 1, OBJECT_BYTES);
}

static bool is_whole(size_t i)
{
	for (size_t at = 0; at < OBJECT_BYTES; at++)
		if (objects[i][at] != i % 251 + 1)
			return false;
	return true;
}

/* All but one in STAY go back to their slabs. */
static void take_and_give(struct kunit *test)
{
	for (size_t i = 0; i < NR_OBJECTS; i++)
		take(test, i);
	for (size_t i = 0; i < NR_OBJECTS; i++)
		if (i % STAY)
			kmem_cache_free(cache, objects[i]);
	kmem_cache_shrink(cache);
}

static bool is_resident(const void *page)
{
	unsigned char state = 0;

	return !mincore((void *)page, PAGE_SIZE, &state) && state & 1;
}

static unsigned long resident_pages_inside(const unsigned char *object)
{
	unsigned long nr = 0;

	for (unsigned long page = ALIGN((unsigned long)object + 8, PAGE_SIZE);
	     page + PAGE_SIZE <= (unsigned long)object + OBJECT_BYTES; page += PAGE_SIZE)
		nr += is_resident((void *)page);
	return nr;
}

static void test_pages_go_and_come(struct kunit *test)
{
	unsigned long inuse, released;

	take_and_give(test);
	inuse = test_slab_inuse(cache);
	released = slab_release_inside(cache);
	KUNIT_EXPECT_GE(test, released, (inuse - NR_OBJECTS / STAY) * PAGES_INSIDE);
	KUNIT_EXPECT_GT(test, released, (unsigned long)NR_OBJECTS);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), inuse);
	for (size_t i = 0; i < NR_OBJECTS; i += STAY) {
		KUNIT_EXPECT_TRUE(test, is_whole(i));
		KUNIT_EXPECT_GE(test, resident_pages_inside(objects[i]),
				(unsigned long)PAGES_INSIDE);
	}
	for (size_t i = 0; i < NR_OBJECTS; i++)
		if (i % STAY)
			take(test, i);
	for (size_t i = 0; i < NR_OBJECTS; i++)
		KUNIT_EXPECT_TRUE(test, is_whole(i));
	for (size_t i = 0; i < NR_OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
}

/* Objects of at most a page have no page of their own, and constructed ones have to stay. */
static void construct(void *object)
{
	memset(object, 7, OBJECT_BYTES);
}

static void expect_none(struct kunit *test, const struct slab_cache_request *request)
{
	struct kmem_cache *other = slab_cache_create(request);
	void *kept[40];

	KUNIT_ASSERT_NOT_NULL(test, other);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		kept[i] = kmem_cache_alloc(other, GFP_KERNEL);
	for (size_t i = 1; i < ARRAY_SIZE(kept); i++)
		kmem_cache_free(other, kept[i]);
	kmem_cache_shrink(other);
	KUNIT_EXPECT_EQ(test, slab_release_inside(other), 0ul);
	kmem_cache_free(other, kept[0]);
	kmem_cache_destroy(other);
}

static void test_others_keep_theirs(struct kunit *test)
{
	const struct slab_cache_request small = { .name = "small", .size = PAGE_SIZE };
	const struct slab_cache_request constructed = {
		.name = "constructed", .size = OBJECT_BYTES, .ctor = construct,
	};

	expect_none(test, &small);
	expect_none(test, &constructed);
}

#define ROUNDS TEST_STEPS(4000)

static void use(struct test_thread *thread)
{
	unsigned char *mine[20] = { NULL };

	if (!thread->index) {
		for (unsigned int i = 0; i < ROUNDS / 20; i++)
			slab_release_inside(cache);
		return;
	}
	for (unsigned int i = 0; i < ROUNDS; i++) {
		size_t at = prng_below(&thread->prng, ARRAY_SIZE(mine));
		unsigned char name = (unsigned char)(thread->index * 64 + at + 1);

		if (mine[at]) {
			KUNIT_ASSERT_EQ(thread->test, mine[at][0], name);
			KUNIT_ASSERT_EQ(thread->test, mine[at][OBJECT_BYTES / 2], name);
			KUNIT_ASSERT_EQ(thread->test, mine[at][OBJECT_BYTES - 1], name);
			kmem_cache_free(cache, mine[at]);
			mine[at] = NULL;
		} else {
			mine[at] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(thread->test, mine[at]);
			memset(mine[at], name, OBJECT_BYTES);
		}
		if (!prng_below(&thread->prng, 16))
			kmem_cache_shrink(cache);
	}
	for (size_t at = 0; at < ARRAY_SIZE(mine); at++)
		if (mine[at])
			kmem_cache_free(cache, mine[at]);
}

static void test_while_others_allocate(struct kunit *test)
{
	test_threads_run(test, 3, use, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_pages_go_and_come),
	KUNIT_CASE(test_others_keep_theirs),
	KUNIT_CASE(test_while_others_allocate),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "slab-inside", .init = begin, .exit = end, .test_cases = cases,
};
kunit_test_suite(suite);
