/* SPDX-License-Identifier: MIT */
/*
 * Pages of the tables of caches and marks go back where there are only mixed slabs and free memory,
 * and come back with new slabs. A thread that would write to them meanwhile waits.
 */
#include <sched.h>
#include <sys/mman.h>

#include "mixed_caches.h"
#include "os/os.h"
#include "slab/mixed/mixed_table.h"
#include "support/child.h"
#include "usermm/reclaim.h"

#define OBJECTS 60000u
#define KEEP_ONE_IN 500u
#define BLOCKS_MAX 32u

/* 32 MiB: 16 pageblocks, all of which the tests use. */
static int set_options(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	return usermm_set_options("limit=32M:reserve=32M:background=off", &error);
}

static void *objects[OBJECTS];

static bool has_mixed_tables(struct kunit *test)
{
	if (!mixed_caches_make(test))
		return false;
	if (os_page_bytes() == PAGE_SIZE)
		return true;
	kunit_skip(test, "with larger system pages the tables stay");
	return false;
}

/* Mixed slabs with a few objects of this size each, and no other slab of it. Returns how many. */
static unsigned int scatter(struct kunit *test, struct kmem_cache *cache, unsigned int nr)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < nr; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	for (unsigned int i = 0; i < nr; i++)
		if (i % KEEP_ONE_IN) {
			kfree(objects[i]);
		} else {
			memset(objects[i], 7, cache->size);
			objects[kept++] = objects[i];
		}
	mixed_flush();
	while (mixed_make_all(cache))
		;
	drain_all_pages(NULL);
	return kept;
}

static void free_all(struct kunit *test, unsigned int nr, size_t size)
{
	for (unsigned int i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, ksize(objects[i]), size);
		KUNIT_EXPECT_EQ(test, ((char *)objects[i])[size - 1], 7);
		kfree(objects[i]);
	}
	mixed_expect_nothing(test);
}

/* The address of the page of a table that has the entry. */
static bool is_present(const void *entry)
{
	unsigned char present = 0;

	mincore((void *)((unsigned long)entry & PAGE_MASK), PAGE_SIZE, &present);
	return present & 1;
}

/* How many of the objects have their table's page in memory. */
static unsigned int present_caches(unsigned int nr)
{
	unsigned int present = 0;

	for (unsigned int i = 0; i < nr; i++)
		present += is_present(mm_slab_cache(virt_to_page(objects[i])));
	return present;
}

static unsigned int present_marks(unsigned int nr)
{
	unsigned int present = 0;

	for (unsigned int i = 0; i < nr; i++)
		present += is_present(mm_mark(objects[i]));
	return present;
}

/* Both tables' pages go, and those of new slabs come back. */
static void test_tables_go(struct kunit *test)
{
	struct kmem_cache *cache = &mixed_caches[3];
	unsigned int nr, before;

	if (!has_mixed_tables(test))
		return;
	nr = scatter(test, cache, OBJECTS);
	before = present_caches(nr);
	KUNIT_EXPECT_EQ(test, before, nr);
	KUNIT_EXPECT_GT(test, slab_mixed_release_table(), 2UL);
	KUNIT_EXPECT_LT_MSG(test, present_caches(nr), nr / 2, "pages of the table stay");
	KUNIT_EXPECT_LT(test, present_marks(nr), nr / 2);
	KUNIT_EXPECT_EQ_MSG(test, slab_mixed_release_table(), 0UL, "what went is looked at again");
	free_all(test, nr, cache->size);
	nr = scatter(test, cache, OBJECTS);
	KUNIT_EXPECT_EQ_MSG(test, present_caches(nr), nr, "the slabs are not those of before");
	KUNIT_EXPECT_GT_MSG(test, slab_mixed_release_table(), 2UL, "new mixed slabs are not seen");
	free_all(test, nr, cache->size);
}

/* Long blocks have marks, which stay: a second free is found. */
static void test_marks_of_long_blocks_stay(struct kunit *test)
{
	struct kmem_cache *cache = &mixed_caches[MIXED_CACHES - 1];
	unsigned int nr;

	if (!has_mixed_tables(test))
		return;
	nr = scatter(test, cache, 8000);
	KUNIT_EXPECT_EQ(test, present_marks(nr), nr);
	KUNIT_EXPECT_GT(test, slab_mixed_release_table(), 1UL);
	KUNIT_EXPECT_LT(test, present_caches(nr), nr);
	KUNIT_EXPECT_EQ_MSG(test, present_marks(nr), nr, "marks went although blocks have some");
	free_all(test, nr, cache->size);
}

/* A pageblock with another slab keeps its page. */
static void test_tables_of_slabs_stay(struct kunit *test)
{
	struct kmem_cache *mixed = &mixed_caches[3], *other = &mixed_caches[5];
	static void *others[4000];
	unsigned int nr;

	if (!has_mixed_tables(test))
		return;
	nr = scatter(test, mixed, OBJECTS);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		others[i] = kmem_cache_alloc(other, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, others[i]);
	}
	slab_mixed_release_table();
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		KUNIT_EXPECT_PTR_EQ(test, *mm_slab_cache(virt_to_page(others[i])), other);
		kmem_cache_free(other, others[i]);
	}
	free_all(test, nr, mixed->size);
}

