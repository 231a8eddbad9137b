/* SPDX-License-Identifier: MIT */
/* The arithmetic of marks and reserves, on zones that exist only here. */
#include "page/gfp.h"
#include "page/watermark.h"
#include "page/zone.h"
#include "support/kernel.h"
#include "support/prng.h"

#define KIB_PAGES(kib) ((unsigned long)(kib) / 4)
#define MIB_PAGES(mib) KIB_PAGES((mib) * 1024UL)

static struct zone zone_of(unsigned long managed)
{
	struct zone z = { .managed_pages = managed, .index = ZONE_NORMAL };

	zone_set_watermarks(&z, min_free_pages(managed), managed);
	return z;
}

/* The test with the mark that the flags name, of a request for Normal pages. */
static bool is_ok(const struct zone *z, unsigned int order, unsigned int flags)
{
	return zone_watermark_ok(z, order, wmark_pages(z, flags & ALLOC_WMARK_MASK), ZONE_NORMAL,
				 flags);
}

/* Linux's own figures: 16 MB -> 512 kB, 1 GB -> 4096 kB, 16 GB -> 16384 kB. */
static void test_watermark_min_free_kbytes(struct kunit *test)
{
	static const struct {
		unsigned long managed, min_kib;
	} rows[] = {
		{ MIB_PAGES(4), 256 },		/* the root of 4096 * 16 */
		{ MIB_PAGES(16), 512 },
		{ MIB_PAGES(64), 1024 },
		{ MIB_PAGES(256), 2048 },
		{ MIB_PAGES(1024), 4096 },
		{ MIB_PAGES(16 * 1024), 16384 },
		{ MIB_PAGES(256), 2048 },
		{ KIB_PAGES(512), 128 },	/* the smallest */
		{ 1UL << 36, 262144 },		/* the largest */
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct zone z = zone_of(rows[i].managed);

		KUNIT_EXPECT_EQ_MSG(test, z.watermark[WMARK_MIN], KIB_PAGES(rows[i].min_kib),
				    "%lu pages", rows[i].managed);
	}
}

