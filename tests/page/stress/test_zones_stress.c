/* SPDX-License-Identifier: MIT */
/*
 * Many threads, several nodes and zones, all orders and types: no two owners of a
 * page, nothing lost, and the free lists are at the end what they were at the start.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "page/pageblock.h"
#include "page/zonelist.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "support/zones.h"

#define NR_THREADS 8
#define NR_HELD 96
#define STEPS TEST_STEPS(60000)

/* Are atomic requests of high orders among them? */
static bool may_reserve;

struct held {
	struct page *page;
	unsigned int order;
	unsigned long tag;
};

/* The first and the last word of a block say whose it is. */
static void mark(struct held *h)
{
	unsigned long *words = page_address(h->page), last = (PAGE_SIZE << h->order) / 8 - 1;

	words[0] = words[last] = h->tag;
}

static bool is_ours(const struct held *h)
{
	const unsigned long *words = page_address(h->page);

	return words[0] == h->tag && words[(PAGE_SIZE << h->order) / 8 - 1] == h->tag;
}

static gfp_t random_gfp(struct prng *prng)
{
	static const gfp_t base[] = { GFP_KERNEL, GFP_NOWAIT, GFP_ATOMIC, GFP_KERNEL | __GFP_ZERO };
	static const gfp_t place[] = {
		0, 0, 0, __GFP_MOVABLE, __GFP_RECLAIMABLE, __GFP_HIGHMEM | __GFP_MOVABLE,
		__GFP_DMA32, __GFP_DMA, __GFP_THISNODE,
	};

	return base[prng_below(prng, ARRAY_SIZE(base))] |
	       place[prng_below(prng, ARRAY_SIZE(place))] | __GFP_NOWARN;
}

static void take(struct test_thread *thread, struct held *h, unsigned long step)
{
	int nid = prng_one_in(&thread->prng, 2) ? -1 :
		  (int)prng_below(&thread->prng, nr_online_nodes);
	gfp_t gfp = random_gfp(&thread->prng);

	h->order = prng_below(&thread->prng, prng_one_in(&thread->prng, 30) ? 11 : 4);
	/* Without a reserve all lists are in the end as they were. */
	if (!may_reserve && h->order && (gfp & GFP_ATOMIC) == GFP_ATOMIC)
		gfp &= ~__GFP_HIGH;
	h->page = __alloc_pages(gfp, h->order, nid, NULL);
	if (!h->page)
		return;
	if (gfp & __GFP_ZERO)
		KUNIT_ASSERT_EQ(thread->test, *(unsigned long *)page_address(h->page), 0);
	if (gfp & __GFP_THISNODE && nid >= 0)
		KUNIT_ASSERT_EQ(thread->test, page_zone(h->page)->node, (unsigned int)nid);
	KUNIT_ASSERT_LE(thread->test, page_zone(h->page)->index, gfp_zone(gfp));
	h->tag = (unsigned long)thread->index << 32 | step;
	mark(h);
}

static void give(struct test_thread *thread, struct held *h)
{
	KUNIT_ASSERT_TRUE(thread->test, is_ours(h));
	__free_pages(h->page, h->order);
	h->page = NULL;
}

/* The child has only this thread, and may allocate and free. */
static void fork_and_allocate(struct test_thread *thread)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		for (unsigned int i = 0; i < 200; i++) {
			struct page *page = alloc_pages(random_gfp(&thread->prng), i % 6);

			if (page)
				__free_pages(page, i % 6);
		}
		_exit(0);
	}
	KUNIT_ASSERT_EQ(thread->test, waitpid(child, &status, 0), child);
	KUNIT_ASSERT_EQ(thread->test, status, 0);
}

static void work(struct test_thread *thread)
{
	static __thread struct held held[NR_HELD];

	for (unsigned long step = 0; step < STEPS; step++) {
		struct held *h = &held[prng_below(&thread->prng, NR_HELD)];

		if (h->page)
			give(thread, h);
		else
			take(thread, h, step);
		if (step % 1024 == 0)
			test_pin(prng_below(&thread->prng, 64));
		if (step % 4096 == thread->index)
			drain_all_pages(NULL);
		if (thread->index == 0 && step % (STEPS / 4) == STEPS / 8)
			fork_and_allocate(thread);
	}
	for (unsigned int i = 0; i < NR_HELD; i++)
		if (held[i].page)
			give(thread, &held[i]);
}

static void run_threads(struct kunit *test)
{
	struct zone *z;

	test_threads_run(test, NR_THREADS, work, NULL);
	zones_drain();
	for_each_populated_zone(z)
		KUNIT_EXPECT_EQ_MSG(test, z->free_pages, z->managed_pages, "node %u, zone %s",
				    z->node, z->name);
}

static void stress(struct kunit *test)
{
	run_threads(test);
	zones_check_whole(test);
}

/* A zone that is always at its marks, and pageblocks that come and go from the reserve. */
static void stress_reserve(struct kunit *test)
{
	struct alloc_context ac;

	may_reserve = true;
	run_threads(test);
	zones_check_lists(test);
	KUNIT_EXPECT_GT(test, zone_at(0, ZONE_NORMAL)->nr_reserved_highatomic, 0);
	alloc_context_prepare(&ac, GFP_KERNEL, -1, NULL);
	while (unreserve_highatomic_pageblock(&ac, true))
		;
	KUNIT_EXPECT_EQ(test, zone_at(0, ZONE_NORMAL)->nr_reserved_highatomic, 0);
	KUNIT_EXPECT_EQ(test, zone_at(0, ZONE_NORMAL)->nr_free_highatomic, 0);
	zones_check_lists(test);
}

static void test_zones_stress_one_zone(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", stress);
}

static void test_zones_stress_zones(struct kunit *test)
{
	zones_run(test, "zone_dma=4M:zone_dma32=16M:zone_normal=32M:zone_movable=16M", stress);
	zones_run(test, "zone_dma=4M:zone_dma32=16M:zone_normal=32M:zone_movable=16M:pcp=off",
		  stress);
}

static void test_zones_stress_nodes(struct kunit *test)
{
	zones_run(test, "nodes=3:zone_dma32=4M:zone_normal=24M:zone_movable=8M", stress);
	zones_run(test, "nodes=2:limit=64M:reserve=64M", stress);
}

static void test_zones_stress_reserve(struct kunit *test)
{
	zones_run(test, "zone_normal=256M:min_free_kbytes=247000", stress_reserve);
}

static struct kunit_case zones_stress_cases[] = {
	KUNIT_CASE_SLOW(test_zones_stress_one_zone),
	KUNIT_CASE_SLOW(test_zones_stress_zones),
	KUNIT_CASE_SLOW(test_zones_stress_nodes),
	KUNIT_CASE_SLOW(test_zones_stress_reserve),
	{ 0 },
};

static struct kunit_suite zones_stress_suite = {
	.name = "zones_stress",
	.test_cases = zones_stress_cases,
};

kunit_test_suite(zones_stress_suite);
