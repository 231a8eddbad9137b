/* SPDX-License-Identifier: MIT */
/* Which blocks go back to the system, and how many at a time. */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mm/page_flags.h"
#include "page/migratetype.h"
#include "page/pageblock.h"
#include "page/reclaim/release.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/zones.h"

/* The smallest blocks that go back, with pages of 4 KiB. */
#define SMALLEST_ORDER 4
#define INTERVAL_MS 250
#define STEP_PAGES MIB_PAGES(32)

static struct zone *normal_zone(void)
{
	return zone_at(0, ZONE_NORMAL);
}

static void fill(struct page *page, unsigned int order)
{
	memset(page_address(page), 0x55, PAGE_SIZE << order);
}

static bool is_filled(const struct page *page, unsigned int order)
{
	const unsigned char *bytes = page_address(page);

	for (unsigned long i = 0; i < PAGE_SIZE << order; i++)
		if (bytes[i] != 0x55)
			return false;
	return true;
}

static struct page *must_fill(struct kunit *test, unsigned int order)
{
	struct page *page = test_must_alloc(test, GFP_KERNEL, order);

	fill(page, order);
	return page;
}

/* A trim also gives back blocks that are otherwise too small for a system call of their own. */
static void small_blocks_go(struct kunit *test)
{
	struct page *large = must_fill(test, SMALLEST_ORDER + 2);
	struct page *small = large + (2UL << SMALLEST_ORDER);

	/* The first of four quarters, and half of the third, are free. */
	split_page(large, SMALLEST_ORDER + 2);
	for (unsigned long i = 0; i < 1UL << SMALLEST_ORDER; i++)
		__free_page(large + i);
	for (unsigned long i = 0; i < 1UL << (SMALLEST_ORDER - 1); i++)
		__free_page(small + i);
	KUNIT_EXPECT_EQ(test, usermm_trim(0), (PAGE_SIZE << SMALLEST_ORDER) / 2 * 3);
	KUNIT_EXPECT_FALSE(test, is_filled(large, 0));
	KUNIT_EXPECT_FALSE(test, is_filled(small, 0));
	KUNIT_EXPECT_EQ(test, usermm_trim(0), 0);
	zones_check_lists(test);
}

/* Pages of CPUs' lists go back as well, after they were merged. */
static void lists_go(struct kunit *test)
{
	struct page *page = must_fill(test, 6);

	split_page(page, 6);
	for (unsigned long i = 0; i < 64; i++)
		__free_page(page + i);
	KUNIT_EXPECT_GE(test, usermm_trim(0), 64 * PAGE_SIZE);
	KUNIT_EXPECT_FALSE(test, is_filled(page, 0));
	zones_check_whole(test);
}

/* Isolated pageblocks do not go back. */
static void isolated_blocks_stay(struct kunit *test)
{
	struct page *page = must_fill(test, SMALLEST_ORDER);

	pageblock_convert(page, MIGRATE_ISOLATE);
	__free_pages(page, SMALLEST_ORDER);
	KUNIT_EXPECT_EQ(test, usermm_trim(0), 0);
	KUNIT_EXPECT_TRUE(test, is_filled(page, SMALLEST_ORDER));
	zones_check_lists(test);
}

/* If memory is to be kept, the lowest zones keep it: here ZONE_DMA32. */
static void first_zones_keep(struct kunit *test)
{
	struct page *low = alloc_pages(GFP_DMA32, 10), *high = alloc_pages(GFP_KERNEL, 10);

	KUNIT_ASSERT_NOT_NULL(test, low);
	KUNIT_ASSERT_NOT_NULL(test, high);
	fill(low, 10);
	fill(high, 10);
	__free_pages(low, 10);
	__free_pages(high, 10);
	KUNIT_EXPECT_EQ(test, usermm_trim(PAGE_SIZE << 10), PAGE_SIZE << 10);
	KUNIT_EXPECT_TRUE(test, is_filled(low, 0));
	KUNIT_EXPECT_FALSE(test, is_filled(high, 0));
	zones_check_whole(test);
}

/* Where all memory is locked none is given back: it is not zero then. */
static void system_refuses(struct kunit *test)
{
	struct page *page = must_fill(test, SMALLEST_ORDER);
	unsigned long dirty;

	/* Not libc's mlock(), which sanitizers make do nothing. */
	if (syscall(SYS_mlock, page_address(page), PAGE_SIZE << SMALLEST_ORDER) ||
	    syscall(SYS_mlockall, MCL_FUTURE))
		return;
	__free_pages(page, SMALLEST_ORDER);
	dirty = normal_zone()->dirty_pages;
	KUNIT_EXPECT_EQ(test, usermm_trim(0), 0);
	KUNIT_EXPECT_EQ(test, normal_zone()->dirty_pages, dirty);
	KUNIT_EXPECT_TRUE(test, is_filled(page, SMALLEST_ORDER));
	KUNIT_EXPECT_PTR_EQ(test, alloc_pages(GFP_KERNEL | __GFP_ZERO, SMALLEST_ORDER), page);
	for (unsigned long i = 0; i < PAGE_SIZE << SMALLEST_ORDER; i++)
		KUNIT_ASSERT_EQ(test, ((char *)page_address(page))[i], 0);
}

