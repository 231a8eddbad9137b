/* SPDX-License-Identifier: MIT */
/* Free memory goes back to the system: when told to, and by and by. */
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mm/page_flags.h"
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

/* What nobody wants for a while goes by itself, but for a part that is kept. */
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

static struct kunit_case release_cases[] = {
	KUNIT_CASE(test_release_fresh),
	KUNIT_CASE(test_release_trim),
	KUNIT_CASE(test_release_decay),
	KUNIT_CASE(test_release_under_use),
	{ 0 },
};

static struct kunit_suite release_suite = {
	.name = "release",
	.suite_init = set_budget,
	.test_cases = release_cases,
};

kunit_test_suite(release_suite);
