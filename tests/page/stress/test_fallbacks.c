/* SPDX-License-Identifier: MIT */
/*
 * Random requests of every kind, until each way to a page and each way back was taken, which
 * counters show. The model is a map of each page's owner: no page has two owners, and in the end
 * all pages are free, in blocks of the same sizes as at the start.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "page/migratetype.h"
#include "page/pageblock.h"
#include "page/pcp/pcp.h"
#include "page/zonelist.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "support/zones.h"

#define DMA32_MIB 16
#define NORMAL_MIB 208		/* a hundredth is more than a pageblock */
#define ZONES "zone_dma32=16M:zone_normal=208M"
#define ALL_PAGES MIB_PAGES(DMA32_MIB + NORMAL_MIB)
#define NR_HELD 12000
#define STEPS TEST_STEPS(400000)
/* A wave fills the memory and then empties a part of it. */
#define WAVE 40000

static uint8_t owner[ALL_PAGES];	/* 1 + the thread's index; Sync: atomic */

/* Events that the test counts, beside those that the zone counts. Sync: atomic */
static struct {
	unsigned long boosts, reserved, given_up, deferred, lower_zone, failures;
} seen;

struct held {
	struct page *page;
	unsigned int order;
};

struct worker {
	struct test_thread *thread;
	struct held held[NR_HELD], unlisted;
	unsigned long pages;		/* held */
	bool filling;
};

