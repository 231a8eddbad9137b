/* SPDX-License-Identifier: MIT */
/* CPUs' page lists: how many pages move at a time and stay, which list, and draining. */
#include "page/migratetype.h"
#include "page/pcp/pcp.h"
#include "page/pcp/pcp_list.h"
#include "page/pcp/pcp_tuning.h"
#include "page/watermark.h"
#include "support/kernel.h"
#include "support/zones.h"

static struct zone zone_of(unsigned long managed, unsigned int nr_cpus)
{
	struct zone z = { .managed_pages = managed, .index = ZONE_NORMAL };

	zone_set_watermarks(&z, min_free_pages(managed), managed);
	pcp_set_limits(&z, nr_cpus, true);
	return z;
}

/* Linux's numbers for zones of these sizes. */
static void test_pcp_batch(struct kunit *test)
{
	static const struct {
		unsigned long mib;
		int batch;
	} rows[] = {
		{ 4, 1 }, { 16, 1 }, { 32, 1 }, { 48, 3 }, { 64, 3 }, { 128, 7 }, { 256, 15 },
		{ 512, 31 }, { 687, 31 }, { 688, 63 }, { 1024, 63 }, { 65536, 63 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct zone z = zone_of(MIB_PAGES(rows[i].mib), 1);

		KUNIT_EXPECT_EQ_MSG(test, z.pcp_batch, rows[i].batch, "%lu MiB", rows[i].mib);
	}
}

static void test_pcp_high(struct kunit *test)
{
	struct zone z = zone_of(MIB_PAGES(1024), 4);

	/* low is 1024 + 262 pages */
	KUNIT_EXPECT_EQ(test, z.pcp_high_min, (1024 + 262) / 4);
	KUNIT_EXPECT_EQ(test, z.pcp_high_max, 262144 / 8 / 4);
	z = zone_of(MIB_PAGES(1024), 64);
	KUNIT_EXPECT_EQ_MSG(test, z.pcp_high_min, 4 * 63, "four batches at least");
	KUNIT_EXPECT_EQ(test, z.pcp_high_max, 262144 / 8 / 64);
	pcp_set_limits(&z, 4, false);
	KUNIT_EXPECT_EQ(test, z.pcp_high_max, 0);
}

/* Each refill without a free between is twice the one before, and high follows. */
static void test_pcp_alloc_scales(struct kunit *test)
{
	static const int batches[] = { 63, 126, 252, 504, 1008, 2016, 2016 };
	struct zone z = zone_of(MIB_PAGES(1024), 1);
	struct pcp_tuning tuning = { 0 };
	int high = z.pcp_high_min;

	for (unsigned int i = 0; i < ARRAY_SIZE(batches); i++) {
		KUNIT_EXPECT_EQ(test, pcp_nr_alloc(&z, &tuning, 0, 0), batches[i]);
		high += batches[i];
		KUNIT_EXPECT_EQ(test, tuning.high, high);
	}
	/* The more pages are on the lists already, the smaller the batch. */
	KUNIT_EXPECT_EQ(test, pcp_nr_alloc(&z, &tuning, 0, high), 2016 - 63);
	KUNIT_EXPECT_EQ(test, pcp_nr_alloc(&z, &tuning, 0, 100000), 63);
	/* A batch that just fits is followed by one of twice the size. */
	tuning = (struct pcp_tuning){ .high = 1000 };
	z.flags = ZONE_BELOW_HIGH;
	z.pcp_high_min = 252;
	KUNIT_EXPECT_EQ(test, pcp_nr_alloc(&z, &tuning, 0, 1000 - 63 - 63), 63);
	KUNIT_EXPECT_EQ(test, tuning.alloc_factor, 1);
	z.flags = 0;
	for (unsigned int i = 0; i < 1000; i++)
		pcp_nr_alloc(&z, &tuning, 0, 0);
	KUNIT_EXPECT_EQ(test, tuning.high, z.pcp_high_max);
}

static void test_pcp_alloc_by_order(struct kunit *test)
{
	static const int blocks[] = { 63, 31, 15, 7, 3, 2, 2, 2, 2, 2 };
	struct zone z = zone_of(MIB_PAGES(1024), 1);

	for (unsigned int order = 0; order < ARRAY_SIZE(blocks); order++) {
		struct pcp_tuning tuning = { 0 };

		KUNIT_EXPECT_EQ_MSG(test, pcp_nr_alloc(&z, &tuning, order, 0), blocks[order],
				    "order %u", order);
		/* Only order 0 scales. */
		if (order)
			KUNIT_EXPECT_EQ(test, pcp_nr_alloc(&z, &tuning, order, 0), blocks[order]);
	}
	pcp_set_limits(&z, 1, false);
	for (unsigned int order = 0; order < ARRAY_SIZE(blocks); order++) {
		struct pcp_tuning tuning = { 0 };

		KUNIT_EXPECT_EQ(test, pcp_nr_alloc(&z, &tuning, order, 0), 1);
	}
}

/* A zone below its high mark: high does not grow, and shrinks with each run of frees. */
static void test_pcp_below_high(struct kunit *test)
{
	struct zone z = zone_of(MIB_PAGES(1024), 1);
	struct pcp_tuning tuning = { .high = 5000 };
	int high;

	z.flags = ZONE_BELOW_HIGH;
	KUNIT_EXPECT_EQ(test, pcp_nr_alloc(&z, &tuning, 0, 0), 63);
	KUNIT_EXPECT_EQ(test, tuning.high, 5000);
	pcp_nr_free(&z, &tuning, 0, 5000, 500, &high);
	KUNIT_EXPECT_EQ(test, tuning.high, 4500);
	KUNIT_EXPECT_EQ(test, high, 4500);
	for (unsigned int i = 0; i < 100; i++)
		pcp_nr_free(&z, &tuning, 0, 5000, 500, &high);
	KUNIT_EXPECT_EQ(test, high, z.pcp_high_min);
	z.flags = ZONE_RECLAIM_ACTIVE;
	pcp_nr_free(&z, &tuning, 0, 5000, 500, &high);
	KUNIT_EXPECT_EQ_MSG(test, high, 4 * 63, "four batches");
}

/* The longer the run of frees, the more go back at a time; never the last batch. */
static void test_pcp_free_scales(struct kunit *test)
{
	struct zone z = zone_of(MIB_PAGES(1024), 1);
	struct pcp_tuning tuning = { .alloc_factor = 5 };
	int high, least = z.pcp_high_min;

	KUNIT_EXPECT_EQ(test, pcp_nr_free(&z, &tuning, 0, 10, 10, &high), 63);
	KUNIT_EXPECT_EQ(test, tuning.alloc_factor, 0);
	KUNIT_EXPECT_EQ(test, high, least);
	KUNIT_EXPECT_EQ(test, pcp_nr_free(&z, &tuning, 0, 200, 200, &high), 210);
	KUNIT_EXPECT_EQ(test, pcp_nr_free(&z, &tuning, 0, least, 5000, &high), least - 63);
	KUNIT_EXPECT_EQ_MSG(test, high, 2016 + 63, "room for the run, next time");
	pcp_nr_alloc(&z, &tuning, 0, 0);
	KUNIT_EXPECT_EQ_MSG(test, tuning.free_count, 0, "the run is over");
	/* Frees of single pages and frees of blocks are separate runs. */
	tuning = (struct pcp_tuning){ .high = 8000 };
	pcp_nr_free(&z, &tuning, 0, 504, 504, &high);
	pcp_nr_free(&z, &tuning, 3, 504, 504, &high);
	KUNIT_EXPECT_EQ(test, high, 8000);
	/* In a run of frees of orders 1 to 3, blocks beyond a batch are not kept. */
	tuning = (struct pcp_tuning){ .high = 8000 };
	pcp_nr_free(&z, &tuning, 1, 62, 62, &high);
	pcp_nr_free(&z, &tuning, 1, 62, 0, &high);
	KUNIT_EXPECT_EQ(test, high, 8000);
	pcp_nr_free(&z, &tuning, 1, 63, 1, &high);
	KUNIT_EXPECT_EQ(test, high, 8000);
	pcp_nr_free(&z, &tuning, 1, 63, 0, &high);
	KUNIT_EXPECT_EQ(test, high, 8000 - 2016);
	tuning = (struct pcp_tuning){ .high = 8000 };
	pcp_nr_free(&z, &tuning, 3, 504, 504, &high);
	KUNIT_EXPECT_EQ_MSG(test, high, 8000, "one may be an accident");
	KUNIT_EXPECT_EQ(test, pcp_nr_free(&z, &tuning, 3, 504, 504, &high), 504);
	KUNIT_EXPECT_EQ(test, high, 8000 - 2016);
	tuning = (struct pcp_tuning){ .high = 8000 };
	pcp_nr_free(&z, &tuning, 9, 512, 512, &high);
	pcp_nr_free(&z, &tuning, 9, 512, 512, &high);
	KUNIT_EXPECT_EQ_MSG(test, high, 8000, "huge blocks are");
}

/* --- The lists themselves ---------------------------------------------------------------- */

static unsigned long list_pages(unsigned int index)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long nr = 0;

	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		nr += ((struct percpu_array *)percpu_ptr(z->pcp_lists[index], slot))->count;
	return nr;
}

