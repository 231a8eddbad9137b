/* SPDX-License-Identifier: MIT */
/*
 * Migrate types: every allocation is compared with a model of the rules, which sees the free lists
 * before it and says how they must be after it. Also pageblocks of the other kinds.
 */
#include "mm/page_flags.h"
#include "page/migratetype.h"
#include "page/pageblock.h"
#include "page/zonelist.h"
#include "support/kernel.h"
#include "support/prng.h"
#include "support/zones.h"

#define HALF_BLOCK (PAGEBLOCK_PAGES / 2)
/* May wait, and wakes nobody: boosts stay where they are. */
#define GFP_QUIET (__GFP_DIRECT_RECLAIM | __GFP_IO | __GFP_FS | __GFP_NOWARN)

static const gfp_t gfp_of_type[MIGRATE_PCPTYPES] = {
	[MIGRATE_UNMOVABLE] = 0,
	[MIGRATE_MOVABLE] = __GFP_MOVABLE,
	[MIGRATE_RECLAIMABLE] = __GFP_RECLAIMABLE,
};

static struct zone *normal_zone(void)
{
	return zone_at(0, ZONE_NORMAL);
}

/* --- The model --------------------------------------------------------------------- */

struct model {
	unsigned long nr[NR_PAGE_ORDERS][MIGRATE_TYPES];	/* free blocks */
	enum migratetype type[64];				/* of pageblocks */
	unsigned long boost, claims, steals;
};

static void model_read(struct model *m)
{
	const struct zone *z = normal_zone();

	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
			m->nr[order][type] = z->free_area[order].nr_of_type[type];
	for (unsigned long i = 0; i < z->managed_pages / PAGEBLOCK_PAGES; i++)
		m->type[i] = get_pageblock_migratetype(pfn_to_page(i * PAGEBLOCK_PAGES));
	m->boost = z->watermark_boost;
	m->claims = z->claims;
	m->steals = z->steals;
}

static void model_expect_equal(struct kunit *test, const struct model *m, const char *what)
{
	struct model now = { 0 };

	model_read(&now);
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
			KUNIT_ASSERT_EQ_MSG(test, now.nr[order][type], m->nr[order][type],
					    "%s: order %u, type %u", what, order, type);
	for (unsigned int i = 0; i < ARRAY_SIZE(now.type); i++)
		KUNIT_ASSERT_EQ_MSG(test, now.type[i], m->type[i], "%s: pageblock %u", what, i);
	KUNIT_ASSERT_EQ_MSG(test, now.boost, m->boost, "%s", what);
	KUNIT_ASSERT_EQ_MSG(test, now.claims, m->claims, "%s", what);
	KUNIT_ASSERT_EQ_MSG(test, now.steals, m->steals, "%s", what);
}

static void model_cut(struct model *m, unsigned int from, unsigned int order, unsigned int type)
{
	m->nr[from][type]--;
	while (from > order)
		m->nr[--from][type]++;
}

/* The other types, in the order in which their lists are tried. */
static const char fallback_order[MIGRATE_PCPTYPES][2] = {
	{ MIGRATE_RECLAIMABLE, MIGRATE_MOVABLE },	/* UNMOVABLE */
	{ MIGRATE_RECLAIMABLE, MIGRATE_UNMOVABLE },	/* MOVABLE */
	{ MIGRATE_UNMOVABLE, MIGRATE_MOVABLE },		/* RECLAIMABLE */
};

static int model_other(const struct model *m, unsigned int order, unsigned int type)
{
	for (unsigned int i = 0; i < 2; i++)
		if (m->nr[order][(int)fallback_order[type][i]])
			return fallback_order[type][i];
	return -1;
}

static bool model_own(struct model *m, unsigned int order, unsigned int type)
{
	for (unsigned int from = order; from < NR_PAGE_ORDERS; from++)
		if (m->nr[from][type]) {
			model_cut(m, from, order, type);
			return true;
		}
	return false;
}

static void model_boost(struct model *m)
{
	const struct zone *z = normal_zone();
	unsigned long most = z->watermark[WMARK_HIGH] * 3 / 2;

	if (most < 512)
		most = 512;
	if (z->managed_pages >= 4 * 512)
		m->boost = m->boost + 512 < most ? m->boost + 512 : most;
}