static unsigned long root(unsigned long x)
{
	unsigned long low = 0, high = 1UL << 32;

	while (high - low > 1) {
		unsigned long middle = (low + high) / 2;

		if (middle <= x / middle)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void test_watermark_formulas(struct kunit *test)
{
	struct prng prng = { 11 };

	for (unsigned int i = 0; i < 20000; i++) {
		unsigned long managed = 1024 + (prng_u64(&prng) >> (28 + i % 24));
		struct zone z = zone_of(managed);
		unsigned long kib = root(managed * 4 * 16), min, delta;

		kib = kib < 128 ? 128 : kib > 262144 ? 262144 : kib;
		min = kib / 4;
		delta = min / 4;
		if (managed * 10 / 10000 > delta)
			delta = managed * 10 / 10000;
		KUNIT_ASSERT_EQ_MSG(test, z.watermark[WMARK_MIN], min, "%lu pages", managed);
		KUNIT_ASSERT_EQ_MSG(test, z.watermark[WMARK_LOW], min + delta, "%lu pages",
				    managed);
		KUNIT_ASSERT_EQ_MSG(test, z.watermark[WMARK_HIGH], min + 2 * delta,
				    "%lu pages", managed);
	}
}

/* The mark that a request really has to stay above, in Linux's words. */
static long model_mark(const struct zone *z, unsigned int flags)
{
	long min = (long)z->watermark[flags & ALLOC_WMARK_MASK];

	if (flags & ALLOC_MIN_RESERVE) {
		min -= min / 2;
		if (flags & ALLOC_NON_BLOCK)
			min -= min / 4;
	}
	if (flags & ALLOC_OOM)
		min -= min / 2;
	return min;
}

static const unsigned int reserve_bits[] = {
	ALLOC_MIN_RESERVE, ALLOC_NON_BLOCK, ALLOC_OOM, ALLOC_HIGHATOMIC, ALLOC_CPUSET,
	ALLOC_KSWAPD,
};

static unsigned int flags_of(unsigned int mark, unsigned int subset)
{
	unsigned int flags = mark;

	for (unsigned int i = 0; i < ARRAY_SIZE(reserve_bits); i++)
		if (subset >> i & 1)
			flags |= reserve_bits[i];
	return flags;
}

static void test_watermark_ok_every_flag(struct kunit *test)
{
	struct zone z = zone_of(MIB_PAGES(1024));

	for (unsigned int mark = ALLOC_WMARK_MIN; mark <= ALLOC_WMARK_HIGH; mark++)
		for (unsigned int subset = 0; subset < 1u << ARRAY_SIZE(reserve_bits); subset++) {
			unsigned int flags = flags_of(mark, subset);
			long min = model_mark(&z, flags);

			for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
				z.free_pages = (unsigned long)min + (1UL << order) - 1;
				KUNIT_ASSERT_FALSE_MSG(test, is_ok(&z, order, flags),
						       "flags %#x, order %u", flags, order);
				z.free_pages++;
				KUNIT_ASSERT_TRUE_MSG(test, is_ok(&z, order, flags),
						      "flags %#x, order %u", flags, order);
			}
		}
}

static void test_watermark_shares_of_the_reserve(struct kunit *test)
{
	struct zone z = zone_of(MIB_PAGES(1024));
	long min = (long)z.watermark[WMARK_MIN];

	KUNIT_ASSERT_EQ(test, min % 8, 0);
	KUNIT_EXPECT_EQ(test, model_mark(&z, gfp_to_alloc_flags(GFP_KERNEL, 0)), min);
	KUNIT_EXPECT_EQ(test, model_mark(&z, gfp_to_alloc_flags(GFP_NOWAIT, 0)), min);
	KUNIT_EXPECT_EQ(test, model_mark(&z, gfp_to_alloc_flags(GFP_ATOMIC, 0)), min * 3 / 8);
	KUNIT_EXPECT_EQ(test, model_mark(&z, gfp_to_alloc_flags(GFP_KERNEL | __GFP_HIGH, 0)),
			min / 2);
}

/* Blocks of a type count for those who may have them, whatever the free pages say. */
static void test_watermark_needs_a_block(struct kunit *test)
{
	static const struct {
		enum migratetype type;
		unsigned int flags;	/* that it takes */
	} rows[] = {
		{ MIGRATE_UNMOVABLE, 0 }, { MIGRATE_MOVABLE, 0 }, { MIGRATE_RECLAIMABLE, 0 },
		{ MIGRATE_CMA, ALLOC_CMA }, { MIGRATE_HIGHATOMIC, ALLOC_HIGHATOMIC },
		{ MIGRATE_HIGHATOMIC, ALLOC_OOM },
	};
	struct zone z = zone_of(MIB_PAGES(64));

	z.present_pages = z.managed_pages;
	z.free_pages = z.managed_pages;
	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++) {
		KUNIT_EXPECT_FALSE(test, is_ok(&z, order, ALLOC_CMA | ALLOC_OOM));
		for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
			unsigned long *nr = &z.free_area[order].nr_of_type[rows[i].type];

			*nr = 1;
			KUNIT_EXPECT_EQ(test, is_ok(&z, order, 0), !rows[i].flags);
			KUNIT_EXPECT_TRUE(test, is_ok(&z, order, rows[i].flags));
			/*
			 * The right to use reserve pages does not include the blocks of the atomic
			 * reserve.
			 */
			KUNIT_EXPECT_EQ(test, is_ok(&z, order, ALLOC_NON_BLOCK | ALLOC_MIN_RESERVE),
					!rows[i].flags);
			KUNIT_EXPECT_TRUE(test, is_ok(&z, order - 1, rows[i].flags));
			if (order < MAX_PAGE_ORDER)
				KUNIT_EXPECT_FALSE(test, is_ok(&z, order + 1, rows[i].flags));
			*nr = 0;
		}
		KUNIT_EXPECT_TRUE_MSG(test, is_ok(&z, 0, 0), "order 0 needs none");
	}
	z.present_pages -= 1UL << MAX_PAGE_ORDER;
	KUNIT_EXPECT_TRUE_MSG(test, is_ok(&z, MAX_PAGE_ORDER, 0), "budget that is not online");
}

/* Free pages that are kept for others do not count. */
static void test_watermark_unusable(struct kunit *test)
{
	struct zone z = zone_of(MIB_PAGES(64));
	long low = (long)z.watermark[WMARK_LOW];

	z.nr_free_highatomic = 100;
	z.nr_free_cma = 1000;
	for (unsigned int reserves = 0; reserves < 2; reserves++)
		for (unsigned int cma = 0; cma < 2; cma++) {
			unsigned int flags = ALLOC_WMARK_LOW | (reserves ? ALLOC_HIGHATOMIC : 0) |
					     (cma ? ALLOC_CMA : 0);
			long least = low + (reserves ? 0 : 100) + (cma ? 0 : 1000);

			z.free_pages = (unsigned long)least;
			KUNIT_EXPECT_FALSE(test, is_ok(&z, 0, flags));
			z.free_pages++;
			KUNIT_EXPECT_TRUE(test, is_ok(&z, 0, flags));
		}
	z.free_pages = 50;	/* fewer than are kept: below zero, and no wrap */
	KUNIT_EXPECT_FALSE(test, is_ok(&z, 0, ALLOC_WMARK_MIN));
}

