/* SPDX-License-Identifier: MIT */
/*
 * Free zero memory leaves the free lists together with its struct pages, and comes back when it is
 * needed.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "os/os.h"
#include "page/pageblock.h"
#include "page/parked.h"
#include "page/reclaim/release.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"

#define CHUNK_ORDER 6u
#define CHUNK_PAGES (1UL << CHUNK_ORDER)
#define NR_CHUNKS 256u	/* 64 MiB */

static struct page *chunks[NR_CHUNKS];

static int set_options(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	return usermm_set_options("limit=256M:reserve=1G:background=off", &error);
}

static struct zone *zone(void)
{
	return budget_zone();
}

/* Pages on the free lists that may be parked. */
static unsigned long listed_large(void)
{
	unsigned long pages = 0;

	for (unsigned int order = CHUNK_ORDER; order < NR_PAGE_ORDERS; order++)
		for (unsigned int type = 0; type < MIGRATE_PCPTYPES; type++)
			pages += zone()->free_area[order].nr_of_type[type] << order;
	return pages;
}

static bool is_present(const struct page *page)
{
	unsigned char present = 0;

	mincore((void *)((unsigned long)page & PAGE_MASK), PAGE_SIZE, &present);
	return present & 1;
}

/* Every second chunk of all memory that is free now stays in use. */
static void scatter(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_CHUNKS; i++) {
		chunks[i] = alloc_pages(GFP_KERNEL, CHUNK_ORDER);
		KUNIT_ASSERT_NOT_NULL(test, chunks[i]);
		memset(page_address(chunks[i]), 1, PAGE_SIZE << CHUNK_ORDER);
	}
	for (unsigned int i = 0; i < NR_CHUNKS; i++)
		if (page_to_pfn(chunks[i]) >> CHUNK_ORDER & 1)
			__free_pages(chunks[i], CHUNK_ORDER);
	usermm_trim(0);
}

static void gather(void)
{
	for (unsigned int i = 0; i < NR_CHUNKS; i++)
		if (!(page_to_pfn(chunks[i]) >> CHUNK_ORDER & 1))
			__free_pages(chunks[i], CHUNK_ORDER);
}

static bool parks_here(struct kunit *test)
{
	if (os_page_bytes() == PAGE_SIZE)
		return true;
	kunit_skip(test, "chunks have another size with larger pages");
	return false;
}

/* All struct pages of free chunks go, and all counts stay true. */
static void test_parked_chunks(struct kunit *test)
{
	struct usermm_stats before, after;
	unsigned int present = 0, kept = 0;

	if (!parks_here(test))
		return;
	scatter(test);
	usermm_stats_read(&before);
	KUNIT_EXPECT_GE(test, listed_large(), NR_CHUNKS / 4 * CHUNK_PAGES);
	zone_park(zone());
	KUNIT_EXPECT_EQ_MSG(test, listed_large(), 0, "zero chunks stay on the lists");
	KUNIT_EXPECT_GE(test, zone()->parked_pages, NR_CHUNKS / 4 * CHUNK_PAGES);
	for (unsigned int i = 0; i < NR_CHUNKS; i++)
		if (page_to_pfn(chunks[i]) >> CHUNK_ORDER & 1)
			present += is_present(chunks[i]);
		else
			kept += is_present(chunks[i]);
	KUNIT_EXPECT_EQ(test, present, 0U);
	KUNIT_EXPECT_GE(test, kept, NR_CHUNKS / 4);
	usermm_stats_read(&after);
	KUNIT_EXPECT_EQ_MSG(test, after.free_bytes, before.free_bytes, "parked memory is free");
	KUNIT_EXPECT_EQ(test, zone_charged_pages(zone()), 0UL);
	gather();
}

/* Parked memory serves requests before the zone grows, and it is zero. */
static void test_parked_come_back(struct kunit *test)
{
	unsigned long end, parked;

	if (!parks_here(test))
		return;
	scatter(test);
	zone_park(zone());
	end = zone()->end_pfn;
	parked = zone()->parked_pages;
	for (unsigned int i = 0; i < NR_CHUNKS; i++) {
		if (!(page_to_pfn(chunks[i]) >> CHUNK_ORDER & 1))
			continue;
		chunks[i] = alloc_pages(GFP_KERNEL, CHUNK_ORDER);
		KUNIT_ASSERT_NOT_NULL(test, chunks[i]);
		for (unsigned long n = 0; n < PAGE_SIZE << CHUNK_ORDER; n += 512)
			KUNIT_ASSERT_EQ(test, ((char *)page_address(chunks[i]))[n], 0);
	}
	KUNIT_EXPECT_LT(test, zone()->parked_pages, parked);
	KUNIT_EXPECT_EQ_MSG(test, zone()->end_pfn, end, "the zone grew before that");
	for (unsigned int i = 0; i < NR_CHUNKS; i++)
		__free_pages(chunks[i], CHUNK_ORDER);
	/* Larger blocks than any that was parked: they come from what is joined, or from growth. */
	for (unsigned int i = 0; i < 8; i++) {
		struct page *page = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);

		KUNIT_ASSERT_NOT_NULL(test, page);
		__free_pages(page, MAX_PAGE_ORDER);
	}
}

