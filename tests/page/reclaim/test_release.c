/* SPDX-License-Identifier: MIT */
/* Free memory goes back to the system: on request, and by age. */
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mm/page_flags.h"
#include "page/reclaim/decay.h"
#include "page/reclaim/release.h"
#include "page/zone.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"

#define BLOCK_BYTES (PAGE_SIZE << MAX_PAGE_ORDER)
#define NR_BLOCKS 64u	/* 256 MiB */

static struct page *blocks[NR_BLOCKS];

static int set_budget(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	return usermm_set_options("limit=512M:reserve=1G:background=off", &error);
}

static unsigned long resident(const struct page *page)
{
	static unsigned char in_core[BLOCK_BYTES / PAGE_SIZE];
	size_t os_page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned long bytes = 0;

	mincore(page_address(page), BLOCK_BYTES, in_core);
	for (size_t i = 0; i < BLOCK_BYTES / os_page; i++)
		bytes += in_core[i] & 1 ? os_page : 0;
	return bytes;
}

static unsigned long all_resident(void)
{
	unsigned long bytes = 0;

	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		bytes += resident(blocks[i]);
	return bytes;
}

static void use_and_free(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
		memset(page_address(blocks[i]), 1, BLOCK_BYTES);
	}
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		__free_pages(blocks[i], MAX_PAGE_ORDER);
}

static void check_dirty(struct kunit *test)
{
	const struct free_area *areas = budget_zone()->free_area;
	unsigned long dirty = 0;
	struct page *page;

	drain_all_pages(NULL);
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
			list_for_each_entry(page, &areas[order].free_list[type], lru)
				dirty += page->flags & PG_zeroed ? 0 : 1UL << order;
	KUNIT_EXPECT_EQ(test, budget_zone()->dirty_pages, dirty);
}

/*
 * Memory that comes online is zero and known to be: asking for zeroed blocks touches
 * none of it. (Blocks that went through a per-CPU list may be cleared once more.)
 */
static void test_release_fresh(struct kunit *test)
{
	struct rusage before, after;

	static const unsigned int orders[] = { MAX_PAGE_ORDER, 8, 7, 6, 5 };

	getrusage(RUSAGE_SELF, &before);
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = alloc_pages(GFP_KERNEL | __GFP_ZERO,
					orders[i % ARRAY_SIZE(orders)]);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
	}
	getrusage(RUSAGE_SELF, &after);
	/* ThreadSanitizer has a shadow for all that is touched. */
	KUNIT_EXPECT_LE_MSG(test, after.ru_minflt - before.ru_minflt, 16 * NR_BLOCKS,
			    "struct pages, but none of 19000 pages");
	for (unsigned int i = 0; i < NR_BLOCKS; i += 5) {
		KUNIT_EXPECT_EQ(test, resident(blocks[i]), 0);
		KUNIT_EXPECT_EQ(test, *(char *)page_address(blocks[i]), 0);
	}
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		__free_pages(blocks[i], orders[i % ARRAY_SIZE(orders)]);
}

static void test_release_trim(struct kunit *test)
{
	struct usermm_stats before, after;
	struct page *page;

	use_and_free(test);
	check_dirty(test);
	usermm_stats_read(&before);
	KUNIT_EXPECT_GE(test, all_resident(), 64UL << 20);
	KUNIT_EXPECT_GE(test, usermm_trim(32UL << 20), 1);
	KUNIT_EXPECT_LE(test, budget_zone()->dirty_pages, (32UL << 20) / PAGE_SIZE);
	KUNIT_EXPECT_GE_MSG(test, all_resident(), 16UL << 20, "more went than was asked for");
	usermm_trim(0);
	KUNIT_EXPECT_LE(test, all_resident(), 1UL << 20);
	KUNIT_EXPECT_EQ(test, usermm_trim(0), 0);
	usermm_stats_read(&after);
	KUNIT_EXPECT_EQ_MSG(test, after.free_bytes, before.free_bytes, "what went is still ours");
	check_dirty(test);
	/* It comes back, and it is zero. */
	page = alloc_pages(GFP_KERNEL | __GFP_ZERO, MAX_PAGE_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ_MSG(test, resident(page), 0, "known-zero memory was cleared again");
	for (unsigned long i = 0; i < BLOCK_BYTES; i += 64)
		KUNIT_ASSERT_EQ(test, ((char *)page_address(page))[i], 0);
	__free_pages(page, MAX_PAGE_ORDER);
}

/* Memory that nobody needs for a while goes back by itself, except a part that is kept. */
static void test_release_decay(struct kunit *test)
{
	unsigned long start;

	use_and_free(test);
	start = budget_zone()->dirty_pages;
	KUNIT_EXPECT_GT(test, start, RELEASE_LISTS_PAGES);
	for (unsigned int i = 0; i < 200 && budget_zone()->dirty_pages > RELEASE_LISTS_PAGES; i++) {
		struct page *page = alloc_pages(GFP_KERNEL, 5);

		KUNIT_ASSERT_NOT_NULL(test, page);
		usleep(50000);
		__free_pages(page, 5);
	}
	KUNIT_EXPECT_LE(test, budget_zone()->dirty_pages, RELEASE_LISTS_PAGES);
	KUNIT_EXPECT_GE_MSG(test, budget_zone()->dirty_pages, RELEASE_DIRTY_PAGES / 2,
			    "all of it went");
	check_dirty(test);
	usermm_trim(0);
}

/* Threads allocate and write while others' free memory goes. */
static void use_blocks(struct test_thread *thread)
{
	for (unsigned int i = 0; i < TEST_STEPS(3000); i++) {
		if (!thread->index && !(i % 16)) {
			usermm_trim(0);
			continue;
		}
		test_use_block(thread, i + 1);
	}
}

static void test_release_under_use(struct kunit *test)
{
	test_threads_run(test, 4, use_blocks, NULL);
	check_dirty(test);
}

static void free_blocks(struct kunit *test, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		blocks[i] = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
		memset(page_address(blocks[i]), 1, PAGE_SIZE);
	}
	for (unsigned int i = 0; i < nr; i++)
		__free_pages(blocks[i], MAX_PAGE_ORDER);
	drain_all_pages(NULL);
}