/* The pageblock of a block that is smaller; are its free blocks now the type's? */
static bool model_claim_part(struct model *m, struct page *page, unsigned int other,
			     unsigned int type)
{
	struct page *start = pfn_to_page(page_to_pfn(page) & ~511UL);
	unsigned long free_pages = 0, nr[NR_PAGE_ORDERS] = { 0 };

	model_boost(m);
	for (unsigned long i = 0; i < 512; i++)
		if (page_flags(start + i) & PG_buddy) {
			nr[start[i].order]++;
			free_pages += 1UL << start[i].order;
		}
	if (free_pages < HALF_BLOCK && (type == MIGRATE_MOVABLE || other != MIGRATE_MOVABLE))
		return false;
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		m->nr[order][other] -= nr[order];
		m->nr[order][type] += nr[order];
	}
	m->type[page_to_pfn(start) / 512] = type;
	m->claims++;
	return true;
}

static bool model_claim(struct model *m, unsigned int order, unsigned int type)
{
	for (int from = MAX_PAGE_ORDER; from >= (int)order; from--) {
		int other = model_other(m, (unsigned int)from, type);
		struct page *page;

		if (other < 0)
			continue;
		if (from < 4 && type == MIGRATE_MOVABLE)
			return false;
		page = list_first_entry(&normal_zone()->free_area[from].free_list[other],
					struct page, lru);
		if (from >= 9) {
			for (unsigned long i = 0; i < 1UL << (from - 9); i++)
				m->type[page_to_pfn(page) / 512 + i] = type;
			m->nr[from][other]--;
			m->nr[from][type]++;
			m->claims++;
			model_cut(m, (unsigned int)from, order, type);
			return true;
		}
		if (model_claim_part(m, page, (unsigned int)other, type))
			return model_own(m, order, type);
	}
	return false;
}

static void model_steal(struct model *m, unsigned int order, unsigned int type)
{
	for (unsigned int from = order; from < NR_PAGE_ORDERS; from++) {
		int other = model_other(m, from, type);

		if (other >= 0) {
			m->steals++;
			model_cut(m, from, order, (unsigned int)other);
			return;
		}
	}
}

static void model_alloc(struct model *m, unsigned int order, unsigned int type)
{
	if (!model_own(m, order, type) && !model_claim(m, order, type))
		model_steal(m, order, type);
}

/* --- Against it --------------------------------------------------------------------- */

#define NR_HELD 8192

struct held {
	struct page *page;
	unsigned int order;
};

static void run_model(struct kunit *test)
{
	static struct held held[NR_HELD];
	struct prng prng = { 5 };
	unsigned long in_use = 0, most = 0, steals;

	KUNIT_ASSERT_FALSE(test, page_group_by_mobility_disabled);
	for (unsigned int step = 0; step < 200000; step++) {
		struct held *h = &held[prng_below(&prng, NR_HELD)];
		unsigned int type = prng_below(&prng, MIGRATE_PCPTYPES);
		unsigned int order = prng_below(&prng, prng_one_in(&prng, 50) ? 11 : 4);
		unsigned int wave = step / 10000;
		struct model m = { 0 };

		/* In waves: nearly full, with more of one type each time, then half empty. */
		most = wave % 2 ? MIB_PAGES(24) : MIB_PAGES(61);
		if (!prng_one_in(&prng, 5))
			type = wave / 2 % MIGRATE_PCPTYPES;
		if (h->page) {
			if (in_use > most || prng_one_in(&prng, 10)) {
				__free_pages(h->page, h->order);
				in_use -= 1UL << h->order;
				h->page = NULL;
			}
			continue;
		}
		if (in_use + (1UL << order) > most)
			continue;
		model_read(&m);
		model_alloc(&m, order, type);
		h->page = alloc_pages(GFP_QUIET | gfp_of_type[type], order);
		if (!h->page)	/* too mixed for a large block */
			continue;
		h->order = order;
		in_use += 1UL << order;
		model_expect_equal(test, &m, "alloc");
		if (step % 500 == 0)
			zones_check_lists(test);
	}
	steals = normal_zone()->steals;
	KUNIT_EXPECT_GT(test, normal_zone()->claims, 100);
	KUNIT_EXPECT_GT(test, steals, 100);
	for (unsigned int i = 0; i < NR_HELD; i++)
		if (held[i].page)
			__free_pages(held[i].page, held[i].order);
	zones_check_whole(test);
}

static void test_migratetype_model(struct kunit *test)
{
	zones_run(test, "zone_normal=64M:pcp=off", run_model);
}

/* --- Directed ------------------------------------------------------------------------- */

/* The first block of each type claims memory of its own; freed pages go back to it. */
static void own_pageblocks(struct kunit *test)
{
	struct page *pages[MIGRATE_PCPTYPES];

	for (unsigned int type = 0; type < MIGRATE_PCPTYPES; type++) {
		pages[type] = alloc_pages(GFP_KERNEL | gfp_of_type[type], 0);
		KUNIT_ASSERT_NOT_NULL(test, pages[type]);
		KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(pages[type]), type);
	}
	for (unsigned int type = 0; type < MIGRATE_PCPTYPES; type++) {
		struct page *page = pages[type];

		__free_page(page);
		KUNIT_EXPECT_PTR_EQ_MSG(test, alloc_pages(GFP_KERNEL | gfp_of_type[type], 0), page,
					"last in, first out, by type");
		__free_page(page);
	}
	drain_all_pages(NULL);
	zones_check_whole(test);
}