/* --- Threads that wait ------------------------------------------------------------------------ */

static unsigned int started, ended;	/* Sync: atomic */
static bool has_left;			/* Sync: mixed_table_leaving */

/* More than half of all memory: some of it is in the pageblock that is named. */
static void take_slabs(struct test_thread *thread)
{
	unsigned int nr = 0;

	__atomic_store_n(&started, 1, __ATOMIC_RELEASE);
	while (nr < OBJECTS && (objects[nr] = kmem_cache_alloc(&mixed_caches[7],
							       GFP_KERNEL | __GFP_NOWARN)))
		nr++;
	KUNIT_EXPECT_GT(thread->test, nr, 1000U);
	KUNIT_EXPECT_TRUE_MSG(thread->test, has_left, "a new slab did not wait");
	while (nr)
		kfree(objects[--nr]);
}

static void name_pageblock(unsigned long pageblock)
{
	__atomic_store_n(&mixed_table_leaving, pageblock, __ATOMIC_SEQ_CST);
}

static void let_wait(struct test_thread *thread)
{
	if (!thread->index) {
		take_slabs(thread);
		__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
		return;
	}
	while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
		sched_yield();
	/* Without the wait the other thread comes to its end here, and its check fails. */
	for (unsigned int i = 0; i < 100 && !__atomic_load_n(&ended, __ATOMIC_ACQUIRE); i++)
		os_sleep_us(1000);
	has_left = true;
	name_pageblock(MIXED_TABLE_NONE);
}

static void test_new_slab_waits(struct kunit *test)
{
	if (!has_mixed_tables(test))
		return;
	started = ended = 0;
	has_left = false;
	name_pageblock(4);
	test_threads_run(test, 2, let_wait, NULL);
	mixed_expect_nothing(test);
}

/* --- All at once ---------------------------------------------------------------------- */

static unsigned long gone, nr_made;	/* Sync: atomic relaxed */

/* New slabs, sparse ones that become mixed, and their ends: in the same few pageblocks. */
static void use(struct test_thread *thread)
{
	struct kmem_cache *cache = &mixed_caches[1 + thread->index];
	char *blocks[BLOCKS_MAX * 16];
	unsigned int kept = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(thread->test, blocks[i]);
		*blocks[i] = (char)i;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		if (i % 16)
			kfree(blocks[i]);
		else
			blocks[kept++] = blocks[i];
	kmem_cache_shrink(cache);
	__atomic_fetch_add(&nr_made, mixed_make_all(cache), __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < kept; i++) {
		KUNIT_EXPECT_EQ(thread->test, ksize(blocks[i]), cache->size);
		KUNIT_EXPECT_EQ(thread->test, *blocks[i], (char)(i * 16));
		kfree(blocks[i]);
	}
	kmem_cache_shrink(cache);
}

static void use_or_release(struct test_thread *thread)
{
	for (unsigned int i = 0; i < TEST_STEPS(2000); i++) {
		if (thread->index) {
			use(thread);
			continue;
		}
		if (!(i % 8))
			drain_all_pages(NULL);
		__atomic_fetch_add(&gone, slab_mixed_release_table(), __ATOMIC_RELAXED);
	}
}

static void test_tables_under_use(struct kunit *test)
{
	if (!has_mixed_tables(test))
		return;
	gone = nr_made = 0;
	test_threads_run(test, 4, use_or_release, NULL);
	kunit_info(test, "%lu pages of the table went, %lu slabs became mixed ones", gone, nr_made);
	mixed_expect_nothing(test);
}

static void use_in_child(struct kunit *test, void *arg)
{
	struct test_thread own = { .test = test, .index = 1 };

	(void)arg;
	KUNIT_EXPECT_EQ(test, mixed_table_leaving, MIXED_TABLE_NONE);
	use(&own);
	slab_mixed_release_table();
}

static void fork_or_release(struct test_thread *thread)
{
	for (unsigned int i = 0; i < (thread->index ? TEST_STEPS(4000) : 20); i++) {
		if (!thread->index)
			CHILD_EXPECT_SUCCESS(thread->test, use_in_child, NULL);
		else if (thread->index == 1)
			slab_mixed_release_table();
		else if (!(i % 64))
			use(thread);
	}
}

static void test_tables_fork(struct kunit *test)
{
	if (!has_mixed_tables(test))
		return;
	test_threads_run(test, 3, fork_or_release, NULL);
	mixed_expect_nothing(test);
}

static struct kunit_case mixed_table_cases[] = {
	KUNIT_CASE(test_tables_go),
	KUNIT_CASE(test_marks_of_long_blocks_stay),
	KUNIT_CASE(test_tables_of_slabs_stay),
	KUNIT_CASE(test_new_slab_waits),
	KUNIT_CASE(test_tables_under_use),
	KUNIT_CASE(test_tables_fork),
	{ 0 },
};

static struct kunit_suite mixed_table_suite = {
	.name = "slab-mixed-table",
	.suite_init = set_options,
	.test_cases = mixed_table_cases,
};

kunit_test_suite(mixed_table_suite);
