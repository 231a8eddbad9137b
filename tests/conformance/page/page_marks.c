// SPDX-License-Identifier: MIT
/*
 * How far below the watermarks a request may go, seen from outside: the combined effect of
 * gfp_to_alloc_flags() and __zone_watermark_ok() in mm/page_alloc.c.
 *
 * Memory is not used up for this. Instead the marks are raised to the number of free pages: each
 * case sets min_free_kbytes, calls setup_per_zone_wmarks(), asks for one block, and puts the marks
 * back before it checks anything.
 */
#include <linux/completion.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/vmstat.h>

#include "../conformance_marks.h"

struct outcome {
	bool expected;	/* by the rule */
	bool passed;
	bool pfmemalloc;
	long by;	/* pages above the mark, or below it */
};

/* The minimum that holds for the request. */
static long effective_mark(long mark, gfp_t gfp, bool task_memalloc)
{
	if (!(gfp & __GFP_NOMEMALLOC) && ((gfp & __GFP_MEMALLOC) || task_memalloc))
		return -1;
	if (gfp & __GFP_HIGH) {
		mark -= mark / 2;
		if (!(gfp & (__GFP_DIRECT_RECLAIM | __GFP_NOMEMALLOC)))
			mark -= mark / 4;
	}
	return mark;
}

/* By how many pages is the best zone above the request's mark? */
static long pages_above(gfp_t gfp, unsigned int order, bool task_memalloc)
{
	long best = LONG_MIN;

	for (int i = 0; i <= (int)gfp_zone(gfp); i++) {
		struct zone *zone = &NODE_DATA(0)->node_zones[i];
		long above;

		if (!populated_zone(zone))
			continue;
		above = (long)zone_page_state(zone, NR_FREE_PAGES) - ((1L << order) - 1) -
			effective_mark((long)min_wmark_pages(zone), gfp, task_memalloc) -
			zone->lowmem_reserve[gfp_zone(gfp)];
		if (above > best)
			best = above;
	}
	return best;
}

/* Pages on per-CPU lists are not free, and are not asked: they are given back before. */
static struct outcome ask(unsigned long min_pages, gfp_t gfp, unsigned int order)
{
	bool task_memalloc = current->flags & PF_MEMALLOC;
	struct outcome outcome;
	struct page *page;

	set_min_pages(min_pages);
	drain_lists();
	outcome.by = pages_above(gfp, order, task_memalloc);
	outcome.expected = outcome.by > 0;
	page = alloc_pages(gfp | __GFP_NOWARN, order);
	set_min_pages(kbytes_before >> (PAGE_SHIFT - 10));
	outcome.passed = page;
	outcome.pfmemalloc = page && page_is_pfmemalloc(page);
	if (page)
		__free_pages(page, order);
	return outcome;
}

/* Around the places where the plain mark, half of it and 3/8 of it meet the free pages. */
static void staircase(struct kunit *test, gfp_t gfp, unsigned int order)
{
	static const unsigned int eighths[] = { 8, 4, 3 };
	unsigned int passed = 0, refused = 0;

	for (unsigned int step = 0; step < ARRAY_SIZE(eighths); step++) {
		for (int delta = -6; delta <= 6; delta++) {
			unsigned long usable = free_pages_now() - (1UL << order) + 1;
			struct outcome outcome;

			usable = usable * 8 / eighths[step] + (unsigned long)delta;
			outcome = ask(usable, gfp, order);
			KUNIT_EXPECT_EQ_MSG(test, outcome.passed, outcome.expected,
					    "gfp %#x order %u, %ld pages above its mark",
					    (__force unsigned int)gfp, order, outcome.by);
			passed += outcome.passed;
			refused += !outcome.passed;
		}
	}
	/* Some requests succeeded and some failed, so the case has tested something. */
	KUNIT_EXPECT_GT(test, passed, 0);
	KUNIT_EXPECT_GT(test, refused, 0);
}

/* Requests without reclaim, order 0: to the page, for each combination that matters. */
static void plain_stops_at_min(struct kunit *test)
{
	staircase(test, __GFP_NOWARN, 0);
}

static void nowait_stops_at_min(struct kunit *test)
{
	staircase(test, GFP_NOWAIT, 0);
}