static void count(unsigned long *what, bool happened)
{
	if (happened)
		__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

static struct zone *normal_zone(void)
{
	return zone_at(0, ZONE_NORMAL);
}

static unsigned long reserved_pages(void)
{
	return atomic_load_relaxed(&normal_zone()->nr_reserved_highatomic);
}

static void set_owner(struct kunit *test, const struct held *h, uint8_t from, uint8_t to)
{
	unsigned long pfn = page_to_pfn(h->page);

	KUNIT_ASSERT_LE(test, pfn + (1UL << h->order), ALL_PAGES);
	for (unsigned long i = 0; i < 1UL << h->order; i++) {
		uint8_t before = __atomic_exchange_n(&owner[pfn + i], to, __ATOMIC_RELAXED);

		KUNIT_ASSERT_EQ_MSG(test, before, from, "page %lu of a block of order %u", i,
				    h->order);
	}
}

/* --- The ways to a page -------------------------------------------------------------------- */

static gfp_t random_gfp(struct prng *prng)
{
	static const gfp_t base[] = {
		GFP_KERNEL | __GFP_NORETRY, GFP_NOWAIT, GFP_ATOMIC, GFP_KERNEL, __GFP_HIGH,
	};
	static const gfp_t place[] = {
		0, __GFP_MOVABLE, __GFP_RECLAIMABLE, __GFP_MOVABLE, __GFP_DMA32, __GFP_COMP,
	};

	return base[prng_below(prng, ARRAY_SIZE(base))] |
	       place[prng_below(prng, ARRAY_SIZE(place))] | __GFP_NOWARN;
}

/* In waves of one type each, so that it runs out of its own pageblocks. */
static gfp_t gfp_of_wave(struct prng *prng, unsigned long step)
{
	static const gfp_t type[] = { __GFP_MOVABLE, 0, __GFP_RECLAIMABLE };

	return prng_one_in(prng, 4) ? random_gfp(prng) :
	       GFP_NOWAIT | __GFP_NOWARN | type[step / WAVE % ARRAY_SIZE(type)];
}

static void own(struct worker *worker, const struct held *h)
{
	set_owner(worker->thread->test, h, 0, (uint8_t)(worker->thread->index + 1));
	worker->pages += 1UL << h->order;
}

static void take(struct worker *worker, struct held *h, unsigned long step)
{
	struct test_thread *thread = worker->thread;
	gfp_t gfp = gfp_of_wave(&thread->prng, step);
	const struct zone *z = normal_zone();

	h->order = prng_below(&thread->prng, prng_one_in(&thread->prng, 40) ? 11 : 4);
	h->page = alloc_pages(gfp, h->order);
	count(&seen.failures, !h->page);
	count(&seen.boosts, atomic_load_relaxed(&z->watermark_boost));
	count(&seen.reserved, reserved_pages());
	if (!h->page)
		return;
	count(&seen.lower_zone, !(gfp & __GFP_DMA32) && page_zone(h->page) != z);
	own(worker, h);
}

/* --- The ways back ---------------------------------------------------------------------------- */

static void give(struct worker *worker, struct held *h)
{
	set_owner(worker->thread->test, h, (uint8_t)(worker->thread->index + 1), 0);
	worker->pages -= 1UL << h->order;
	if (PageCompound(h->page))
		put_page(h->page);
	else
		__free_pages(h->page, h->order);
	h->page = NULL;
}

/* Blocks of some order, and one of an order that no list of a CPU keeps. */
static void give_some(void *arg)
{
	struct worker *worker = arg;

	if (worker->unlisted.page)
		give(worker, &worker->unlisted);
	for (unsigned int i = 0; i < 100; i++) {
		struct held *h = &worker->held[prng_below(&worker->thread->prng, NR_HELD)];

		if (h->page)
			give(worker, h);
	}
}

/* In a signal handler above the zone's lock. */
static void give_in_handler(struct worker *worker)
{
	struct held *h = &worker->unlisted;
	struct zone *z = normal_zone();

	h->order = PAGE_ALLOC_COSTLY_ORDER + 1;
	h->page = alloc_pages(__GFP_MEMALLOC | __GFP_NOWARN, h->order);
	if (h->page)
		own(worker, h);
	lock_acquire(&z->lock);
	run_in_handler(give_some, worker);
	count(&seen.deferred, atomic_load_relaxed(&z->deferred));
	lock_release(&z->lock);
}

static void give_all(struct worker *worker)
{
	for (unsigned int i = 0; i < NR_HELD; i++)
		if (worker->held[i].page)
			give(worker, &worker->held[i]);
}

/* --- Now and then ----------------------------------------------------------------------------- */

/* All requests are below the marks for a while: atomic ones get a reserve of their own. */
static void change_marks(unsigned long step)
{
	static unsigned long usual;

	if (!usual)
		usual = normal_zone()->watermark[WMARK_MIN];
	zones_set_min_free(step / 500 % 20 ? usual : ALL_PAGES / 8 * 7);
}

/* Some more requests in a child, which has this thread alone and the map of the moment. */
static void work_in_child(struct worker *worker)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		worker->thread->test->status = KUNIT_SUCCESS;
		for (unsigned int i = 0; i < 300; i++) {
			struct held h = { .order = 0 };

			take(worker, &h, i);
			if (h.page)
				give(worker, &h);
		}
		give_some(worker);
		_exit(worker->thread->test->status != KUNIT_SUCCESS);
	}
	KUNIT_ASSERT_EQ(worker->thread->test, waitpid(child, &status, 0), child);
	KUNIT_ASSERT_EQ(worker->thread->test, status, 0);
}

/* The first thread's additional work. */
static void now_and_then(struct worker *worker, unsigned long step)
{
	if (step % 500 == 0)
		change_marks(step);
	if (step % 3000 == 1500)
		give_in_handler(worker);
	if (step % 5000 == 2500)
		drain_all_pages(NULL);
	if (step % (STEPS / 4) == STEPS / 8)
		work_in_child(worker);
}

static void work(struct test_thread *thread)
{
	struct worker *worker = test_memory_alloc(sizeof(*worker));
	unsigned long most = ALL_PAGES / thread->nr;

	KUNIT_ASSERT_NOT_NULL(thread->test, worker);
	worker->thread = thread;
	for (unsigned long step = 0; step < STEPS / thread->nr; step++) {
		struct held *h = &worker->held[prng_below(&thread->prng, NR_HELD)];
		unsigned long reserved = reserved_pages();

		if (step % (WAVE / thread->nr) == 0)
			worker->filling = true;
		if (worker->pages > most - most / 128)
			worker->filling = false;
		if (!h->page)
			take(worker, h, step);
		else if (!worker->filling || prng_one_in(&thread->prng, 20))
			give(worker, h);
		count(&seen.given_up, reserved_pages() < reserved);
		if (!thread->index)
			now_and_then(worker, step);
	}
	give_all(worker);
	test_memory_free(worker);
}