/* Memory that is too small to be divided has one type. */
static void no_grouping(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, page_group_by_mobility_disabled);
	for (unsigned int type = 0; type < MIGRATE_PCPTYPES; type++) {
		struct page *page = alloc_pages(GFP_KERNEL | gfp_of_type[type], 0);

		KUNIT_ASSERT_NOT_NULL(test, page);
		KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(page), MIGRATE_UNMOVABLE);
		__free_page(page);
	}
}

/* Rather another zone than other types' pageblocks; then those after all. */
static void no_fragment(struct kunit *test)
{
	struct zone *dma32 = zone_at(0, ZONE_DMA32);
	unsigned long claims;
	struct page *page;
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take(&hoard, GFP_QUIET | __GFP_MOVABLE, 0, -1, NULL, MIB_PAGES(16) - 300);
	KUNIT_ASSERT_EQ(test, normal_zone()->free_pages, 300);
	claims = normal_zone()->claims;
	while ((page = alloc_pages(GFP_QUIET, 0)) && page_zone(page) == dma32)
		list_add(&page->lru, &hoard.blocks[0]);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_PTR_EQ(test, page_zone(page), normal_zone());
	KUNIT_EXPECT_EQ(test, dma32->free_pages,
			dma32->watermark[WMARK_LOW] + dma32->lowmem_reserve[ZONE_NORMAL]);
	KUNIT_EXPECT_EQ(test, normal_zone()->claims, claims + 1);
	__free_page(page);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_migratetype_directed(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", own_pageblocks);
	zones_run(test, "zone_normal=64M:pcp=off", own_pageblocks);
	zones_run(test, "limit=64M:reserve=64M", own_pageblocks);
	zones_run(test, "zone_normal=8M", no_grouping);
	zones_run(test, "zone_dma32=8M:zone_normal=16M:pcp=off", no_fragment);
}

/* --- The reserve for atomic requests ----------------------------------------------------- */

static void highatomic(struct kunit *test)
{
	struct zone *z = normal_zone();
	unsigned long min = z->watermark[WMARK_MIN], most = 2 * PAGEBLOCK_PAGES;
	struct alloc_context ac;
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_NOWAIT, 1);
	KUNIT_ASSERT_GT(test, z->free_pages, min - 2);
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, 0);
	/* Their pageblocks are kept, and no more than a hundredth of the zone. */
	for (unsigned int i = 0; i < 8; i++) {
		struct page *page = alloc_pages(GFP_ATOMIC, 1);

		KUNIT_ASSERT_NOT_NULL(test, page);
		if (i < 1)
			KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(page), MIGRATE_HIGHATOMIC);
		list_add(&page->lru, &hoard.blocks[1]);
		KUNIT_EXPECT_GE(test, z->nr_reserved_highatomic, PAGEBLOCK_PAGES);
		KUNIT_EXPECT_LE(test, z->nr_reserved_highatomic, most);
		zones_check_lists(test);
	}
	hoard_give_all(&hoard);
	zones_check_lists(test);
	KUNIT_EXPECT_GT(test, z->nr_free_highatomic, 0);
	KUNIT_EXPECT_EQ(test, z->free_pages, z->managed_pages);

	/*
	 * A request that may wait does not get them, and they do not count for it. As a last resort
	 * it breaks up all but the last.
	 */
	hoard_take_all(&hoard, GFP_QUIET | __GFP_NORETRY, 0);
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, z->nr_free_highatomic, PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, z->free_pages, min + PAGEBLOCK_PAGES);
	/* A request that may not wait gets them when there is nothing else. */
	KUNIT_EXPECT_EQ(test, hoard_take_all(&hoard, GFP_NOWAIT, 0), PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, z->free_pages, min);
	hoard_give_all(&hoard);
	alloc_context_prepare(&ac, GFP_KERNEL, -1, NULL);
	KUNIT_EXPECT_FALSE(test, unreserve_highatomic_pageblock(&ac, false));
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, PAGEBLOCK_PAGES);
	zones_check_lists(test);
	KUNIT_EXPECT_TRUE(test, unreserve_highatomic_pageblock(&ac, true));
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, 0);
	KUNIT_EXPECT_EQ(test, z->nr_free_highatomic, 0);
	/* All is free, though pageblocks that became alike again were not joined. */
	zones_check_lists(test);
	KUNIT_EXPECT_EQ(test, z->free_pages, z->managed_pages);
}