static void atomic_reaches_three_eighths(struct kunit *test)
{
	staircase(test, GFP_ATOMIC, 0);
	staircase(test, __GFP_HIGH, 0);
}

/* __GFP_NOMEMALLOC keeps an atomic request from the second part of the reserve. */
static void high_without_reserve_reaches_half(struct kunit *test)
{
	staircase(test, __GFP_HIGH | __GFP_NOMEMALLOC, 0);
}

/* NON_BLOCK without HIGH opens no reserve; NOMEMALLOC then changes nothing. */
static void nomemalloc_alone_stops_at_min(struct kunit *test)
{
	staircase(test, __GFP_NOMEMALLOC, 0);
	staircase(test, GFP_NOWAIT | __GFP_NOMEMALLOC, 0);
}

/* NOMEMALLOC beats MEMALLOC. */
static void nomemalloc_beats_memalloc(struct kunit *test)
{
	staircase(test, __GFP_MEMALLOC | __GFP_NOMEMALLOC, 0);
	staircase(test, __GFP_MEMALLOC | __GFP_NOMEMALLOC | __GFP_HIGH, 0);
}

/* A block counts with all of its pages but one. */
static void blocks_count_with_their_pages(struct kunit *test)
{
	for (unsigned int order = 1; order <= 5; order++) {
		staircase(test, GFP_NOWAIT, order);
		staircase(test, __GFP_HIGH | __GFP_NOMEMALLOC, order);
	}
}

/* Other bits are of no influence. */
static void other_bits_do_not_matter(struct kunit *test)
{
	static const gfp_t bits[] = { __GFP_IO | __GFP_FS, __GFP_NORETRY, __GFP_RETRY_MAYFAIL,
				      __GFP_ZERO, __GFP_HARDWALL, __GFP_THISNODE, __GFP_ACCOUNT,
				      __GFP_RECLAIMABLE, __GFP_MOVABLE };

	for (unsigned int i = 0; i < ARRAY_SIZE(bits); i++) {
		staircase(test, bits[i], 0);
		staircase(test, bits[i] | __GFP_HIGH, 0);
	}
}

/*
 * A request that may reclaim gets pages down to min without reclaiming; with HIGH down to half of
 * min.
 */
static void blocking_requests_reach_min(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_KERNEL | __GFP_NORETRY, GFP_NOFS | __GFP_NORETRY,
				      GFP_NOIO | __GFP_NORETRY, GFP_USER | __GFP_NORETRY,
				      GFP_KERNEL | __GFP_NORETRY | __GFP_HIGH };

	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++) {
		unsigned long factor = gfps[i] & __GFP_HIGH ? 2 : 1, usable = free_pages_now();

		KUNIT_EXPECT_TRUE(test, ask(factor * usable - 16, gfps[i], 0).passed);
		KUNIT_EXPECT_FALSE(test, ask(factor * (usable + FAR), gfps[i], 0).passed);
	}
}

/* A blocking request with HIGH has half of the reserve, and not the part for atomic ones. */
static void blocking_high_has_half_only(struct kunit *test)
{
	unsigned long usable = free_pages_now();

	KUNIT_EXPECT_TRUE(test, ask(usable * 2 - 16, GFP_KERNEL | __GFP_HIGH | __GFP_NORETRY,
				    0).passed);
	KUNIT_EXPECT_TRUE(test, ask(usable * 5 / 2, GFP_ATOMIC, 0).passed);
	KUNIT_EXPECT_FALSE(test, ask(usable * 5 / 2 + 2 * FAR,
				     GFP_KERNEL | __GFP_HIGH | __GFP_NORETRY, 0).passed);
}

struct questions {
	struct completion asked;
	struct outcome outcomes[3];
};

/* A blocking request of a real-time thread may take what __GFP_HIGH may. */
static int ask_as_real_time(void *data)
{
	struct questions *questions = data;
	struct outcome *outcomes = questions->outcomes;
	unsigned long free = free_pages_now();

	sched_set_fifo(current);
	outcomes[0] = ask(free * 3 / 2, GFP_KERNEL | __GFP_NORETRY, 0);
	outcomes[1] = ask(free * 5 / 2 + 2 * FAR, GFP_KERNEL | __GFP_NORETRY, 0);
	sched_set_normal(current, 0);
	outcomes[2] = ask(free * 3 / 2 + 2 * FAR, GFP_KERNEL | __GFP_NORETRY, 0);
	complete(&questions->asked);
	return until_stopped();
}