/* --- The end ---------------------------------------------------------------------------------- */

/* Pageblocks that became alike when they were free are joined when they come back. */
static void join_pageblocks(void)
{
	struct alloc_context ac;
	struct hoard hoard;

	alloc_context_prepare(&ac, GFP_KERNEL, -1, NULL);
	while (unreserve_highatomic_pageblock(&ac, true))
		;
	hoard_init(&hoard);
	hoard_take_all(&hoard, __GFP_MEMALLOC, PAGEBLOCK_ORDER);
	hoard_give_all(&hoard);
}

/* Events that a run with a part of the steps may not reach. */
static void expect_rare_seen(struct kunit *test)
{
	KUNIT_EXPECT_GT(test, normal_zone()->steals, 0);
	KUNIT_EXPECT_GT(test, seen.boosts, 0);
	KUNIT_EXPECT_GT(test, seen.given_up, 0);
	KUNIT_EXPECT_GT(test, seen.deferred, 0);
}

static void expect_all_seen(struct kunit *test)
{
	const struct zone *z = normal_zone();

	KUNIT_EXPECT_GT(test, z->claims, 0);
	KUNIT_EXPECT_GT(test, z->pcp_refills, 0);
	KUNIT_EXPECT_GT(test, z->pcp_spills, 0);
	KUNIT_EXPECT_GT(test, seen.reserved, 0);
	KUNIT_EXPECT_GT(test, seen.lower_zone, 0);
	KUNIT_EXPECT_GT(test, seen.failures, 0);
	if (test_divisor == 1)
		expect_rare_seen(test);
	kunit_info(test, "%lu claims, %lu steals, %lu refills, %lu spills", z->claims, z->steals,
		   z->pcp_refills, z->pcp_spills);
	kunit_info(test, "boosted %lu times, reserve in %lu steps, broken up %lu times",
		   seen.boosts, seen.reserved, seen.given_up);
	kunit_info(test, "%lu handlers, %lu from the lower zone, %lu failures", seen.deferred,
		   seen.lower_zone, seen.failures);
}

static void run(struct kunit *test, unsigned int nr_threads)
{
	test_threads_run(test, nr_threads, work, NULL);
	change_marks(500);
	zones_drain();
	for (unsigned long pfn = 0; pfn < ALL_PAGES; pfn++)
		KUNIT_ASSERT_EQ(test, owner[pfn], 0);
	zones_check_lists(test);
	join_pageblocks();
	zones_check_whole(test);
	expect_all_seen(test);
}

static void one_thread(struct kunit *test)
{
	run(test, 1);
}

static void two_threads(struct kunit *test)
{
	run(test, 2);
}

static void test_fallbacks_one_thread(struct kunit *test)
{
	zones_run(test, ZONES, one_thread);
}

static void test_fallbacks_two_threads(struct kunit *test)
{
	zones_run(test, ZONES, two_threads);
}

static void test_fallbacks_many_cpus(struct kunit *test)
{
	zones_run(test, ZONES ":simulated_cpus=64", two_threads);
}

static struct kunit_case fallbacks_cases[] = {
	KUNIT_CASE_SLOW(test_fallbacks_one_thread),
	KUNIT_CASE_SLOW(test_fallbacks_two_threads),
	KUNIT_CASE_SLOW(test_fallbacks_many_cpus),
	{ 0 },
};

static struct kunit_suite fallbacks_suite = {
	.name = "fallbacks",
	.test_cases = fallbacks_cases,
};

kunit_test_suite(fallbacks_suite);
