/* SPDX-License-Identifier: MIT */
/*
 * Blocks that are known to be zero are zero: threads write to all blocks that they get, and free
 * them in every way, while others give memory back to the system, empty CPUs' lists and change
 * pageblocks' types.
 */
#include <unistd.h>

#include "mm/page_flags.h"
#include "page/api/exact.h"
#include "page/migratetype.h"
#include "page/pageblock.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "support/zones.h"

#define NR_HELD 64
#define NR_THREADS 4

struct held {
	struct page *page;
	unsigned long pages;	/* in all */
	unsigned int order;
	enum { PLAIN, COMPOUND, EXACT, FROZEN_EXACT, NR_KINDS } kind;
};

static bool is_zero(const void *addr, unsigned long bytes)
{
	const unsigned long *word = addr;

	for (unsigned long i = 0; i < bytes / sizeof(*word); i++)
		if (word[i])
			return false;
	return true;
}

static gfp_t some_gfp(struct prng *prng)
{
	static const gfp_t types[] = { 0, __GFP_MOVABLE, __GFP_RECLAIMABLE };

	return GFP_NOWAIT | __GFP_NOWARN | types[prng_below(prng, 3)] |
	       (prng_below(prng, 2) ? __GFP_ZERO : 0) | (prng_below(prng, 8) ? 0 : __GFP_HIGH);
}

static void take(struct test_thread *thread, struct held *held)
{
	gfp_t gfp = some_gfp(&thread->prng);
	bool zeroed = gfp & __GFP_ZERO;

	held->order = prng_below(&thread->prng, prng_below(&thread->prng, 8) ? 4 : 11);
	held->kind = prng_below(&thread->prng, NR_KINDS);
	held->pages = 1UL << held->order;
	switch (held->kind) {
	case PLAIN:
		held->page = alloc_pages(gfp, held->order);
		break;
	case COMPOUND:
		held->page = alloc_pages(gfp | __GFP_COMP, held->order);
		break;
	case EXACT:
		held->pages -= held->pages / 4;
		held->page = alloc_pages_exact(held->pages * PAGE_SIZE, gfp);
		if (held->page)
			held->page = virt_to_page(held->page);
		break;
	default:
		held->pages -= held->pages / 4;
		held->page = alloc_frozen_exact(gfp & ~__GFP_ZERO, held->pages, 0, &zeroed);
		break;
	}
	if (!held->page)
		return;
	if (zeroed)
		KUNIT_ASSERT_TRUE_MSG(thread->test, is_zero(page_address(held->page),
							     held->pages * PAGE_SIZE),
				      "order %u, kind %d", held->order, (int)held->kind);
	memset(page_address(held->page), 0x5a, held->pages * PAGE_SIZE);
}

static void give(struct test_thread *thread, struct held *held)
{
	switch (held->kind) {
	case PLAIN:
	case COMPOUND:
		if (prng_below(&thread->prng, 4)) {
			__free_pages(held->page, held->order);
			break;
		}
		get_page(held->page);
		__free_pages(held->page, held->order);
		put_page(held->page);
		break;
	case EXACT:
		free_pages_exact(page_address(held->page), held->pages * PAGE_SIZE);
		break;
	default:
		free_frozen_exact(held->page, held->pages);
		break;
	}
	held->page = NULL;
}

static bool over;	/* atomic */

static void disturb(struct test_thread *thread)
{
	/* A thread that has failed does not come to its end. */
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED) &&
	       thread->test->status != KUNIT_FAILURE) {
		unsigned long pfn = prng_below(&thread->prng, MIB_PAGES(64));

		switch (prng_below(&thread->prng, 4)) {
		case 0:
			usermm_trim(0);
			break;
		case 1:
			drain_all_pages(NULL);
			break;
		case 2:
			pageblock_convert(pfn_to_page(pfn), prng_below(&thread->prng,
								       MIGRATE_PCPTYPES));
			break;
		default:
			usleep(100);
		}
	}
}

static void use(struct test_thread *thread)
{
	struct held held[NR_HELD] = { 0 };

	for (unsigned int i = 0; i < TEST_STEPS(20000); i++) {
		struct held *one = &held[prng_below(&thread->prng, NR_HELD)];

		if (one->page)
			give(thread, one);
		else
			take(thread, one);
	}
	for (unsigned int i = 0; i < NR_HELD; i++)
		if (held[i].page)
			give(thread, &held[i]);
}

static void use_or_disturb(struct test_thread *thread)
{
	static unsigned int done;

	if (!thread->index) {
		disturb(thread);
		return;
	}
	use(thread);
	if (__atomic_add_fetch(&done, 1, __ATOMIC_RELAXED) == thread->nr - 1)
		__atomic_store_n(&over, true, __ATOMIC_RELAXED);
}

static void check_zeroed_lists(struct kunit *test)
{
	for (unsigned long pfn = 0; pfn < MIB_PAGES(64);) {
		struct page *page = pfn_to_page(pfn);
		unsigned long nr = page_flags(page) & PG_buddy ? 1UL << page->order : 1;

		if (page_flags(page) & PG_zeroed)
			KUNIT_ASSERT_TRUE(test, is_zero(page_address(page), nr * PAGE_SIZE));
		pfn += nr;
	}
}

static void stress(struct kunit *test)
{
	test_unpin();
	test_threads_run(test, NR_THREADS, use_or_disturb, NULL);
	zones_drain();
	zones_check_lists(test);
	KUNIT_EXPECT_EQ(test, nodes_free_pages(), nodes_managed_pages());
	check_zeroed_lists(test);
}

static void test_zeroed_stress(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", stress);
}

static struct kunit_case zeroed_cases[] = {
	KUNIT_CASE(test_zeroed_stress),
	{ 0 },
};

static struct kunit_suite zeroed_suite = {
	.name = "zeroed",
	.test_cases = zeroed_cases,
};

kunit_test_suite(zeroed_suite);