/* The whole budget can be allocated although most of it is parked. */
static void test_parked_budget(struct kunit *test)
{
	static struct page *all[(512UL << 20) / (PAGE_SIZE << CHUNK_ORDER)];
	unsigned long nr[2] = { 0 };

	if (!parks_here(test))
		return;
	for (unsigned int round = 0; round < 2; round++) {
		struct page *page;

		while (nr[round] < ARRAY_SIZE(all) &&
		       (page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, CHUNK_ORDER)))
			all[nr[round]++] = page;
		for (unsigned long i = 0; i < nr[round]; i++)
			__free_pages(all[i], CHUNK_ORDER);
		usermm_trim(0);
		zone_park(zone());
		KUNIT_EXPECT_GE(test, zone()->parked_pages, (nr[round] - 1) / 2 * CHUNK_PAGES);
	}
	KUNIT_EXPECT_EQ(test, nr[0], nr[1]);
	KUNIT_EXPECT_GE(test, nr[1], (240UL << 20) / (PAGE_SIZE << CHUNK_ORDER));
}

static void use_blocks(struct test_thread *thread)
{
	for (unsigned int i = 0; i < TEST_STEPS(3000); i++) {
		if (!thread->index) {
			usermm_trim(0);
			zone_park(zone());
			continue;
		}
		test_use_block(thread, i + 1);
	}
}

/* One thread parks all the time, while the others find nothing on the lists. */
static void test_parked_under_use(struct kunit *test)
{
	test_threads_run(test, 4, use_blocks, NULL);
	drain_all_pages(NULL);
	while (zone()->parked_pages) {
		lock_acquire(&page_grow_lock);
		KUNIT_EXPECT_TRUE(test, zone_unpark(zone()));
		lock_release(&page_grow_lock);
	}
	KUNIT_EXPECT_EQ(test, zone_charged_pages(zone()), 0UL);
}

/* A fork child has the same chunks. */
static void test_parked_fork(struct kunit *test)
{
	int status = 0;
	pid_t child;

	zone_park(zone());
	child = fork();
	if (!child) {
		for (unsigned int i = 0; i < 16; i++) {
			struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO, CHUNK_ORDER + 2);

			if (!page || *(char *)page_address(page))
				_exit(1);
			memset(page_address(page), 1, PAGE_SIZE << (CHUNK_ORDER + 2));
		}
		_exit(0);
	}
	KUNIT_ASSERT_EQ(test, waitpid(child, &status, 0), child);
	KUNIT_EXPECT_EQ(test, status, 0);
}

/* The background thread parks only memory that nobody has needed since its last look. */
static void test_parked_when_unneeded(struct kunit *test)
{
	struct page *page;
	unsigned long parked;

	if (!parks_here(test))
		return;
	scatter(test);
	gather();
	usermm_trim(0);
	page = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, page);
	parked = zone()->parked_pages;
	KUNIT_EXPECT_TRUE_MSG(test, release_old(), "the thread would end before its next look");
	KUNIT_EXPECT_EQ(test, zone()->parked_pages, parked);
	KUNIT_EXPECT_FALSE(test, release_old());
	KUNIT_EXPECT_GT(test, zone()->parked_pages, parked);
	__free_pages(page, MAX_PAGE_ORDER);
}

static unsigned long none(const struct page *page)
{
	(void)page;
	return 0;
}

/* As while memory comes online: there are pages, and no zone has them yet. */
static void test_parked_pageblock_of_no_zone(struct kunit *test)
{
	unsigned long pfn = mm_facts.window_bytes / PAGE_SIZE - PAGEBLOCK_PAGES;

	KUNIT_ASSERT_GE(test, pfn, mm_window.online_bytes / PAGE_SIZE);
	KUNIT_EXPECT_FALSE(test, pageblock_is_free_but(pfn, none));
}

static struct kunit_case parked_cases[] = {
	KUNIT_CASE(test_parked_chunks),
	KUNIT_CASE(test_parked_come_back),
	KUNIT_CASE(test_parked_budget),
	KUNIT_CASE(test_parked_when_unneeded),
	KUNIT_CASE(test_parked_fork),
	KUNIT_CASE(test_parked_pageblock_of_no_zone),
	KUNIT_CASE(test_parked_under_use),
	{ 0 },
};

static struct kunit_suite parked_suite = {
	.name = "parked",
	.suite_init = set_options,
	.test_cases = parked_cases,
};

kunit_test_suite(parked_suite);
