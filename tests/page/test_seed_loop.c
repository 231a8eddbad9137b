/* SPDX-License-Identifier: MIT */
/*
 * Seed 0's loop: a block of order 3 with a second reference is freed and then put. The lists of
 * free blocks show in which orders its pages come back, and when.
 */
#include "mm/page_flags.h"
#include "page/pcp/pcp.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/zones.h"

/* Blocks that are free, on the CPUs' lists or not. */
static void count_free(struct zone *z, unsigned long nr[PAGE_ALLOC_COSTLY_ORDER + 1])
{
	for (unsigned int order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++) {
		struct percpu_array *list = z->pcp_lists[order * MIGRATE_PCPTYPES];

		nr[order] = free_area_blocks(&z->free_area[order]);
		for (unsigned int slot = 0; list && slot < percpu_nr_slots(); slot++)
			nr[order] += ((struct percpu_array *)percpu_ptr(list, slot))->count;
	}
}

static void expect_freed(struct kunit *test, struct zone *z, const unsigned long *before,
			 const unsigned long *more)
{
	unsigned long now[PAGE_ALLOC_COSTLY_ORDER + 1];

	count_free(z, now);
	for (unsigned int order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++)
		KUNIT_EXPECT_EQ_MSG(test, now[order], before[order] + more[order], "order %u",
				    order);
}

/* A block that is referenced twice, and nothing on CPUs' lists. */
static struct page *must_share(struct kunit *test, gfp_t gfp)
{
	struct page *page = test_must_alloc(test, gfp, 3);

	get_page(page);
	drain_all_pages(NULL);
	return page;
}

/* The tail goes at once, as the blocks that halving leaves, the head as a single page. */
static void plain_block(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	struct page *page = must_share(test, GFP_KERNEL);
	unsigned long nr[PAGE_ALLOC_COSTLY_ORDER + 1];

	count_free(z, nr);
	__free_pages(page, 3);
	expect_freed(test, z, nr, (const unsigned long[]){ 1, 1, 1, 0 });
	count_free(z, nr);
	put_page(page);
	expect_freed(test, z, nr, (const unsigned long[]){ 1, 0, 0, 0 });
	/* They were put on lists of their orders, so the next one is not among them. */
	KUNIT_EXPECT_PTR_EQ(test, alloc_page(GFP_KERNEL), page);
	__free_page(page);
	drain_all_pages(NULL);
	zones_check_whole(test);
}

/* The same by the other calls, and without lists: free blocks then merge at once. */
static void plain_block_without_lists(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	struct page *page = must_share(test, GFP_KERNEL);
	unsigned long nr[PAGE_ALLOC_COSTLY_ORDER + 1];

	count_free(z, nr);
	free_pages((unsigned long)page_address(page), 3);
	expect_freed(test, z, nr, (const unsigned long[]){ 1, 1, 1, 0 });
	for (unsigned int order = 0; order < 3; order++) {
		KUNIT_EXPECT_TRUE(test, page_flags(page + (1UL << order)) & PG_buddy);
		KUNIT_EXPECT_EQ(test, page[1UL << order].order, order);
	}
	__free_page(page);
	zones_check_whole(test);
}

/* A compound block goes as a whole, with the last reference. */
static void compound_block(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	struct page *page = must_share(test, GFP_KERNEL | __GFP_COMP);
	unsigned long nr[PAGE_ALLOC_COSTLY_ORDER + 1];

	count_free(z, nr);
	__free_pages(page, 3);
	expect_freed(test, z, nr, (const unsigned long[]){ 0, 0, 0, 0 });
	put_page(page + 5);
	expect_freed(test, z, nr, (const unsigned long[]){ 0, 0, 0, 1 });
	drain_all_pages(NULL);
	zones_check_whole(test);
}

/* The plain loop takes its blocks from the zone, the compound loop from the CPU's list. */
static void rounds(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_KERNEL, GFP_KERNEL | __GFP_COMP };
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long refills[2];

	for (unsigned int i = 0; i < 2; i++) {
		refills[i] = z->pcp_refills;
		for (unsigned int round = 0; round < 1000; round++) {
			struct page *page = test_must_alloc(test, gfps[i], 3);

			get_page(page);
			__free_pages(page, 3);
			put_page(page);
		}
		refills[i] = z->pcp_refills - refills[i];
		drain_all_pages(NULL);
		zones_check_whole(test);
	}
	KUNIT_EXPECT_GE(test, refills[0], 1000 / 32);
	KUNIT_EXPECT_LE(test, refills[1], 1);
}

static void test_seed_loop_frees(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", plain_block);
	zones_run(test, "zone_normal=64M:simulated_cpus=64", plain_block);
	zones_run(test, "zone_normal=64M:pcp=off", plain_block_without_lists);
	zones_run(test, "zone_normal=64M", compound_block);
	zones_run(test, "zone_normal=64M:simulated_cpus=64", compound_block);
	zones_run(test, "zone_normal=64M", rounds);
}

static struct kunit_case seed_loop_cases[] = {
	KUNIT_CASE(test_seed_loop_frees),
	{ 0 },
};

static struct kunit_suite seed_loop_suite = {
	.name = "seed_loop",
	.test_cases = seed_loop_cases,
};

kunit_test_suite(seed_loop_suite);