/* A page that its owner has locked is given back with the others. */
static void lock_is_left(struct kunit *test)
{
	struct page *page = must_fill(test, 10);

	if (syscall(SYS_mlock, page_address(page), 1))
		return;
	__free_pages(page, 10);
	KUNIT_EXPECT_EQ(test, usermm_trim(0), PAGE_SIZE << 10);
	KUNIT_EXPECT_EQ(test, normal_zone()->dirty_pages, 0);
	KUNIT_EXPECT_FALSE(test, is_filled(page, 0));
	zones_check_whole(test);
}

/* Pages whose content is checked later do not go back. */
static void poison_stays(struct kunit *test)
{
	struct page *page = must_fill(test, 6);

	__free_pages(page, 6);
	KUNIT_EXPECT_EQ(test, usermm_trim(0), 0);
	KUNIT_EXPECT_EQ(test, *(unsigned char *)page_address(page), 0xaa);
}

static void test_trim_what(struct kunit *test)
{
	zones_run(test, "zone_normal=64M:pcp=off", small_blocks_go);
	zones_run(test, "zone_normal=64M", lists_go);
	zones_run(test, "zone_normal=64M:pcp=off", isolated_blocks_stay);
	zones_run(test, "zone_dma32=16M:zone_normal=16M:pcp=off", first_zones_keep);
	zones_run(test, "zone_normal=64M:pcp=off", system_refuses);
	zones_run(test, "zone_normal=64M:pcp=off", lock_is_left);
	zones_run(test, "zone_normal=64M:page_poison=1", poison_stays);
}

/* --- By frees ------------------------------------------------------------------- */

static unsigned long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_sec * 1000 + (unsigned long)now.tv_nsec / 1000000;
}

/*
 * A free gives back a quarter of the memory that was too much during the whole interval, at most 32
 * MiB, and not again before a quarter of a second.
 */
static void by_and_by(struct kunit *test)
{
	const unsigned long kept = release_dirty_pages(normal_zone());
	const unsigned long block = 1UL << MAX_PAGE_ORDER;
	unsigned long nr_steps = 0, start = milliseconds(), low = 0;
	struct page *pages[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = must_fill(test, MAX_PAGE_ORDER);
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		unsigned long dirty = normal_zone()->dirty_pages + block, gone, most;
		bool waited = i % 16 == 8;

		if (waited)
			usleep((INTERVAL_MS + 10) * 1000);
		__free_pages(pages[i], MAX_PAGE_ORDER);
		gone = dirty - normal_zone()->dirty_pages;
		most = dirty > kept ? (dirty - kept) / 4 : 0;
		nr_steps += gone != 0;
		/* Since the wait before this one at least so much was there. */
		if (waited && low > kept)
			KUNIT_EXPECT_NE_MSG(test, gone, 0, "block %u", i);
		if (waited)
			low = normal_zone()->dirty_pages;
		/* Blocks are whole: the last one may be larger than what is still too much. */
		KUNIT_EXPECT_LE(test, gone, ALIGN(min(most, STEP_PAGES), block));
	}
	KUNIT_EXPECT_GT(test, nr_steps, 0);
	KUNIT_EXPECT_LE(test, nr_steps, (milliseconds() - start) / INTERVAL_MS + 1);
	zones_check_lists(test);
}

/* The next free is the first of an interval. */
static void let_interval_end(void)
{
	usleep((INTERVAL_MS + 10) * 1000);
}

/* All but the last one within an interval, on a machine that has time for it: then true. */
static bool free_in_a_row(struct page **pages, unsigned int nr)
{
	unsigned long start;

	let_interval_end();
	start = milliseconds();
	for (unsigned int i = 0; i < nr - 1; i++)
		__free_pages(pages[i], MAX_PAGE_ORDER);
	start = milliseconds() - start;
	let_interval_end();
	__free_pages(pages[nr - 1], MAX_PAGE_ORDER);
	return start < INTERVAL_MS / 2;
}

/* Memory that is needed in each turn is kept, however long the program rests between its frees. */
static void turns_keep(struct kunit *test)
{
	struct page *pages[64];

	for (unsigned int turn = 0; turn < 4; turn++) {
		unsigned long dirty;

		for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++)
			pages[i] = must_fill(test, MAX_PAGE_ORDER);
		dirty = normal_zone()->dirty_pages;
		/* But for a block of those that were free when somebody looked, and since. */
		if (free_in_a_row(pages, ARRAY_SIZE(pages)))
			KUNIT_EXPECT_GE_MSG(test, normal_zone()->dirty_pages,
					    dirty + ((ARRAY_SIZE(pages) - 1) << MAX_PAGE_ORDER),
					    "turn %u", turn);
		usermm_trim(0);
	}
	zones_check_lists(test);
}

static void test_trim_by_and_by(struct kunit *test)
{
	zones_run(test, "zone_normal=512M:pcp=off:background=off", by_and_by);
	zones_run(test, "zone_normal=512M:pcp=off:background=off", turns_keep);
}

static struct kunit_case trim_cases[] = {
	KUNIT_CASE(test_trim_what),
	KUNIT_CASE(test_trim_by_and_by),
	{ 0 },
};

static struct kunit_suite trim_suite = {
	.name = "trim",
	.test_cases = trim_cases,
};

kunit_test_suite(trim_suite);
