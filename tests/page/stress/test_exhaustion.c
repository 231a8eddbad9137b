/* SPDX-License-Identifier: MIT */
/*
 * Running out of memory, with a budget of 16 MiB: how far down each kind of request gets, what bulk
 * requests get then, and that everything works again afterwards.
 */
#include <unistd.h>

#include "page/zone.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"
#include "usermm/shrinker.h"

#define BUDGET_PAGES (16UL << 20 >> PAGE_SHIFT)

static struct page *hoard[BUDGET_PAGES + 1];
static unsigned long nr_hoarded;

/* Takes blocks until there are no more; the number of them. */
static unsigned long take_all(gfp_t gfp, unsigned int order)
{
	unsigned long start = nr_hoarded;
	struct page *page;

	while (nr_hoarded < BUDGET_PAGES && (page = alloc_pages(gfp | __GFP_NOWARN, order)))
		hoard[nr_hoarded++] = page;
	return nr_hoarded - start;
}

static void give_all(unsigned int order)
{
	while (nr_hoarded)
		__free_pages(hoard[--nr_hoarded], order);
	drain_local_pages(NULL);
}

static void check_all_free(struct kunit *test)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	KUNIT_EXPECT_EQ(test, stats.budget_bytes, BUDGET_PAGES * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, stats.free_bytes + stats.pcp_bytes, BUDGET_PAGES * PAGE_SIZE);
}

static void test_exhaustion_every_order(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		unsigned long first = take_all(GFP_KERNEL, order), second;

		KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN, order));
		KUNIT_EXPECT_EQ(test, __get_free_pages(GFP_KERNEL | __GFP_NOWARN, order), 0);
		/* Takes all but the reserve, in blocks of that size. */
		KUNIT_EXPECT_GE(test, first << order,
				BUDGET_PAGES - budget_zone()->watermark[WMARK_LOW] -
				(1UL << order));
		KUNIT_EXPECT_LE(test, first << order,
				BUDGET_PAGES - budget_zone()->watermark[WMARK_MIN]);
		give_all(order);
		check_all_free(test);
		second = take_all(GFP_KERNEL, order);
		KUNIT_EXPECT_EQ_MSG(test, second, first, "order %u", order);
		give_all(order);
		check_all_free(test);
	}
}

/* Some order 0 pages first, then the large ones fail while small ones do not. */
static void test_exhaustion_by_fragmentation(struct kunit *test)
{
	unsigned long nr = take_all(GFP_KERNEL, 0);

	for (unsigned long i = 0; i < nr; i += 2) {
		__free_page(hoard[i]);
		hoard[i] = NULL;
	}
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER));
	for (unsigned long i = 0; i < nr; i += 2) {
		hoard[i] = alloc_page(GFP_KERNEL | __GFP_NOWARN);
		KUNIT_ASSERT_NOT_NULL_MSG(test, hoard[i], "%lu of %lu", i, nr);
	}
	give_all(0);
	check_all_free(test);
}

/* The free pages when a request of this kind fails for the first time. */
static unsigned long left_over(gfp_t gfp)
{
	unsigned long left;

	take_all(gfp, 0);
	left = budget_zone()->free_pages;
	give_all(0);
	return left;
}

/* Each kind of request stops at a page that arithmetic names. */
static void test_exhaustion_staircase(struct kunit *test)
{
	unsigned long min;

	take_all(GFP_KERNEL, 0);	/* also brings the zone up */
	give_all(0);
	min = budget_zone()->watermark[WMARK_MIN];
	KUNIT_ASSERT_EQ_MSG(test, min, 128, "16 MiB keep 512 KiB");
	KUNIT_EXPECT_EQ(test, left_over(GFP_KERNEL), min);
	KUNIT_EXPECT_EQ(test, left_over(GFP_NOWAIT), min);
	KUNIT_EXPECT_EQ(test, left_over(GFP_NOIO), min);
	KUNIT_EXPECT_EQ(test, left_over(GFP_KERNEL | __GFP_HIGH), min / 2);
	KUNIT_EXPECT_EQ(test, left_over(GFP_ATOMIC), min * 3 / 8);
	KUNIT_EXPECT_EQ(test, left_over(GFP_ATOMIC | __GFP_NOMEMALLOC), min / 2);
	KUNIT_EXPECT_EQ(test, left_over(GFP_KERNEL | __GFP_MEMALLOC), 0);
	KUNIT_EXPECT_EQ(test, left_over(GFP_ATOMIC | __GFP_MEMALLOC), 0);
	KUNIT_EXPECT_EQ(test, left_over(GFP_KERNEL | __GFP_MEMALLOC | __GFP_NOMEMALLOC), min);
	check_all_free(test);
}