static void real_time_threads_reach_half(struct kunit *test)
{
	struct questions questions = {};
	struct task_struct *task;

	init_completion(&questions.asked);
	task = kthread_run(ask_as_real_time, &questions, "conformance_rt");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	wait_for_completion(&questions.asked);
	kthread_stop(task);
	KUNIT_EXPECT_TRUE(test, questions.outcomes[0].passed);
	KUNIT_EXPECT_FALSE(test, questions.outcomes[1].passed);
	KUNIT_EXPECT_FALSE(test, questions.outcomes[2].passed);
}

/* __GFP_MEMALLOC ignores marks altogether; such pages say page_is_pfmemalloc(). */
static void memalloc_ignores_marks(struct kunit *test)
{
	for (unsigned int order = 0; order <= 4; order++) {
		struct outcome outcome = ask(free_pages_now() * 3, __GFP_MEMALLOC, order);

		KUNIT_EXPECT_TRUE(test, outcome.passed);
		KUNIT_EXPECT_FALSE(test, ask(free_pages_now() * 3, GFP_NOWAIT, order).passed);
	}
}

static void memalloc_pages_are_marked(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, ask(free_pages_now() * 3, __GFP_MEMALLOC, 0).pfmemalloc);
	KUNIT_EXPECT_TRUE(test, ask(free_pages_now() * 3, __GFP_MEMALLOC, 2).pfmemalloc);
}

/* The head has the mark, whatever else the block is, and the next owner does not find it. */
static void marks_go_with_their_owner(struct kunit *test)
{
	static const gfp_t kinds[] = { 0, __GFP_COMP, __GFP_ZERO | __GFP_COMP };

	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct page *page, *next;

		set_min_pages(free_pages_now() * 3);
		page = alloc_pages(__GFP_MEMALLOC | __GFP_NOWARN | kinds[i], 2);
		set_min_pages(kbytes_before >> (PAGE_SHIFT - 10));
		KUNIT_ASSERT_NOT_NULL(test, page);
		KUNIT_EXPECT_TRUE(test, page_is_pfmemalloc(page));
		KUNIT_EXPECT_EQ(test, PageCompound(page), !!(kinds[i] & __GFP_COMP));
		__free_pages(page, 2);
		next = alloc_pages(GFP_KERNEL | kinds[i], 2);
		KUNIT_ASSERT_NOT_NULL(test, next);
		KUNIT_EXPECT_FALSE(test, page_is_pfmemalloc(next));
		set_page_pfmemalloc(next);
		KUNIT_EXPECT_TRUE(test, page_is_pfmemalloc(next));
		clear_page_pfmemalloc(next);
		KUNIT_EXPECT_FALSE(test, page_is_pfmemalloc(next));
		__free_pages(next, 2);
	}
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define page_frag_cache_is_pfmemalloc(cache) ((cache)->pfmemalloc)
#endif

/* A cache of fragments recognises such a page, and does not keep it. */
static void fragments_of_the_reserve(struct kunit *test)
{
	struct page_frag_cache cache = {};
	void *first, *later;

	set_min_pages(free_pages_now() * 3);
	first = page_frag_alloc(&cache, 1000, __GFP_MEMALLOC | __GFP_NOWARN);
	set_min_pages(kbytes_before >> (PAGE_SHIFT - 10));
	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_EXPECT_TRUE(test, page_frag_cache_is_pfmemalloc(&cache));
	page_frag_free(first);
	for (unsigned int i = 0; i < 2 * PAGE_FRAG_CACHE_MAX_SIZE / 1000; i++) {
		later = page_frag_alloc(&cache, 1000, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, later);
		page_frag_free(later);
	}
	KUNIT_EXPECT_FALSE(test, page_frag_cache_is_pfmemalloc(&cache));
	page_frag_cache_drain(&cache);
}