/* A hundredth of a zone that is less than a pageblock is nothing. */
static void highatomic_small(struct kunit *test)
{
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	KUNIT_EXPECT_GT(test, hoard_take_all(&hoard, GFP_ATOMIC, 0), 0);
	hoard_take_all(&hoard, GFP_ATOMIC, 1);
	KUNIT_EXPECT_EQ(test, normal_zone()->nr_reserved_highatomic, 0);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_migratetype_highatomic(struct kunit *test)
{
	zones_run(test, "zone_normal=256M:pcp=off", highatomic);
	zones_run(test, "zone_normal=64M:pcp=off", highatomic_small);
}

/* --- Other kinds -------------------------------------------------------------------------- */

/* Isolated pageblocks: their free pages do not count, and nobody gets them. */
static void isolate(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 0), *block = pageblock_start(page);
	struct zone *z = normal_zone();
	struct hoard hoard;

	hoard_init(&hoard);
	drain_all_pages(NULL);
	KUNIT_EXPECT_EQ(test, z->free_pages, z->managed_pages - 1);
	/* There is room for it on every list. */
	for (unsigned int type = 0; type < MIGRATE_PCPTYPES; type++)
		__free_page(alloc_page(GFP_KERNEL | gfp_of_type[type]));
	drain_all_pages(NULL);
	pageblock_convert(page, MIGRATE_ISOLATE);
	KUNIT_EXPECT_EQ(test, z->free_pages, z->managed_pages - PAGEBLOCK_PAGES);
	zones_check_lists(test);
	__free_page(page);
	KUNIT_EXPECT_EQ_MSG(test, z->free_area[PAGEBLOCK_ORDER].nr_of_type[MIGRATE_ISOLATE], 1,
			    "not on a CPU's list");
	KUNIT_EXPECT_EQ(test, z->free_pages, z->managed_pages - PAGEBLOCK_PAGES);
	for (unsigned int type = 0; type < MIGRATE_PCPTYPES; type++)
		hoard_take_all(&hoard, __GFP_MEMALLOC | gfp_of_type[type], 0);
	KUNIT_EXPECT_EQ(test, z->free_pages, 0);
	list_for_each_entry(page, &hoard.blocks[0], lru)
		KUNIT_ASSERT_FALSE(test, pageblock_start(page) == block);
	hoard_give_all(&hoard);
	zones_check_lists(test);
	pageblock_convert(block, MIGRATE_MOVABLE);
	KUNIT_EXPECT_EQ(test, z->free_pages, z->managed_pages);
	zones_check_lists(test);
}

/* CMA pageblocks serve movable pages alone, and these come from CMA and other pageblocks alike. */
static void cma(struct kunit *test)
{
	struct zone *z = normal_zone();
	unsigned long min = z->watermark[WMARK_MIN];
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int i = 0; i < 16; i++)
		pageblock_convert(pfn_to_page(i * PAGEBLOCK_PAGES), MIGRATE_CMA);
	KUNIT_EXPECT_EQ(test, z->nr_free_cma, MIB_PAGES(32));
	zones_check_lists(test);
	hoard_take(&hoard, GFP_NOWAIT | __GFP_MOVABLE, 0, -1, NULL, MIB_PAGES(32));
	KUNIT_EXPECT_GE(test, z->nr_free_cma, MIB_PAGES(16) - 1);
	KUNIT_EXPECT_LE(test, z->nr_free_cma, MIB_PAGES(16) + 1);
	hoard_give_all(&hoard);
	zones_check_lists(test);
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	KUNIT_EXPECT_EQ(test, z->nr_free_cma, MIB_PAGES(32));
	KUNIT_EXPECT_EQ(test, z->free_pages, MIB_PAGES(32) + min);
	hoard_take_all(&hoard, GFP_NOWAIT | __GFP_MOVABLE, 0);
	KUNIT_EXPECT_EQ(test, z->free_pages, min);
	hoard_give_all(&hoard);
	zones_check_lists(test);
	KUNIT_EXPECT_EQ(test, z->nr_free_cma, MIB_PAGES(32));
}

static void test_migratetype_isolate_and_cma(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", isolate);
	zones_run(test, "zone_normal=64M:pcp=off", cma);
}

static struct kunit_case migratetype_cases[] = {
	KUNIT_CASE_SLOW(test_migratetype_model),
	KUNIT_CASE(test_migratetype_directed),
	KUNIT_CASE(test_migratetype_highatomic),
	KUNIT_CASE(test_migratetype_isolate_and_cma),
	{ 0 },
};

static struct kunit_suite migratetype_suite = {
	.name = "migratetype",
	.test_cases = migratetype_cases,
};

kunit_test_suite(migratetype_suite);