/* From now on, has_asked() tells whether a free has called release_some(). */
static void forget_that_frees_asked(void)
{
	decay_gives_no_more();
	atomic_store_relaxed(&budget_zone()->released_ms, 0UL);
}

static bool has_asked(void)
{
	return atomic_load_relaxed(&budget_zone()->released_ms);
}

/*
 * The test plays the background thread (background=off). A free between the thread's last look and
 * the low mark calls nobody; the thread then finds its pages.
 */
static void test_release_watched(struct kunit *test)
{
	struct zone *z = budget_zone();
	unsigned int few = (unsigned int)(release_dirty_pages(z) * 3 / 2 >> MAX_PAGE_ORDER);

	usermm_trim(0);
	release_watch(true);
	forget_that_frees_asked();
	free_blocks(test, few);
	KUNIT_EXPECT_GT(test, z->dirty_pages, release_dirty_pages(z));
	KUNIT_EXPECT_FALSE_MSG(test, has_asked(), "the thread looks anyway");
	KUNIT_EXPECT_TRUE_MSG(test, release_watch(false), "the last free is lost");
	free_blocks(test, few);
	KUNIT_EXPECT_TRUE_MSG(test, has_asked(), "nobody looks any more");
	usermm_trim(0);
	KUNIT_EXPECT_FALSE_MSG(test, release_watch(false), "nothing is left");
}

/* A child of clone(2) inherits the high mark without the thread. */
static void test_release_watched_by_nobody(struct kunit *test)
{
	struct zone *z = budget_zone();

	usermm_trim(0);
	release_watch(true);
	forget_that_frees_asked();
	free_blocks(test, (unsigned int)(release_lists_pages(z) >> MAX_PAGE_ORDER) + 2);
	KUNIT_EXPECT_TRUE(test, has_asked());
	release_watch(false);
	usermm_trim(0);
}

static bool is_beyond_low_mark(void)
{
	return budget_zone()->dirty_pages > release_dirty_pages(budget_zone());
}

static struct page *last[2];	/* of these, a CPU's list takes one */

/* As many pages are free as the low mark allows. The last blocks are in use. */
static void fill_to_low_mark(struct kunit *test)
{
	usermm_trim(0);
	for (unsigned int i = 0; i < ARRAY_SIZE(last); i++)
		last[i] = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
	free_blocks(test, (unsigned int)(release_dirty_pages(budget_zone()) >> MAX_PAGE_ORDER));
	release_watch(true);
	forget_that_frees_asked();
}

static void free_last(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(last); i++)
		if (last[i])
			__free_pages(last[i], MAX_PAGE_ORDER);
}

/* What the two threads of a round share. Sync: each round is between two waits for the other. */
struct watch_race {
	pthread_barrier_t barrier;
	bool found;		/* the thread that ends its watch found the pages */
	unsigned int nr_rounds, nr_lost;
};

/* One thread frees its last blocks while the other one ends its watch. */
static void free_or_end_watch(struct test_thread *thread)
{
	struct watch_race *race = thread->arg;

	for (unsigned int round = 0; round < TEST_STEPS(1000); round++) {
		if (!thread->index)
			fill_to_low_mark(thread->test);
		pthread_barrier_wait(&race->barrier);
		if (thread->index)
			race->found = release_watch(false);
		else
			free_last();
		pthread_barrier_wait(&race->barrier);
		if (!thread->index && is_beyond_low_mark()) {
			race->nr_rounds++;
			race->nr_lost += !race->found && !has_asked();
		}
	}
}

static void test_release_watch_ends(struct kunit *test)
{
	struct watch_race race = { .found = false };

	pthread_barrier_init(&race.barrier, NULL, 2);
	test_unpin();
	test_threads_run(test, 2, free_or_end_watch, &race);
	pthread_barrier_destroy(&race.barrier);
	KUNIT_EXPECT_GT(test, race.nr_rounds, 0);
	KUNIT_EXPECT_EQ(test, race.nr_lost, 0);
	usermm_trim(0);
}

static struct kunit_case release_cases[] = {
	KUNIT_CASE(test_release_fresh),
	KUNIT_CASE(test_release_trim),
	KUNIT_CASE(test_release_decay),
	KUNIT_CASE(test_release_under_use),
	KUNIT_CASE(test_release_watched),
	KUNIT_CASE(test_release_watched_by_nobody),
	KUNIT_CASE(test_release_watch_ends),
	{ 0 },
};

static struct kunit_suite release_suite = {
	.name = "release",
	.suite_init = set_budget,
	.test_cases = release_cases,
};

kunit_test_suite(release_suite);