static void test_exhaustion_bulk_array(struct kunit *test)
{
	static struct page *array[BUDGET_PAGES];
	unsigned long nr, again;

	memset(array, 0, sizeof(array));
	nr = alloc_pages_bulk_array(GFP_KERNEL | __GFP_NOWARN, BUDGET_PAGES / 2, array);
	KUNIT_EXPECT_EQ(test, nr, BUDGET_PAGES / 2);
	nr = alloc_pages_bulk_array(GFP_KERNEL | __GFP_NOWARN, BUDGET_PAGES, array);
	KUNIT_EXPECT_GT(test, nr, BUDGET_PAGES / 2);
	KUNIT_EXPECT_LT_MSG(test, nr, BUDGET_PAGES, "fewer than asked, and that is legal");
	for (unsigned long i = 0; i < nr; i++)
		KUNIT_ASSERT_NOT_NULL(test, array[i]);
	for (unsigned long i = nr; i < BUDGET_PAGES; i++)
		KUNIT_ASSERT_NULL_MSG(test, array[i], "entry %lu behind the %lu reached", i, nr);
	/* Further calls get one page each, the normal way, until there is none. */
	while ((again = alloc_pages_bulk_array(GFP_KERNEL | __GFP_NOWARN, BUDGET_PAGES, array)) >
	       nr)
		nr = again;
	KUNIT_EXPECT_EQ(test, again, nr);
	KUNIT_EXPECT_EQ(test, budget_zone()->free_pages, budget_zone()->watermark[WMARK_MIN]);
	free_pages_bulk(array, BUDGET_PAGES);
	drain_local_pages(NULL);
	check_all_free(test);
}

/* The count ends at a gap that cannot be filled, whatever follows it. */
static void test_exhaustion_bulk_array_gap(struct kunit *test)
{
	struct page *array[8] = { NULL };
	unsigned long nr;

	for (unsigned int i = 0; i < 8; i++) {
		array[i] = i == 3 || i == 5 ? NULL : alloc_page(GFP_KERNEL);
		if (i != 3 && i != 5)
			KUNIT_ASSERT_NOT_NULL(test, array[i]);
	}
	take_all(GFP_KERNEL, 0);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL | __GFP_NOWARN, 8, array), 3);
	KUNIT_EXPECT_NULL(test, array[3]);
	KUNIT_EXPECT_NULL(test, array[5]);
	/* One page is there again: the first gap gets it. */
	__free_page(hoard[--nr_hoarded]);
	nr = alloc_pages_bulk_array(GFP_KERNEL | __GFP_NOWARN, 8, array);
	KUNIT_EXPECT_EQ(test, nr, 5);
	KUNIT_EXPECT_NOT_NULL(test, array[3]);
	KUNIT_EXPECT_NULL(test, array[5]);
	free_pages_bulk(array, 8);
	give_all(0);
	check_all_free(test);
}

static void test_exhaustion_bulk_list(struct kunit *test)
{
	struct page *page, *next;
	LIST_HEAD(list);
	unsigned long nr, seen = 0;

	nr = alloc_pages_bulk_list(GFP_KERNEL | __GFP_NOWARN, BUDGET_PAGES / 2, &list);
	KUNIT_EXPECT_EQ(test, nr, BUDGET_PAGES / 2);
	nr += alloc_pages_bulk_list(GFP_KERNEL | __GFP_NOWARN, BUDGET_PAGES, &list);
	KUNIT_EXPECT_GT(test, nr, BUDGET_PAGES / 2);
	KUNIT_EXPECT_LT(test, nr, BUDGET_PAGES);
	take_all(GFP_KERNEL, 0);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL | __GFP_NOWARN, 5, &list), 0);
	list_for_each_entry_safe(page, next, &list, lru) {
		KUNIT_ASSERT_EQ(test, page_ref_count(page), 1);
		list_del(&page->lru);
		put_page(page);
		seen++;
	}
	KUNIT_EXPECT_EQ(test, seen, nr);
	give_all(0);
	check_all_free(test);
}

static void test_exhaustion_frozen_bulk(struct kunit *test)
{
	static struct page *array[BUDGET_PAGES];
	unsigned long nr = alloc_frozen_pages_bulk(GFP_KERNEL | __GFP_NOWARN, BUDGET_PAGES, array);

	KUNIT_EXPECT_GT(test, nr, BUDGET_PAGES / 2);
	KUNIT_EXPECT_LT(test, nr, BUDGET_PAGES);
	free_frozen_pages_bulk(array, nr);
	drain_local_pages(NULL);
	check_all_free(test);
}

