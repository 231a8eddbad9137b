/* SPDX-License-Identifier: MIT */
/*
 * Large blocks on CPUs' lists: any request can get them, on whatever CPU they are, and they come
 * back to the zone before a request is refused.
 */
#include <pthread.h>

#include "page/migratetype.h"
#include "page/pageblock.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"
#include "support/zones.h"

/* Allocates all blocks of the zone, then frees all of them. */
static void list_blocks(unsigned int order, unsigned int nr)
{
	struct page *pages[40];
	unsigned int i = 0;

	nr = min(nr, (unsigned int)ARRAY_SIZE(pages));
	while (i < nr && (pages[i] = alloc_pages(GFP_NOWAIT, order)))
		i++;
	while (i > 0)
		__free_pages(pages[--i], order);
}

static unsigned long nr_listed(const struct zone *z, unsigned int order)
{
	return zone_free_blocks_of_order(z, order) - free_area_blocks(&z->free_area[order]);
}

static bool is_large(unsigned int order)
{
	return !pcp_allowed_order(order);
}

/*
 * The block that was freed last comes first, without the zone's lock, and counts as free meanwhile.
 */
static void count_as_free(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);

	for (unsigned int order = 4; order <= MAX_PAGE_ORDER; order++) {
		unsigned long start = zone_free_pages(z), on_lists = pcp_zone_pages(z);
		struct page *page = alloc_pages(GFP_KERNEL, order);

		KUNIT_ASSERT_NOT_NULL(test, page);
		/* With many CPUs each may keep less. */
		if (!is_large(order) || z->pcp_high_min >> order == 0) {
			__free_pages(page, order);
			drain_all_pages(NULL);
			continue;
		}
		KUNIT_EXPECT_EQ(test, zone_free_pages(z), start - (1UL << order));
		__free_pages(page, order);
		KUNIT_EXPECT_EQ_MSG(test, nr_listed(z, order), 1, "order %u", order);
		KUNIT_EXPECT_EQ(test, zone_free_pages(z), start);
		KUNIT_EXPECT_EQ(test, nodes_free_pages(), start);
		KUNIT_EXPECT_EQ(test, pcp_zone_pages(z), on_lists);
		KUNIT_EXPECT_EQ(test, z->free_pages, start - (1UL << order));
		KUNIT_EXPECT_PTR_EQ(test, alloc_pages(GFP_KERNEL, order), page);
		__free_pages(page, order);
		drain_all_pages(NULL);
		KUNIT_EXPECT_EQ(test, nr_listed(z, order), 0);
		KUNIT_EXPECT_EQ(test, z->free_pages, start);
	}
	zones_check_whole(test);
}

/* No more than a CPU may keep, of any order. */
static void are_bounded(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);

	for (unsigned int order = 4; order <= MAX_PAGE_ORDER; order++) {
		unsigned long high = (unsigned long)z->pcp_high_min >> order;

		list_blocks(order, 40);
		if (is_large(order))
			KUNIT_EXPECT_LE(test, nr_listed(z, order), high);
	}
	drain_all_pages(NULL);
	zones_check_whole(test);
}

/* Small requests, and those that cannot wait, get all blocks on another CPU's list. */
static void list_on_other_cpu(struct test_thread *thread)
{
	(void)thread;
	test_pin(test_nr_cpus() - 1);
	for (unsigned int order = 4; order <= MAX_PAGE_ORDER; order++)
		if (is_large(order))
			list_blocks(order, max(40u >> (order - 4), 1u));
}

