/* SPDX-License-Identifier: MIT */
#include "support/zones.h"

#include <pthread.h>
#include <sched.h>

#include "mm/page_flags.h"
#include "page/pageblock.h"
#include "page/pcp/pcp.h"
#include "percpu/remote.h"
#include "support/child.h"
#include "support/threads.h"

#define DRAINERS_MAX 64
#define DRAINS_MAX 100000

struct run {
	const char *options;
	void (*fn)(struct kunit *test);
};

static void run_with_options(struct kunit *test, void *arg)
{
	const struct run *run = arg;
	const char *error = NULL;

	KUNIT_ASSERT_EQ_MSG(test, usermm_set_options(run->options, &error), 0, "%s",
			    error ? error : "too late");
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	test_pin(0);
	run->fn(test);
}

void zones_run(struct kunit *test, const char *options, void (*fn)(struct kunit *test))
{
	struct run run = { options, fn };

	CHILD_EXPECT_SUCCESS(test, run_with_options, &run);
}

void hoard_init(struct hoard *hoard)
{
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		INIT_LIST_HEAD(&hoard->blocks[order]);
}

unsigned long hoard_take(struct hoard *hoard, gfp_t gfp, unsigned int order, int nid,
			 const unsigned long *nodes, unsigned long nr)
{
	struct page *page;

	hoard->nr = 0;
	while (hoard->nr < nr && (page = __alloc_pages(gfp | __GFP_NOWARN, order, nid, nodes))) {
		list_add(&page->lru, &hoard->blocks[order]);
		hoard->nr++;
	}
	return hoard->nr;
}

void hoard_give_all(struct hoard *hoard)
{
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		while (!list_empty(&hoard->blocks[order])) {
			struct list_head *blocks = &hoard->blocks[order];
			struct page *page = list_first_entry(blocks, struct page, lru);

			list_del(&page->lru);
			__free_pages(page, order);
		}
	drain_all_pages(NULL);
}

static void *drain_own(void *index)
{
	test_pin((unsigned int)(uintptr_t)index);
	for (unsigned int i = 0; i < DRAINS_MAX && pcp_pages(); i++) {
		drain_local_pages(NULL);
		sched_yield();
	}
	return NULL;
}

/*
 * If slots cannot be stopped, a thread on each CPU empties its own slot. All these threads run at
 * the same time: if the index is the kernel's mm_cid, a thread that runs alone has the first index
 * on every CPU.
 */
static void drain_each(void)
{
	pthread_t threads[DRAINERS_MAX];
	unsigned int nr = 0;

	while (nr < percpu_nr_slots() && nr < DRAINERS_MAX &&
	       !pthread_create(&threads[nr], NULL, drain_own, (void *)(uintptr_t)nr))
		nr++;
	while (nr)
		pthread_join(threads[--nr], NULL);
}

void zones_drain(void)
{
	drain_all_pages(NULL);
	if (pcp_pages())
		drain_each();
}

void zones_need_stopping(struct kunit *test)
{
	if (!percpu_can_stop())
		kunit_skip(test, "slots cannot be stopped here");
}

struct zone *zone_at(unsigned int node, enum zone_type index)
{
	return &NODE_DATA(node)->node_zones[index];
}

/* Adds the blocks that are not known to be zero to *dirty. */
static unsigned long check_list(struct kunit *test, struct zone *z, unsigned int order,
				enum migratetype type, unsigned long *dirty)
{
	struct page *page, *buddy;
	unsigned long nr = 0;

	list_for_each_entry(page, &z->free_area[order].free_list[type], lru) {
		KUNIT_ASSERT_TRUE(test, page_flags(page) & PG_buddy);
		KUNIT_ASSERT_EQ(test, page->order, order);
		KUNIT_ASSERT_EQ(test, page_to_pfn(page) & ((1UL << order) - 1), 0);
		KUNIT_ASSERT_PTR_EQ(test, page_zone(page), z);
		for (unsigned long i = 0; i < 1UL << order; i += PAGEBLOCK_PAGES)
			KUNIT_ASSERT_EQ(test, get_pageblock_migratetype(page + i), type);
		buddy = pfn_to_page(page_to_pfn(page) ^ (1UL << order));
		if (order < PAGEBLOCK_ORDER)
			KUNIT_ASSERT_FALSE_MSG(test, (page_flags(buddy) & PG_buddy) &&
					       buddy->order == order, "two free buddies");
		*dirty += !(page_flags(page) & PG_zeroed);
		nr++;
	}
	KUNIT_ASSERT_EQ(test, z->free_area[order].nr_of_type[type], nr);
	return nr;
}

static void check_zone(struct kunit *test, struct zone *z)
{
	unsigned long of_type[MIGRATE_TYPES] = { 0 }, all = 0, dirty_pages = 0;

	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		unsigned long nr = 0, dirty = 0;

		for (unsigned int type = 0; type < MIGRATE_TYPES; type++) {
			unsigned long blocks = check_list(test, z, order, type, &dirty);

			of_type[type] += blocks << order;
			nr += blocks;
		}
		all += nr << order;
		KUNIT_ASSERT_EQ(test, z->free_area[order].nr_dirty, dirty);
		dirty_pages += dirty << order;
	}
	KUNIT_ASSERT_EQ(test, z->dirty_pages, dirty_pages);
	KUNIT_ASSERT_EQ(test, z->free_pages,
			all - of_type[MIGRATE_ISOLATE] + zone_offline_pages(z));
	KUNIT_ASSERT_EQ(test, z->nr_free_highatomic, of_type[MIGRATE_HIGHATOMIC]);
	KUNIT_ASSERT_EQ(test, z->nr_free_cma, of_type[MIGRATE_CMA]);
}

void zones_check_lists(struct kunit *test)
{
	struct zone *z;

	for_each_populated_zone(z)
		check_zone(test, z);
}

void zones_check_whole(struct kunit *test)
{
	struct zone *z;

	zones_check_lists(test);
	for_each_populated_zone(z) {
		KUNIT_EXPECT_EQ_MSG(test, z->free_pages, z->managed_pages, "zone %s", z->name);
		KUNIT_EXPECT_EQ_MSG(test, free_area_blocks(&z->free_area[MAX_PAGE_ORDER])
						  << MAX_PAGE_ORDER,
				    z->present_pages, "zone %s", z->name);
	}
}