/* A boost raises every mark; at the last one an urgent page may ignore it. */
static void test_watermark_boost(struct kunit *test)
{
	struct zone z = zone_of(MIB_PAGES(64));
	unsigned long min = z.watermark[WMARK_MIN];

	z.watermark_boost = 512;
	for (unsigned int mark = WMARK_MIN; mark < NR_WMARK; mark++)
		KUNIT_EXPECT_EQ(test, wmark_pages(&z, mark), z.watermark[mark] + 512);
	z.free_pages = min + 512;
	KUNIT_EXPECT_FALSE(test, zone_watermark_fast(&z, 0, ZONE_NORMAL, ALLOC_WMARK_MIN));
	KUNIT_EXPECT_FALSE(test, zone_watermark_fast(&z, 0, ZONE_NORMAL,
						     ALLOC_WMARK_MIN | ALLOC_NON_BLOCK));
	z.free_pages = min - min / 2 + 1;
	KUNIT_EXPECT_TRUE(test, zone_watermark_fast(&z, 0, ZONE_NORMAL,
						    ALLOC_WMARK_MIN | ALLOC_MIN_RESERVE));
	KUNIT_EXPECT_FALSE(test, zone_watermark_fast(&z, 1, ZONE_NORMAL,
						     ALLOC_WMARK_MIN | ALLOC_MIN_RESERVE));
	KUNIT_EXPECT_FALSE(test, zone_watermark_fast(&z, 0, ZONE_NORMAL,
						     ALLOC_WMARK_LOW | ALLOC_MIN_RESERVE));
	z.free_pages--;
	KUNIT_EXPECT_FALSE(test, zone_watermark_fast(&z, 0, ZONE_NORMAL,
						     ALLOC_WMARK_MIN | ALLOC_MIN_RESERVE));
}

/* A Movable zone keeps little, but its marks lie as far apart as others'. */
static void test_watermark_movable(struct kunit *test)
{
	static const unsigned long mib[] = { 4, 32, 128, 200, 512, 4096 };

	for (unsigned int i = 0; i < ARRAY_SIZE(mib); i++) {
		struct zone z = { .managed_pages = MIB_PAGES(mib[i]), .index = ZONE_MOVABLE };
		unsigned long min = z.managed_pages / 1024, delta = 1000 / 4;

		zone_set_watermarks(&z, 1000, z.managed_pages);
		min = min < 32 ? 32 : min > 128 ? 128 : min;
		if (z.managed_pages / 1000 > delta)
			delta = z.managed_pages / 1000;
		KUNIT_EXPECT_EQ(test, z.watermark[WMARK_MIN], min);
		KUNIT_EXPECT_EQ(test, z.watermark[WMARK_LOW], min + delta);
		KUNIT_EXPECT_EQ(test, z.watermark[WMARK_HIGH], min + 2 * delta);
		KUNIT_EXPECT_EQ(test, z.watermark[WMARK_PROMO], min + 3 * delta);
	}
}

/* The pages that lower zones keep from requests that could have used the zones above. */
static void test_watermark_lowmem_reserve(struct kunit *test)
{
	static const unsigned long mib[MAX_NR_ZONES] = { 16, 1024, 8192, 512 };
	static struct pglist_data node;
	const struct zone *z = node.node_zones;

	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		node.node_zones[i].managed_pages = MIB_PAGES(mib[i]);
	node_set_lowmem_reserve(&node);
	KUNIT_EXPECT_EQ(test, z[ZONE_DMA].lowmem_reserve[ZONE_DMA], 0);
	KUNIT_EXPECT_EQ(test, z[ZONE_DMA].lowmem_reserve[ZONE_DMA32], MIB_PAGES(1024) / 256);
	KUNIT_EXPECT_EQ(test, z[ZONE_DMA].lowmem_reserve[ZONE_NORMAL], MIB_PAGES(9216) / 256);
	KUNIT_EXPECT_EQ(test, z[ZONE_DMA].lowmem_reserve[ZONE_MOVABLE], MIB_PAGES(9728) / 256);
	KUNIT_EXPECT_EQ(test, z[ZONE_DMA32].lowmem_reserve[ZONE_DMA32], 0);
	KUNIT_EXPECT_EQ(test, z[ZONE_DMA32].lowmem_reserve[ZONE_NORMAL], MIB_PAGES(8192) / 256);
	KUNIT_EXPECT_EQ(test, z[ZONE_DMA32].lowmem_reserve[ZONE_MOVABLE], MIB_PAGES(8704) / 256);
	KUNIT_EXPECT_EQ(test, z[ZONE_NORMAL].lowmem_reserve[ZONE_MOVABLE], MIB_PAGES(512) / 32);
	KUNIT_EXPECT_EQ(test, z[ZONE_MOVABLE].lowmem_reserve[ZONE_MOVABLE], 0);
	node.node_zones[ZONE_DMA].managed_pages = 0;
	node_set_lowmem_reserve(&node);
	KUNIT_EXPECT_EQ(test, z[ZONE_DMA].lowmem_reserve[ZONE_MOVABLE], 0);
}

static struct kunit_case watermark_cases[] = {
	KUNIT_CASE(test_watermark_min_free_kbytes),
	KUNIT_CASE(test_watermark_formulas),
	KUNIT_CASE(test_watermark_ok_every_flag),
	KUNIT_CASE(test_watermark_shares_of_the_reserve),
	KUNIT_CASE(test_watermark_needs_a_block),
	KUNIT_CASE(test_watermark_unusable),
	KUNIT_CASE(test_watermark_boost),
	KUNIT_CASE(test_watermark_movable),
	KUNIT_CASE(test_watermark_lowmem_reserve),
	{ 0 },
};

static struct kunit_suite watermark_suite = {
	.name = "watermark",
	.test_cases = watermark_cases,
};

kunit_test_suite(watermark_suite);
