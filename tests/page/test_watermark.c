/* SPDX-License-Identifier: MIT */
/* The arithmetic of marks and reserves, on zones that exist only here. */
#include "page/gfp.h"
#include "page/zone.h"
#include "support/kernel.h"
#include "support/prng.h"

#define KIB_PAGES(kib) ((unsigned long)(kib) / 4)
#define MIB_PAGES(mib) KIB_PAGES((mib) * 1024UL)

static struct zone zone_of(unsigned long managed)
{
	struct zone z = { .managed_pages = managed };

	zone_set_watermarks(&z);
	return z;
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
				KUNIT_ASSERT_FALSE_MSG(test, zone_watermark_ok(&z, order, flags),
						       "flags %#x, order %u", flags, order);
				z.free_pages++;
				KUNIT_ASSERT_TRUE_MSG(test, zone_watermark_ok(&z, order, flags),
						      "flags %#x, order %u", flags, order);
			}
			for (unsigned long nr = 1; nr < 1000; nr += 111) {
				z.free_pages = (unsigned long)min + nr;
				KUNIT_ASSERT_FALSE(test, zone_watermark_ok_bulk(&z, nr, flags));
				z.free_pages++;
				KUNIT_ASSERT_TRUE(test, zone_watermark_ok_bulk(&z, nr, flags));
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

static void test_watermark_none(struct kunit *test)
{
	struct zone z = zone_of(MIB_PAGES(64));

	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		z.free_pages = (1UL << order) - 1;
		KUNIT_EXPECT_FALSE(test, zone_watermark_ok(&z, order, ALLOC_NO_WATERMARKS));
		z.free_pages = 1UL << order;
		KUNIT_EXPECT_TRUE(test, zone_watermark_ok(&z, order, ALLOC_NO_WATERMARKS));
	}
}

static struct kunit_case watermark_cases[] = {
	KUNIT_CASE(test_watermark_min_free_kbytes),
	KUNIT_CASE(test_watermark_formulas),
	KUNIT_CASE(test_watermark_ok_every_flag),
	KUNIT_CASE(test_watermark_shares_of_the_reserve),
	KUNIT_CASE(test_watermark_none),
	{ 0 },
};

static struct kunit_suite watermark_suite = {
	.name = "watermark",
	.test_cases = watermark_cases,
};

kunit_test_suite(watermark_suite);
