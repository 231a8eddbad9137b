// SPDX-License-Identifier: MIT
/*
 * Rules of the page allocator that changed after Linux 6.12. Each case expects what the version
 * does whose rules are in force. tests/page/test_versions.c has those that need a wait or options
 * of the boot.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/vmstat.h>

#include "../conformance_marks.h"

#define SINCE(major, minor) (LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0))
/* CPUs have no lists of this order in Linux. */
#define UNLISTED_ORDER 4

/* --- Many pages freed at once (7.2) --------------------------------------------------------- */

#if SINCE(7, 2)
/* Modules cannot link to it. */
#if ON_USERMM
#define free_many(pages, nr) free_pages_bulk(pages, nr)
#else
#define free_many(pages, nr) LINUX_SYMBOL(free_pages_bulk)(pages, nr)
#endif

static void split(struct kunit *test, struct page **pages, unsigned int order)
{
	struct page *block = alloc_pages(GFP_KERNEL, order);

	KUNIT_ASSERT_NOT_NULL(test, block);
	split_page(block, order);
	for (unsigned int i = 0; i < 1U << order; i++)
		pages[i] = block + i;
}

/* The block that the neighbours made up is the next that is handed out of its order. */
static void neighbours_are_freed_as_a_block(struct kunit *test)
{
	for (unsigned int order = 1; order <= 3; order++) {
		struct page *pages[8], *next;

		need_page_lists(test);
		split(test, pages, order);
		free_many(pages, 1UL << order);
		next = alloc_pages(GFP_KERNEL, order);
		KUNIT_EXPECT_PTR_EQ_MSG(test, next, pages[0], "order %u", order);
		__free_pages(next, order);
	}
}

/* Pages that follow each other in memory, but not in the array, are single pages. */
static void pages_in_disorder_stay_single(struct kunit *test)
{
	struct page *pages[2], *next;

	need_page_lists(test);
	split(test, pages, 1);
	swap(pages[0], pages[1]);
	free_many(pages, 2);
	next = alloc_page(GFP_KERNEL);
	KUNIT_EXPECT_PTR_EQ(test, next, pages[1]);
	__free_page(next);
}

/* A page that somebody else holds stays, and the others are freed. */
static void held_pages_are_left_out(struct kunit *test)
{
	struct page *pages[8];
	long before = free_pages_now();

	split(test, pages, 3);
	get_page(pages[3]);
	free_many(pages, 8);
	KUNIT_EXPECT_EQ(test, page_count(pages[3]), 1);
	KUNIT_EXPECT_LE(test, abs(before - free_pages_now() - 1), 32);
	__free_page(pages[3]);
}
#else
static void neighbours_are_freed_as_a_block(struct kunit *test)
{
	kunit_skip(test, "since Linux 7.2");
}

static void pages_in_disorder_stay_single(struct kunit *test)
{
	kunit_skip(test, "since Linux 7.2");
}

static void held_pages_are_left_out(struct kunit *test)
{
	kunit_skip(test, "since Linux 7.2");
}
#endif

/* --- What is kept for atomic requests (7.3) --------------------------------------------------- */

/* An atomic request below the mark has its pageblock kept for such requests. */
static struct page *keep_a_pageblock(struct kunit *test)
{
	struct page *page;

	set_min_pages((unsigned long)free_pages_now() + 1000);
	page = alloc_pages(GFP_ATOMIC | __GFP_NOWARN, UNLISTED_ORDER);
	set_min_kbytes(kbytes_before);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_pages(page, UNLISTED_ORDER);
	drain_lists();
	return page;
}

static bool is_in_pageblock_of(const struct page *a, const struct page *b)
{
	return page_to_pfn(a) / pageblock_nr_pages == page_to_pfn(b) / pageblock_nr_pages;
}

/* Where there is enough memory: up to 7.2 only a request that would fail takes what is kept. */
static void first_attempt_takes_what_is_kept(struct kunit *test)
{
	struct page *kept = keep_a_pageblock(test), *atomic, *other;

	atomic = alloc_pages(GFP_ATOMIC, UNLISTED_ORDER);
	other = alloc_pages(GFP_NOWAIT, UNLISTED_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, atomic);
	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_EQ(test, is_in_pageblock_of(atomic, kept), SINCE(7, 3));
	KUNIT_EXPECT_FALSE(test, is_in_pageblock_of(other, kept));
	__free_pages(other, UNLISTED_ORDER);
	__free_pages(atomic, UNLISTED_ORDER);
}

/* --- Requests that must not fail (6.19) ------------------------------------------------------- */

/* Of order 2 or more they are served; since 6.19 nobody is warned. */
static void nofail_of_high_orders(struct kunit *test)
{
#if SINCE(7, 3)
	for (unsigned int order = 2; order <= 3; order++) {
		kunit_warning_suppress(test) {
			struct page *page = alloc_pages(GFP_KERNEL | __GFP_NOFAIL, order);

			KUNIT_EXPECT_NOT_NULL(test, page);
			KUNIT_EXPECT_SUPPRESSED_WARNING_COUNT(test, 0);
			__free_pages(page, order);
		}
	}
#else
	kunit_skip(test, "since Linux 7.3"); /* warnings can be counted */
#endif
}

static struct kunit_case versions_cases[] = {
	KUNIT_CASE(neighbours_are_freed_as_a_block),
	KUNIT_CASE(pages_in_disorder_stay_single),
	KUNIT_CASE(held_pages_are_left_out),
	KUNIT_CASE(first_attempt_takes_what_is_kept),
	KUNIT_CASE(nofail_of_high_orders),
	{}
};

static struct kunit_suite versions_suite = {
	.name = "conformance_page_versions",
	.init = marks_init,
	.exit = marks_exit,
	.test_cases = versions_cases,
};
kunit_test_suite(versions_suite);
MODULE_DESCRIPTION("rules of pages that changed");
MODULE_LICENSE("Dual MIT/GPL");