static void refills(struct kunit *test)
{
	struct page *pages[64], *first;
	struct pcp_counts counts;

	/* Nothing was tuned yet. */
	pcp_counts_read(zone_at(0, ZONE_NORMAL), 0, &counts);
	KUNIT_EXPECT_EQ(test, counts.high, zone_at(0, ZONE_NORMAL)->pcp_high_min);
	KUNIT_EXPECT_EQ(test, counts.batch, 63);
	KUNIT_EXPECT_EQ(test, counts.count, 0);
	first = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_EXPECT_EQ(test, zone_at(0, ZONE_NORMAL)->pcp_refills, 1);
	KUNIT_EXPECT_EQ(test, list_pages(MIGRATE_UNMOVABLE), 62);
	for (unsigned int i = 0; i < 62; i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		KUNIT_EXPECT_PTR_EQ_MSG(test, pages[i], first + i + 1, "in the order of addresses");
	}
	KUNIT_EXPECT_EQ(test, list_pages(MIGRATE_UNMOVABLE), 0);
	pages[62] = alloc_page(GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, list_pages(MIGRATE_UNMOVABLE), 125);
	for (unsigned int i = 0; i < 63; i++)
		__free_page(pages[i]);
	__free_page(first);
	KUNIT_EXPECT_EQ(test, list_pages(MIGRATE_UNMOVABLE), 125 + 64);
}