static void come_back(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long most, listed = 0;
	struct hoard hoard;

	hoard_init(&hoard);
	most = hoard_take_all(&hoard, GFP_NOWAIT, 0);
	hoard_give_all(&hoard);
	usermm_trim(0);		/* with much to give back no list is opened */
	test_threads_run(test, 1, list_on_other_cpu, NULL);
	for (unsigned int order = 4; order <= MAX_PAGE_ORDER; order++)
		listed += is_large(order) ? nr_listed(z, order) << order : 0;
	KUNIT_EXPECT_GT(test, listed, 60);
	KUNIT_EXPECT_EQ_MSG(test, hoard_take_all(&hoard, GFP_NOWAIT, 0), most,
			    "%lu pages on lists", listed);
	/* Short of memory, the zone keeps none. */
	for (unsigned int i = 0; i < 16; i++) {
		struct page *page = list_first_entry(&hoard.blocks[0], struct page, lru);

		list_del(&page->lru);
		__free_page(page);
	}
	drain_all_pages(NULL);
	for (unsigned int order = 4; order <= MAX_PAGE_ORDER; order++)
		KUNIT_EXPECT_EQ(test, is_large(order) ? nr_listed(z, order) : 0, 0);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* Blocks on lists are what a larger one is missing. */
static void come_together(struct kunit *test)
{
	unsigned long most;
	struct hoard hoard;

	hoard_init(&hoard);
	most = hoard_take_all(&hoard, GFP_ATOMIC, MAX_PAGE_ORDER);
	hoard_give_all(&hoard);
	usermm_trim(0);
	/* If lists were not given back, each page would come from another largest block. */
	list_blocks(4, 40);
	KUNIT_EXPECT_GT(test, nr_listed(zone_at(0, ZONE_NORMAL), 4), 0);
	KUNIT_EXPECT_EQ(test, hoard_take_all(&hoard, GFP_ATOMIC, MAX_PAGE_ORDER), most);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void nothing_kept(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);

	list_blocks(5, 10);
	KUNIT_EXPECT_EQ(test, nr_listed(z, 5), 0);
	zones_check_whole(test);
}

/* Memory outside of the window is charged to the same budget. */
static void make_room_for_charges(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long usable = z->free_pages - wmark_pages(z, WMARK_MIN) - 1;

	KUNIT_EXPECT_TRUE(test, zone_charge(z, usable));
	zone_uncharge(z, usable);
	list_blocks(4, 8);
	KUNIT_EXPECT_GT(test, nr_listed(z, 4), 0);
	KUNIT_EXPECT_TRUE(test, zone_charge(z, usable));
	KUNIT_EXPECT_EQ(test, nr_listed(z, 4), 0);
	zone_uncharge(z, usable);
	zones_check_whole(test);
}

/*
 * Two buddies are free, one of them on a list: the report counts both, and all other free blocks.
 */
static void report_with_listed(struct kunit *test, void *arg)
{
	const char *error = NULL;
	struct page *page;

	(void)arg;
	KUNIT_ASSERT_EQ(test, usermm_set_options("zone_normal=8G", &error), 0);
	page = test_must_alloc(test, GFP_KERNEL, 5);
	__free_pages(page, 5);
	KUNIT_EXPECT_EQ(test, nr_listed(zone_at(0, ZONE_NORMAL), 5), 1);
	reclaim_show_zones();
}

static void test_large_blocks_are_told(struct kunit *test)
{
	zones_need_stopping(test);	/* else no list has large blocks */
	CHILD_EXPECT_SUCCESS(test, report_with_listed, NULL, " free:8388608kB ",
			     " 2*128kB (U) ", " = 8388608kB\n");
}

static void test_large_blocks_count_as_free(struct kunit *test)
{
	zones_need_stopping(test);	/* else no list has large blocks */
	zones_run(test, "zone_normal=8G", count_as_free);
}

static void test_large_blocks_are_bounded(struct kunit *test)
{
	zones_run(test, "zone_normal=1G", are_bounded);
	zones_run(test, "zone_normal=64M", are_bounded);
	zones_run(test, "zone_normal=16M", are_bounded);
	zones_run(test, "zone_normal=64M:pcp=off", nothing_kept);
}

static void test_large_blocks_come_back(struct kunit *test)
{
	zones_need_stopping(test);	/* else no list has large blocks */
	zones_run(test, "zone_normal=256M", come_back);
}

static void test_large_blocks_come_together(struct kunit *test)
{
	zones_need_stopping(test);	/* else no list has large blocks */
	zones_run(test, "zone_normal=256M", come_together);
}

static void test_large_blocks_make_room_for_charges(struct kunit *test)
{
	zones_need_stopping(test);	/* else no list has large blocks */
	zones_run(test, "zone_normal=256M", make_room_for_charges);
}

/* A bulk request as well. */
static void come_back_for_bulks(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	struct page *pages[64] = { NULL };
	struct hoard hoard;

	hoard_init(&hoard);
	list_blocks(4, 40);
	KUNIT_EXPECT_GE(test, nr_listed(z, 4), 2);
	hoard_take(&hoard, GFP_NOWAIT, 0, -1, NULL,
		   z->free_pages - wmark_pages(z, WMARK_LOW) - 63);
	while (percpu_pop(z->pcp_lists[MIGRATE_UNMOVABLE]))
		continue;	/* lost, for this test */
	KUNIT_EXPECT_GE(test, nr_listed(z, 4), 2);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_NOWAIT, 64, pages), 64);
	KUNIT_EXPECT_EQ(test, nr_listed(z, 4), 0);
	free_pages_bulk(pages, 64);
	hoard_give_all(&hoard);
	zones_check_lists(test);
}

