/* SPDX-License-Identifier: MIT */
/*
 * Pages inside large free objects go back to the system; nothing else changes: see
 * slab/mixed/inside.h.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "base/linux_version.h"
#include "slab/cache.h"
#include "slab/mixed/inside.h"
#include "slab/slab_free.h"
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

/* The whole pages of an object without its link. */
static unsigned long pages_inside(const unsigned char *object)
{
	unsigned long first = ALIGN((unsigned long)object + 8, PAGE_SIZE);

	return (ALIGN_DOWN((unsigned long)object + OBJECT_BYTES, PAGE_SIZE) - first) / PAGE_SIZE;
}

static unsigned long resident_pages_inside(const unsigned char *object)
{
	unsigned long first = ALIGN((unsigned long)object + 8, PAGE_SIZE), nr = 0;

	for (unsigned long i = 0; i < pages_inside(object); i++)
		nr += is_resident((void *)(first + i * PAGE_SIZE));
	return nr;
}

/* Does the slab of this freed object have one that stays? Otherwise the slab was freed. */
static bool has_slab(const unsigned char *object)
{
	for (size_t i = 0; i < NR_OBJECTS; i += STAY)
		if (slab_start_of(cache, objects[i]) == slab_start_of(cache, object))
			return true;
	return false;
}

/* The pages of an object that stays have its bytes; each freed one in its slab has none left. */
static void check_pages(struct kunit *test, size_t i)
{
	if (i % STAY) {
		if (has_slab(objects[i]))
			KUNIT_EXPECT_EQ(test, resident_pages_inside(objects[i]), 0ul);
		return;
	}
	KUNIT_EXPECT_TRUE(test, is_whole(i));
	KUNIT_EXPECT_EQ(test, resident_pages_inside(objects[i]), pages_inside(objects[i]));
}

/* The pages inside all free objects of the slabs that have an object which stays. */
static unsigned long free_pages_inside(void)
{
	unsigned long pages = 0, seen = 0;

	for (size_t i = 0; i < NR_OBJECTS; i += STAY) {
		unsigned long slab = slab_start_of(cache, objects[i]);

		if (slab == seen)	/* two of its objects stay, one after the other */
			continue;
		seen = slab;
		for (unsigned int k = 0; k < cache->objects; k++)
			pages += pages_inside((void *)(slab + k * cache->size));
	}
	for (size_t i = 0; i < NR_OBJECTS; i += STAY)
		pages -= pages_inside(objects[i]);
	return pages;
}

static unsigned long pages_to_release(void)
{
	unsigned long pages = 0;

	for (size_t i = 0; i < NR_OBJECTS; i++)
		if (i % STAY && has_slab(objects[i]))
			pages += pages_inside(objects[i]);
	return pages;
}

static void test_pages_go_and_come(struct kunit *test)
{
	unsigned long inuse, released, expected;

	take_and_give(test);
	inuse = test_slab_inuse(cache);
	expected = pages_to_release();
	released = slab_release_inside(cache);
	/* Objects that nobody got may be on a slab's list, or not yet. */
	KUNIT_EXPECT_GE(test, released, expected);
	KUNIT_EXPECT_LE(test, released, free_pages_inside());
	KUNIT_EXPECT_GT(test, released, (unsigned long)NR_OBJECTS);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), inuse);
	for (size_t i = 0; i < NR_OBJECTS; i++)
		check_pages(test, i);
	for (size_t i = 0; i < NR_OBJECTS; i++)
		if (i % STAY)
			take(test, i);
	for (size_t i = 0; i < NR_OBJECTS; i++)
		KUNIT_EXPECT_TRUE(test, is_whole(i));
	for (size_t i = 0; i < NR_OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
}

/* Objects of at most a page have no page of their own; what is in others has to stay. */
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
	if (other->may_mix == request->may_mix)		/* some options forbid it */
		KUNIT_EXPECT_EQ(test, slab_release_inside(other), 0ul);
	kmem_cache_free(other, kept[0]);
	kmem_cache_destroy(other);
}

static void test_others_keep_theirs(struct kunit *test)
{
	/* A link at the start would leave all pages behind it to be given back. */
	const struct slab_cache_request requests[] = {
		{ .name = "small", .size = PAGE_SIZE },
		{ .name = "constructed", .size = OBJECT_BYTES, .ctor = construct,
		  .use_freeptr_offset = true },
		{ .name = "rcu", .size = OBJECT_BYTES, .flags = SLAB_TYPESAFE_BY_RCU,
		  .use_freeptr_offset = true },
		{ .name = "stored", .size = OBJECT_BYTES, .flags = SLAB_STORE_USER },
		{ .name = "poisoned", .size = OBJECT_BYTES, .flags = SLAB_POISON },
		{ .name = "mixed", .size = 2 * PAGE_SIZE, .may_mix = true },
	};
	const unsigned int version = linux_version;

	/* Since that version, requests say where links of constructed objects lie. */
	linux_version = LINUX_VERSION_OF(7, 1);
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		expect_none(test, &requests[i]);
	linux_version = version;
}

#define USERS 2u
#define ROUNDS TEST_STEPS(20000)

/* Users that have not ended yet. Sync: atomic */
static unsigned int at_work;

/* What the thread wrote is there: the object's first page, those inside, and its last one. */
static bool has_only(const unsigned char *object, unsigned char name)
{
	for (size_t at = 0; at < OBJECT_BYTES; at += PAGE_SIZE / 2)
		if (object[at] != name)
			return false;
	return object[OBJECT_BYTES - 1] == name;
}

/*
 * Each object comes out of a slab and goes back there. CPUs and barns keep none, so objects are
 * always those whose pages have just gone, or are about to.
 */
static void use(struct test_thread *thread)
{
	void *mine[10] = { NULL };
	bool is_right = true;

	if (!thread->index) {
		while (atomic_load_acquire(&at_work))
			slab_release_inside(cache);
		return;
	}
	for (unsigned int i = 0; i < ROUNDS && is_right; i++) {
		size_t at = prng_below(&thread->prng, ARRAY_SIZE(mine));
		unsigned char name = (unsigned char)(thread->index * 64 + at + 1);

		if (mine[at]) {
			is_right = has_only(mine[at], name);
			KUNIT_EXPECT_TRUE(thread->test, is_right);
			slab_return_objects(cache, &mine[at], 1);
			mine[at] = NULL;
		} else if (slab_take_objects(cache, GFP_KERNEL, &mine[at], 1)) {
			memset(mine[at], name, OBJECT_BYTES);
		}
	}
	for (size_t at = 0; at < ARRAY_SIZE(mine); at++)
		if (mine[at])
			slab_return_objects(cache, &mine[at], 1);
	atomic_sub_return_acq_rel(&at_work, 1u);
}

static void test_while_others_allocate(struct kunit *test)
{
	at_work = USERS;
	test_threads_run(test, 1 + USERS, use, NULL);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 0ul);
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