/* A freed block goes to the list of its pageblock's type, whatever type was requested. */
static void lists_by_type(struct kunit *test)
{
	static const gfp_t gfps[MIGRATE_PCPTYPES] = { 0, __GFP_MOVABLE, __GFP_RECLAIMABLE };
	struct page *page;

	for (unsigned int type = 0; type < MIGRATE_PCPTYPES; type++)
		for (unsigned int order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++) {
			unsigned int index = order * MIGRATE_PCPTYPES + type;
			unsigned long before;

			page = alloc_pages(GFP_KERNEL | gfps[type], order);
			before = list_pages(index);
			__free_pages(page, order);
			KUNIT_EXPECT_EQ(test, list_pages(index), before + 1);
		}
	page = alloc_pages(GFP_KERNEL, 0);
	pageblock_convert(page, MIGRATE_RECLAIMABLE);
	for (unsigned int type = 0; type < 2; type++) {
		unsigned long before = list_pages(type ? MIGRATE_MOVABLE : MIGRATE_RECLAIMABLE);

		__free_page(page);
		KUNIT_EXPECT_EQ(test, list_pages(type ? MIGRATE_MOVABLE : MIGRATE_RECLAIMABLE),
				before + 1);
		page = alloc_pages(GFP_KERNEL | (type ? __GFP_MOVABLE : __GFP_RECLAIMABLE), 0);
		pageblock_convert(page, MIGRATE_HIGHATOMIC);
	}
	__free_page(page);
	drain_all_pages(NULL);
	zones_check_lists(test);
}

static void huge_blocks(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_TRANSHUGE, 9), *other = alloc_pages(GFP_KERNEL, 9);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_NOT_NULL(test, other);
	put_page(page);
	__free_pages(other, 9);
	/* Among many CPUs there is no room for them. */
	if (zone_at(0, ZONE_NORMAL)->pcp_high_min >= 512) {
		KUNIT_EXPECT_GE(test, list_pages(9 * MIGRATE_PCPTYPES + MIGRATE_MOVABLE), 1);
		KUNIT_EXPECT_GE(test, list_pages(9 * MIGRATE_PCPTYPES + MIGRATE_UNMOVABLE), 1);
	}
	KUNIT_EXPECT_PTR_EQ(test, alloc_pages(GFP_TRANSHUGE, 9), page);
	KUNIT_EXPECT_PTR_EQ(test, alloc_pages(GFP_KERNEL, 9), other);
	put_page(page);
	__free_pages(other, 9);
	drain_all_pages(NULL);
	zones_check_whole(test);
}