static void fail_loudly(struct kunit *test, void *arg)
{
	(void)arg;
	take_all(GFP_KERNEL, 0);
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL, 2));
}

static void fail_silently(struct kunit *test, void *arg)
{
	(void)arg;
	take_all(GFP_KERNEL, 0);
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN, 2));
}

static void test_exhaustion_is_reported(struct kunit *test)
{
	struct child_result result;

	CHILD_EXPECT_SUCCESS(test, fail_loudly, NULL, "usermm: ", "allocation failure", "order:2");
	child_run(test, fail_silently, NULL, &result);
	KUNIT_EXPECT_EQ(test, result.status, 0);
	KUNIT_EXPECT_STREQ_MSG(test, result.err, "", "__GFP_NOWARN");
}

/* How often requests have asked for memory to be freed, in the counting thread. */
static __thread bool counts;
static unsigned int nr_asked;	/* Sync: atomic */

static unsigned long count_asking(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker, (void)sc;
	if (counts)
		__atomic_fetch_add(&nr_asked, 1, __ATOMIC_RELAXED);
	return 0;
}

static unsigned long free_nothing(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker, (void)sc;
	return SHRINK_STOP;
}

/* The giver waits until the waiter has asked so often, or has not waited. Sync: atomic */
struct wait {
	unsigned int enough;
	bool is_given, is_over;
};

static void wait_for_page(struct kunit *test, struct wait *wait)
{
	struct page *page;

	counts = true;
	page = alloc_page(GFP_KERNEL | __GFP_NOFAIL | __GFP_NOWARN);
	counts = false;
	KUNIT_EXPECT_TRUE_MSG(test, __atomic_load_n(&wait->is_given, __ATOMIC_ACQUIRE),
			      "there was nothing to get");
	__atomic_store_n(&wait->is_over, true, __ATOMIC_RELEASE);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
}

static void wait_or_give(struct test_thread *thread)
{
	struct wait *wait = thread->arg;

	if (!thread->index) {
		wait_for_page(thread->test, wait);
		return;
	}
	while (__atomic_load_n(&nr_asked, __ATOMIC_RELAXED) < wait->enough &&
	       !__atomic_load_n(&wait->is_over, __ATOMIC_ACQUIRE))
		usleep(100);
	__atomic_store_n(&wait->is_given, true, __ATOMIC_RELEASE);
	give_all(0);
}

/*
 * A request that must not fail waits until another thread frees something. There is nothing else:
 * the reserve, of which it would get a part after a while, is used up as well.
 */
static void test_exhaustion_nofail_waits(struct kunit *test)
{
	struct shrinker *shrinker = shrinker_alloc(0, "counts");
	struct wait wait = { 0 };

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	shrinker->count_objects = count_asking;
	shrinker->scan_objects = free_nothing;
	shrinker_register(shrinker);
	take_all(GFP_KERNEL | __GFP_MEMALLOC, 0);
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), 0);
	/* It goes on where other requests get NULL. */
	counts = true;
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_KERNEL | __GFP_NOWARN));
	counts = false;
	KUNIT_EXPECT_GT(test, nr_asked, 0);
	wait.enough = 3 * nr_asked;
	test_threads_run(test, 2, wait_or_give, &wait);
	shrinker_free(shrinker);
	drain_local_pages(NULL);
	check_all_free(test);
}

static struct kunit_case exhaustion_cases[] = {
	KUNIT_CASE(test_exhaustion_every_order),
	KUNIT_CASE(test_exhaustion_by_fragmentation),
	KUNIT_CASE(test_exhaustion_staircase),
	KUNIT_CASE(test_exhaustion_bulk_array),
	KUNIT_CASE(test_exhaustion_bulk_array_gap),
	KUNIT_CASE(test_exhaustion_bulk_list),
	KUNIT_CASE(test_exhaustion_frozen_bulk),
	KUNIT_CASE(test_exhaustion_is_reported),
	KUNIT_CASE(test_exhaustion_nofail_waits),
	{ 0 },
};

static struct kunit_suite exhaustion_suite = {
	.name = "exhaustion",
	.suite_init = test_set_small_budget,
	.test_cases = exhaustion_cases,
};

kunit_test_suite(exhaustion_suite);