/* Blocks of the reserve go back to the reserve, and isolated blocks are not handed out. */
static void stay_with_their_type(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	struct page *page = alloc_pages(GFP_KERNEL, 5);
	unsigned long free;

	KUNIT_ASSERT_NOT_NULL(test, page);
	pageblock_convert(page, MIGRATE_HIGHATOMIC);
	free = z->nr_free_highatomic;
	__free_pages(page, 5);
	KUNIT_EXPECT_EQ(test, z->nr_free_highatomic, free + 32);
	page = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, page);
	pageblock_convert(page + PAGEBLOCK_PAGES, MIGRATE_ISOLATE);
	free = zone_free_pages(z);
	__free_pages(page, MAX_PAGE_ORDER);
	KUNIT_EXPECT_EQ(test, zone_free_pages(z), free + PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, nr_listed(z, MAX_PAGE_ORDER), 0);
}

/*
 * All threads first put blocks on lists; then each takes its share of the pages above the low mark.
 * No request is refused because another thread is moving the blocks.
 */
#define SHARERS 4u
#define SHARE_ORDER 4
#define SHARE_SLACK 256

static pthread_barrier_t barrier;
static unsigned long share, refused;	/* Sync: barrier; atomic */

static void take_share(struct test_thread *thread)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	struct page *pages[128];

	for (unsigned int round = 0; round < TEST_STEPS(400); round++) {
		unsigned long n = 0;

		list_blocks(4 + prng_below(&thread->prng, 3), 12);
		pthread_barrier_wait(&barrier);
		if (!thread->index)
			share = (zone_free_pages(z) - wmark_pages(z, WMARK_LOW) - SHARE_SLACK) /
				SHARERS >> SHARE_ORDER;
		pthread_barrier_wait(&barrier);
		while (n < min(share, ARRAY_SIZE(pages)) &&
		       (pages[n] = alloc_pages(GFP_NOWAIT, SHARE_ORDER)))
			n++;
		if (n < min(share, ARRAY_SIZE(pages)))
			__atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
		pthread_barrier_wait(&barrier);
		while (n > 0)
			__free_pages(pages[--n], SHARE_ORDER);
	}
}

static void share_all(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long most = wmark_pages(z, WMARK_HIGH) + 3000;
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take(&hoard, GFP_NOWAIT, 8, -1, NULL, (z->free_pages - most) >> 8);
	pthread_barrier_init(&barrier, NULL, SHARERS);
	test_unpin();
	test_threads_run(test, SHARERS, take_share, NULL);
	KUNIT_EXPECT_EQ(test, refused, 0);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* A charge to the budget does not fail because blocks are on their way to the system. */
static bool stop_trimming;

static void trim_and_trim(struct test_thread *thread)
{
	(void)thread;
	while (!__atomic_load_n(&stop_trimming, __ATOMIC_RELAXED)) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER);

		if (page) {
			*(char *)page_address(page) = 1;
			__free_pages(page, MAX_PAGE_ORDER);
		}
		usermm_trim(0);
	}
}