/* The pages on all lists are bounded, however many are freed. */
static void bounded(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++)
		hoard_take(&hoard, GFP_KERNEL, order, -1, NULL, 5000);
	for (unsigned int order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++)
		while (!list_empty(&hoard.blocks[order])) {
			struct list_head *blocks = &hoard.blocks[order];
			struct page *page = list_first_entry(blocks, struct page, lru);

			list_del(&page->lru);
			__free_pages(page, order);
		}
	for (unsigned int i = 0; i < NR_PCP_LISTS; i++)
		KUNIT_EXPECT_LE(test, list_pages(i), z->pcp_capacity[i]);
	KUNIT_EXPECT_LE(test, pcp_zone_pages(z), 511 + 2 * 127 + 4 * 63 + 8 * 31);
	KUNIT_EXPECT_GT(test, z->pcp_spills, 10);
	drain_all_pages(NULL);
	zones_check_whole(test);
}

/* A CPU that never allocated keeps the first pages that it frees. */
static void frees_first(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 5);

	KUNIT_ASSERT_NOT_NULL(test, page);
	split_page(page, 5);
	for (unsigned int i = 0; i < 32; i++)
		__free_page(page + i);
	KUNIT_EXPECT_GT(test, list_pages(MIGRATE_UNMOVABLE), 16);
	drain_all_pages(NULL);
	zones_check_whole(test);
}

/* high is pages, whatever the order of the list's blocks. */
static void few_blocks(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned int slot = (unsigned int)percpu_current_slot();
	struct pcp_counts counts;
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take(&hoard, GFP_KERNEL, PAGE_ALLOC_COSTLY_ORDER, -1, NULL, 4);
	pcp_counts_read(z, slot, &counts);
	KUNIT_ASSERT_LT(test, counts.high, 4 << PAGE_ALLOC_COSTLY_ORDER);
	while (!list_empty(&hoard.blocks[PAGE_ALLOC_COSTLY_ORDER])) {
		struct list_head *blocks = &hoard.blocks[PAGE_ALLOC_COSTLY_ORDER];
		struct page *page = list_first_entry(blocks, struct page, lru);

		list_del(&page->lru);
		__free_pages(page, PAGE_ALLOC_COSTLY_ORDER);
		KUNIT_ASSERT_LE(test, list_pages(PAGE_ALLOC_COSTLY_ORDER * MIGRATE_PCPTYPES)
				      << PAGE_ALLOC_COSTLY_ORDER, counts.high);
	}
	drain_all_pages(NULL);
	zones_check_whole(test);
}

/* A list that overflows keeps half of its blocks at least. */
static void spills(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long before = 0, now;
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take(&hoard, GFP_KERNEL, 0, -1, NULL, 3000);
	drain_all_pages(NULL);
	z->pcp_spills = 0;
	while (!list_empty(&hoard.blocks[0])) {
		unsigned long spilt = z->pcp_spills;
		struct page *page = list_first_entry(&hoard.blocks[0], struct page, lru);

		list_del(&page->lru);
		__free_page(page);
		now = list_pages(MIGRATE_UNMOVABLE);
		if (z->pcp_spills > spilt)
			KUNIT_ASSERT_GE(test, now, before - before / 2);
		else
			KUNIT_ASSERT_EQ(test, now, before + 1);
		before = now;
	}
	KUNIT_EXPECT_GT(test, z->pcp_spills, 0);
	drain_all_pages(NULL);
	zones_check_whole(test);
}

/* Each CPU belongs to one node, so a zone is shared by those of its own. */
static void high_of_nodes(struct kunit *test)
{
	const struct zone *z = zone_at(1, ZONE_NORMAL);
	unsigned int nr_cpus = max(percpu_nr_slots() / 2, 1u);
	int most = (int)(z->managed_pages / 8 / nr_cpus);

	KUNIT_EXPECT_EQ(test, z->pcp_high_max, max(most, 4 * z->pcp_batch));
}

/* No run of allocations or frees is under way. */
static void forget_tuning(struct zone *z)
{
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		memset(percpu_ptr(z->pcp_tuning, slot), 0, sizeof(struct pcp_tuning));
}