/* Above the marks nobody's pages are marked, and the reserve's mark does not stay. */
static void other_pages_are_not_marked(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ask(128, __GFP_MEMALLOC, 0).pfmemalloc);
	ask(free_pages_now() * 3, __GFP_MEMALLOC, 0);
	for (unsigned int i = 0; i < 8; i++)
		KUNIT_EXPECT_FALSE(test, ask(128, GFP_KERNEL, 0).pfmemalloc);
	KUNIT_EXPECT_FALSE(test, ask(free_pages_now() * 2, GFP_ATOMIC, 0).pfmemalloc);
}

/* memalloc_noreclaim_save(): the task's requests are as with __GFP_MEMALLOC. */
static void noreclaim_scope_ignores_marks(struct kunit *test)
{
	unsigned long free = free_pages_now();
	unsigned int saved = memalloc_noreclaim_save();
	struct outcome nowait = ask(free * 3, GFP_NOWAIT, 0);
	struct outcome kernel = ask(free * 3, GFP_KERNEL | __GFP_NORETRY, 0);

	memalloc_noreclaim_restore(saved);
	KUNIT_EXPECT_TRUE(test, nowait.passed);
	KUNIT_EXPECT_TRUE(test, kernel.passed);
	KUNIT_EXPECT_TRUE(test, nowait.pfmemalloc);
	KUNIT_EXPECT_FALSE(test, ask(free * 3, GFP_NOWAIT, 0).passed);
}

/* __GFP_NOMEMALLOC takes the task's permission away for one request. */
static void nomemalloc_beats_scope(struct kunit *test)
{
	unsigned long free = free_pages_now();
	unsigned int saved = memalloc_noreclaim_save();
	struct outcome outcome = ask(free * 3, GFP_NOWAIT | __GFP_NOMEMALLOC, 0);

	memalloc_noreclaim_restore(saved);
	KUNIT_EXPECT_FALSE(test, outcome.passed);
}

/* The other scopes open no reserve. */
static void other_scopes_open_nothing(struct kunit *test)
{
	unsigned int noio = memalloc_noio_save(), pin = memalloc_pin_save();
	struct outcome outcome = ask(free_pages_now() + FAR, GFP_NOWAIT, 0);

	memalloc_pin_restore(pin);
	memalloc_noio_restore(noio);
	KUNIT_EXPECT_FALSE(test, outcome.passed);
}

/*
 * NOFAIL needs a request that may wait. Without that there is a warning, and the request fails as
 * others do.
 */
static void nofail_needs_reclaim(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ask(free_pages_now() + FAR, GFP_NOWAIT | __GFP_NOFAIL, 0).passed);
	KUNIT_EXPECT_TRUE(test, ask(free_pages_now() - 64, GFP_NOWAIT | __GFP_NOFAIL, 0).passed);
}

/*
 * These requests give up after reclaim, before anybody is killed: RETRY_MAYFAIL, THISNODE, and
 * costly orders without either.
 */
static void who_may_fail_fails(struct kunit *test)
{
	unsigned long min_pages = free_pages_now() + FAR;

	KUNIT_EXPECT_FALSE(test, ask(min_pages, GFP_KERNEL | __GFP_RETRY_MAYFAIL, 0).passed);
	KUNIT_EXPECT_FALSE(test, ask(min_pages, GFP_KERNEL | __GFP_RETRY_MAYFAIL, 3).passed);
	KUNIT_EXPECT_FALSE(test, ask(min_pages, GFP_KERNEL | __GFP_THISNODE, 0).passed);
	KUNIT_EXPECT_FALSE(test, ask(min_pages, GFP_KERNEL, PAGE_ALLOC_COSTLY_ORDER + 1).passed);
	KUNIT_EXPECT_FALSE(test, ask(min_pages, GFP_KERNEL | __GFP_COMP, MAX_PAGE_ORDER).passed);
}

/* A request that failed has done no harm: memory is there as soon as the marks allow it. */
static void failure_leaves_nothing(struct kunit *test)
{
	unsigned long before = free_pages_now();

	for (unsigned int i = 0; i < 50; i++) {
		KUNIT_EXPECT_FALSE(test, ask(before + FAR, GFP_NOWAIT, i % 6).passed);
		KUNIT_EXPECT_TRUE(test, ask(128, GFP_NOWAIT, i % 6).passed);
	}
	KUNIT_EXPECT_LE(test, abs((long)(free_pages_now() - before)), 32);
}