static void charge_and_charge(struct test_thread *thread)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long nr = z->managed_pages - wmark_pages(z, WMARK_MIN) - 1 - 1024 - 256;

	for (unsigned int i = 0; i < TEST_STEPS(20000); i++) {
		KUNIT_ASSERT_TRUE_MSG(thread->test, zone_charge(z, nr), "step %u", i);
		zone_uncharge(z, nr);
	}
	__atomic_store_n(&stop_trimming, true, __ATOMIC_RELAXED);
}

static void charge_or_trim(struct test_thread *thread)
{
	(thread->index ? trim_and_trim : charge_and_charge)(thread);
}

static void charge_while_trimming(struct kunit *test)
{
	test_unpin();
	test_threads_run(test, 2, charge_or_trim, NULL);
	drain_all_pages(NULL);
	zones_check_lists(test);
}

/*
 * Threads that list blocks while others take all there is: nothing is lost, and in the
 * end all of it is found.
 */
static void fight(struct test_thread *thread)
{
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int i = 0; i < TEST_STEPS(300); i++) {
		unsigned int order = 4 + prng_below(&thread->prng, 4);

		hoard_take(&hoard, GFP_NOWAIT, order, -1, NULL, 1 + prng_below(&thread->prng, 200));
		if (thread->index % 2 && prng_one_in(&thread->prng, 8))
			hoard_give_all(&hoard);
		while (!list_empty(&hoard.blocks[order])) {
			struct list_head *blocks = &hoard.blocks[order];
			struct page *page = list_first_entry(blocks, struct page, lru);

			list_del(&page->lru);
			__free_pages(page, order);
		}
	}
	hoard_give_all(&hoard);
}

static void fight_for_blocks(struct kunit *test)
{
	struct hoard hoard;
	unsigned long most;

	hoard_init(&hoard);
	most = hoard_take_all(&hoard, GFP_NOWAIT, 4);
	hoard_give_all(&hoard);
	test_unpin();
	test_threads_run(test, 6, fight, NULL);
	KUNIT_EXPECT_EQ(test, hoard_take_all(&hoard, GFP_NOWAIT, 4), most);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_large_blocks_fought_for(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", fight_for_blocks);
}

static void test_large_blocks_come_back_for_bulks(struct kunit *test)
{
	zones_need_stopping(test);	/* else no list has large blocks */
	zones_run(test, "zone_normal=256M", come_back_for_bulks);
}

static void test_large_blocks_stay_with_their_type(struct kunit *test)
{
	zones_run(test, "zone_normal=8G", stay_with_their_type);
}

static void test_large_blocks_shared(struct kunit *test)
{
	zones_run(test, "zone_normal=1G", share_all);
}

static void test_large_blocks_charge_while_trimming(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", charge_while_trimming);
}

static struct kunit_case large_blocks_cases[] = {
	KUNIT_CASE(test_large_blocks_come_back_for_bulks),
	KUNIT_CASE(test_large_blocks_stay_with_their_type),
	KUNIT_CASE_SLOW(test_large_blocks_shared),
	KUNIT_CASE_SLOW(test_large_blocks_charge_while_trimming),
	KUNIT_CASE(test_large_blocks_count_as_free),
	KUNIT_CASE(test_large_blocks_are_told),
	KUNIT_CASE(test_large_blocks_are_bounded),
	KUNIT_CASE(test_large_blocks_come_back),
	KUNIT_CASE(test_large_blocks_come_together),
	KUNIT_CASE(test_large_blocks_make_room_for_charges),
	KUNIT_CASE_SLOW(test_large_blocks_fought_for),
	{ 0 },
};

static struct kunit_suite large_blocks_suite = {
	.name = "large_blocks",
	.test_cases = large_blocks_cases,
};

kunit_test_suite(large_blocks_suite);