/* Leaves so many pages that a batch would just bring the zone to its low mark, or just not. */
static void refill_at_low(struct kunit *test, unsigned int order)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long low = wmark_pages(z, WMARK_LOW);
	unsigned long batch = order ? 2 : (unsigned long)z->pcp_batch;

	for (unsigned long more = 0; more < 2; more++) {
		unsigned long left = low + (batch << order) + more;
		struct hoard hoard;
		struct page *page;

		hoard_init(&hoard);
		hoard_take(&hoard, GFP_NOWAIT, 0, -1, NULL,
			   z->free_pages + pcp_zone_pages(z) - left);
		drain_all_pages(NULL);
		KUNIT_ASSERT_EQ(test, z->free_pages, left);
		forget_tuning(z);
		page = alloc_pages(GFP_NOWAIT, order);
		KUNIT_ASSERT_NOT_NULL(test, page);
		KUNIT_EXPECT_EQ_MSG(test, pcp_zone_pages(z), more ? (batch - 1) << order : 0,
				    "order %u, %lu pages", order, left);
		__free_pages(page, order);
		hoard_give_all(&hoard);
	}
	zones_check_whole(test);
}

static void refills_at_low(struct kunit *test)
{
	for (unsigned int order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++)
		refill_at_low(test, order);
}

/* The lists that a small process uses lie on the page with the tuning. */
static void first_list_is_near(struct kunit *test)
{
	const struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long tuning = (unsigned long)z->pcp_tuning;
	unsigned long list = (unsigned long)list_of(z, list_index(PAGE_ALLOC_COSTLY_ORDER,
								  MIGRATE_UNMOVABLE));

	KUNIT_ASSERT_NE(test, list, 0);
	KUNIT_EXPECT_EQ(test, list / PAGE_SIZE, tuning / PAGE_SIZE);
}

static void test_pcp_lists(struct kunit *test)
{
	zones_run(test, "nodes=1", first_list_is_near);
	zones_run(test, "zone_normal=1G", frees_first);
	zones_run(test, "zone_normal=64M:simulated_cpus=64", few_blocks);
	zones_run(test, "zone_normal=1G", spills);
	zones_run(test, "zone_normal=64M", spills);
	zones_run(test, "nodes=2:zone_normal=1G", high_of_nodes);
	zones_run(test, "zone_normal=64M", refills_at_low);
	zones_run(test, "zone_normal=1G", refills);
	zones_run(test, "zone_normal=1G", lists_by_type);
	zones_run(test, "zone_normal=4G", huge_blocks);
	zones_run(test, "zone_normal=1G", bounded);
}

static void drain_one_zone(struct kunit *test)
{
	struct zone *dma32 = zone_at(0, ZONE_DMA32), *normal = zone_at(0, ZONE_NORMAL);

	for (unsigned int all = 0; all < 2; all++) {
		void (*drain)(struct zone *z) = all ? drain_all_pages : drain_local_pages;
		struct page *low = alloc_page(GFP_DMA32), *high = alloc_page(GFP_KERNEL);

		__free_page(low);
		__free_page(high);
		KUNIT_EXPECT_GT(test, pcp_zone_pages(dma32), 0);
		KUNIT_EXPECT_GT(test, pcp_zone_pages(normal), 0);
		drain(dma32);
		KUNIT_EXPECT_EQ(test, pcp_zone_pages(dma32), 0);
		KUNIT_EXPECT_GT(test, pcp_zone_pages(normal), 0);
		drain(normal);
		KUNIT_EXPECT_EQ(test, pcp_zone_pages(normal), 0);
	}
	zones_check_whole(test);
}

static void test_pcp_drain_one_zone(struct kunit *test)
{
	zones_run(test, "zone_dma32=512M:zone_normal=1G", drain_one_zone);
}

static struct kunit_case pcp_cases[] = {
	KUNIT_CASE(test_pcp_batch),
	KUNIT_CASE(test_pcp_high),
	KUNIT_CASE(test_pcp_alloc_scales),
	KUNIT_CASE(test_pcp_alloc_by_order),
	KUNIT_CASE(test_pcp_below_high),
	KUNIT_CASE(test_pcp_free_scales),
	KUNIT_CASE(test_pcp_lists),
	KUNIT_CASE(test_pcp_drain_one_zone),
	{ 0 },
};

static struct kunit_suite pcp_suite = {
	.name = "pcp",
	.test_cases = pcp_cases,
};

kunit_test_suite(pcp_suite);