/* Between min and low nothing fails: low is where background reclaim starts. */
static void low_mark_refuses_nobody(struct kunit *test)
{
	unsigned long free = free_pages_now();

	/* min is 15/16 of the free pages, low is a quarter of min above it. */
	KUNIT_EXPECT_TRUE(test, ask(free / 16 * 15, GFP_NOWAIT, 0).passed);
	KUNIT_EXPECT_TRUE(test, ask(free / 16 * 15, __GFP_NOWARN, 3).passed);
	KUNIT_EXPECT_TRUE(test, ask(free / 16 * 15, GFP_KERNEL | __GFP_NORETRY, 0).passed);
}

/* low and high are steps of a quarter of min, but of a thousandth of the zone at least. */
static void marks_follow_min(struct kunit *test)
{
	static const unsigned long pages[] = { 64, 1000, 5000, 20000, 100000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		unsigned long min, low, high, managed;
		struct zone *zone;

		set_min_pages(pages[i]);
		zone = &NODE_DATA(0)->node_zones[gfp_zone(GFP_KERNEL)];
		min = zone->_watermark[WMARK_MIN];
		low = zone->_watermark[WMARK_LOW];
		high = zone->_watermark[WMARK_HIGH];
		managed = zone_managed_pages(zone);
		set_min_pages(kbytes_before >> (PAGE_SHIFT - 10));
		KUNIT_EXPECT_EQ(test, min, pages[i]);
		KUNIT_EXPECT_EQ(test, low - min, max(min / 4, managed / 1000));
		KUNIT_EXPECT_EQ(test, high - low, low - min);
	}
}

/* Is a struct zone that was found before the marks changed up to date? */
static void zones_are_up_to_date(struct kunit *test)
{
	struct zone *zone = &NODE_DATA(0)->node_zones[gfp_zone(GFP_KERNEL)];
	unsigned long before = min_wmark_pages(zone), after;

	set_min_pages(before + 1000);
	after = READ_ONCE(zone->_watermark[WMARK_MIN]);
	set_min_pages(kbytes_before >> (PAGE_SHIFT - 10));
	if (ON_USERMM) {
		KUNIT_EXPECT_EQ(test, after, before);
		DIFFERS(test, "struct zone is a copy");
	} else {
		KUNIT_EXPECT_EQ(test, after, before + 1000);
	}
}

static struct kunit_case marks_cases[] = {
	KUNIT_CASE(marks_follow_min),
	KUNIT_CASE(zones_are_up_to_date),
	KUNIT_CASE(plain_stops_at_min),
	KUNIT_CASE(nowait_stops_at_min),
	KUNIT_CASE(atomic_reaches_three_eighths),
	KUNIT_CASE(high_without_reserve_reaches_half),
	KUNIT_CASE(nomemalloc_alone_stops_at_min),
	KUNIT_CASE(nomemalloc_beats_memalloc),
	KUNIT_CASE(blocks_count_with_their_pages),
	KUNIT_CASE(other_bits_do_not_matter),
	KUNIT_CASE(blocking_requests_reach_min),
	KUNIT_CASE(blocking_high_has_half_only),
	KUNIT_CASE(real_time_threads_reach_half),
	KUNIT_CASE(memalloc_ignores_marks),
	KUNIT_CASE(memalloc_pages_are_marked),
	KUNIT_CASE(marks_go_with_their_owner),
	KUNIT_CASE(fragments_of_the_reserve),
	KUNIT_CASE(other_pages_are_not_marked),
	KUNIT_CASE(noreclaim_scope_ignores_marks),
	KUNIT_CASE(nomemalloc_beats_scope),
	KUNIT_CASE(other_scopes_open_nothing),
	KUNIT_CASE(nofail_needs_reclaim),
	KUNIT_CASE(who_may_fail_fails),
	KUNIT_CASE(failure_leaves_nothing),
	KUNIT_CASE(low_mark_refuses_nobody),
	{}
};

static struct kunit_suite marks_suite = {
	.name = "conformance_page_marks",
	.init = marks_init,
	.exit = marks_exit,
	.test_cases = marks_cases,
};
kunit_test_suite(marks_suite);
MODULE_DESCRIPTION("watermarks and reserves");
MODULE_LICENSE("Dual MIT/GPL");
