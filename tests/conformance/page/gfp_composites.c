// SPDX-License-Identifier: MIT
/* The bits of gfp_t and what is made of them: linux/gfp_types.h, linux/gfp.h. */
#include <linux/gfp.h>
#include <linux/mm.h>

#include "../conformance.h"

#define BITS(X)									\
	X(DMA) X(HIGHMEM) X(DMA32) X(MOVABLE) X(RECLAIMABLE) X(HIGH) X(IO) X(FS) X(ZERO) \
	X(DIRECT_RECLAIM) X(KSWAPD_RECLAIM) X(WRITE) X(NOWARN) X(RETRY_MAYFAIL)	\
	X(NOFAIL) X(NORETRY) X(MEMALLOC) X(COMP) X(NOMEMALLOC) X(HARDWALL)	\
	X(THISNODE) X(ACCOUNT) X(ZEROTAGS)
/* Bits for a checker; they are 0 in a kernel without it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#define OPTIONAL_BITS(X) X(SKIP_ZERO) X(SKIP_KASAN) X(NOLOCKDEP) X(NO_OBJ_EXT)
#else
#define OPTIONAL_BITS(X) X(SKIP_ZERO) X(SKIP_KASAN) X(NOLOCKDEP)
#endif

struct bit {
	const char *name;
	unsigned long raw;
	unsigned long typed;
	bool optional;
};

#define BIT_OF(NAME) { #NAME, ___GFP_##NAME, (__force unsigned long)__GFP_##NAME, false },
#define OPTIONAL_BIT_OF(NAME) \
	{ #NAME, ___GFP_##NAME, (__force unsigned long)__GFP_##NAME, true },
static const struct bit bits[] = { BITS(BIT_OF) OPTIONAL_BITS(OPTIONAL_BIT_OF) };

static unsigned long value(gfp_t gfp)
{
	return (__force unsigned long)gfp;
}

/* Every bit is one bit, is not another one, and lies below __GFP_BITS_SHIFT. */
static void bits_are_single_and_distinct(struct kunit *test)
{
	unsigned long seen = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(bits); i++) {
		unsigned long bit = bits[i].raw;

		if (bits[i].optional && !bit)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, hweight_long(bit), 1, "%s", bits[i].name);
		KUNIT_EXPECT_EQ_MSG(test, bit & seen, 0, "%s", bits[i].name);
		KUNIT_EXPECT_EQ_MSG(test, bit & ~value(__GFP_BITS_MASK), 0, "%s", bits[i].name);
		seen |= bit;
	}
}

/* ___GFP_X is the plain number of __GFP_X. */
static void raw_and_typed_agree(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(bits); i++)
		KUNIT_EXPECT_EQ_MSG(test, bits[i].raw, bits[i].typed, "%s", bits[i].name);
}

/* __GFP_BITS_MASK: all bits below __GFP_BITS_SHIFT. */
static void bits_mask(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, value(__GFP_BITS_MASK), (1UL << __GFP_BITS_SHIFT) - 1);
	KUNIT_EXPECT_EQ(test, value(GFP_KERNEL) & ~value(__GFP_BITS_MASK), 0);
	KUNIT_EXPECT_EQ(test, value(GFP_TRANSHUGE) & ~value(__GFP_BITS_MASK), 0);
}

/* The zone modifiers are the lowest four bits: GFP_ZONE_TABLE is indexed by them. */
static void zone_modifiers_are_lowest(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, value(GFP_ZONEMASK),
			value(__GFP_DMA | __GFP_HIGHMEM | __GFP_DMA32 | __GFP_MOVABLE));
	KUNIT_EXPECT_EQ(test, value(GFP_ZONEMASK), 0xf);
	KUNIT_EXPECT_EQ(test, ___GFP_DMA, 1);
	KUNIT_EXPECT_EQ(test, ___GFP_HIGHMEM, 2);
	KUNIT_EXPECT_EQ(test, ___GFP_DMA32, 4);
	KUNIT_EXPECT_EQ(test, ___GFP_MOVABLE, 8);
}

/* The mobility bits shifted by three are migrate types: gfp_migratetype(). */
static void mobility_bits_are_migrate_types(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, MIGRATE_UNMOVABLE, 0);
	KUNIT_EXPECT_EQ(test, ___GFP_MOVABLE >> 3, MIGRATE_MOVABLE);
	KUNIT_EXPECT_EQ(test, ___GFP_RECLAIMABLE >> 3, MIGRATE_RECLAIMABLE);
	KUNIT_EXPECT_EQ(test, (___GFP_MOVABLE | ___GFP_RECLAIMABLE) >> 3, MIGRATE_HIGHATOMIC);
	KUNIT_EXPECT_EQ(test, MIGRATE_PCPTYPES, MIGRATE_HIGHATOMIC);
}

/* Each composite of linux/gfp_types.h, by its parts. */
static void composites(struct kunit *test)
{
#define IS(composite, parts) KUNIT_EXPECT_EQ(test, value(composite), value(parts))
	IS(__GFP_RECLAIM, __GFP_DIRECT_RECLAIM | __GFP_KSWAPD_RECLAIM);
	IS(GFP_ATOMIC, __GFP_HIGH | __GFP_KSWAPD_RECLAIM);
	IS(GFP_KERNEL, __GFP_RECLAIM | __GFP_IO | __GFP_FS);
	IS(GFP_KERNEL_ACCOUNT, GFP_KERNEL | __GFP_ACCOUNT);
	IS(GFP_NOWAIT, __GFP_KSWAPD_RECLAIM | __GFP_NOWARN);
	IS(GFP_NOIO, __GFP_RECLAIM);
	IS(GFP_NOFS, __GFP_RECLAIM | __GFP_IO);
	IS(GFP_USER, __GFP_RECLAIM | __GFP_IO | __GFP_FS | __GFP_HARDWALL);
	IS(GFP_DMA, __GFP_DMA);
	IS(GFP_DMA32, __GFP_DMA32);
	IS(GFP_HIGHUSER, GFP_USER | __GFP_HIGHMEM);
	IS(GFP_HIGHUSER_MOVABLE, GFP_HIGHUSER | __GFP_MOVABLE | __GFP_SKIP_KASAN);
	IS(GFP_TRANSHUGE_LIGHT, (GFP_HIGHUSER_MOVABLE | __GFP_COMP | __GFP_NOMEMALLOC |
				 __GFP_NOWARN) & ~__GFP_RECLAIM);
	IS(GFP_TRANSHUGE, GFP_TRANSHUGE_LIGHT | __GFP_DIRECT_RECLAIM);
#undef IS
}

/* Each of these may do all that the one before it may do, and more. */
static void composites_form_a_ladder(struct kunit *test)
{
	static const gfp_t ladder[] = { GFP_NOIO, GFP_NOFS, GFP_KERNEL, GFP_USER, GFP_HIGHUSER,
					GFP_HIGHUSER_MOVABLE };

	for (unsigned int i = 1; i < ARRAY_SIZE(ladder); i++) {
		KUNIT_EXPECT_EQ(test, value(ladder[i - 1] & ~ladder[i]), 0);
		KUNIT_EXPECT_NE(test, value(ladder[i]), value(ladder[i - 1]));
	}
}

/*
 * Composites for callers that must not sleep have no direct reclaim; GFP_DMA alone has no reclaim
 * bit.
 */
static void who_may_block(struct kunit *test)
{
	static const gfp_t may[] = { GFP_KERNEL, GFP_KERNEL_ACCOUNT, GFP_NOIO, GFP_NOFS, GFP_USER,
				     GFP_HIGHUSER, GFP_HIGHUSER_MOVABLE, GFP_TRANSHUGE };
	static const gfp_t may_not[] = { GFP_ATOMIC, GFP_NOWAIT, GFP_DMA, GFP_DMA32,
					 GFP_TRANSHUGE_LIGHT };

	for (unsigned int i = 0; i < ARRAY_SIZE(may); i++)
		KUNIT_EXPECT_TRUE(test, gfpflags_allow_blocking(may[i]));
	for (unsigned int i = 0; i < ARRAY_SIZE(may_not); i++)
		KUNIT_EXPECT_FALSE(test, gfpflags_allow_blocking(may_not[i]));
}

/* gfpflags_allow_blocking() looks at __GFP_DIRECT_RECLAIM and at nothing else. */
static void blocking_is_direct_reclaim(struct kunit *test)
{
	for (unsigned int i = 0; i < __GFP_BITS_SHIFT; i++) {
		gfp_t one = (__force gfp_t)(1u << i);
		gfp_t others = __GFP_BITS_MASK & ~one;

		KUNIT_EXPECT_EQ(test, !!gfpflags_allow_blocking(one),
				one == __GFP_DIRECT_RECLAIM);
		KUNIT_EXPECT_EQ(test, !!gfpflags_allow_blocking(others),
				one != __GFP_DIRECT_RECLAIM);
	}
}

/* gfp_has_io_fs(): both bits, whatever else there is. */
static void io_and_fs(struct kunit *test)
{
	for (unsigned long i = 0; i < 1UL << 12; i++) {
		gfp_t gfp = (__force gfp_t)i;

		KUNIT_EXPECT_EQ(test, gfp_has_io_fs(gfp),
				(gfp & __GFP_IO) && (gfp & __GFP_FS));
	}
}

/*
 * gfp_nested_mask() keeps the caller's context and drops its zones; such a request fails early and
 * without a warning.
 */
static void nested_mask(struct kunit *test)
{
	const gfp_t added = __GFP_NORETRY | __GFP_NOMEMALLOC | __GFP_NOWARN;
	const gfp_t kept = GFP_KERNEL | GFP_ATOMIC | __GFP_NOLOCKDEP;

	for (unsigned int i = 0; i < __GFP_BITS_SHIFT; i++) {
		for (unsigned int j = 0; j < __GFP_BITS_SHIFT; j++) {
			gfp_t gfp = (__force gfp_t)(1u << i | 1u << j);

			KUNIT_EXPECT_EQ(test, value(gfp_nested_mask(gfp)),
					value((gfp & kept) | added));
			KUNIT_EXPECT_EQ(test, value(gfp_nested_mask(~gfp)),
					value((~gfp & kept) | added));
		}
	}
}

static enum zone_type zone_wanted(gfp_t gfp)
{
#ifdef CONFIG_ZONE_DMA
	if (gfp & __GFP_DMA)
		return ZONE_DMA;
#endif
#ifdef CONFIG_ZONE_DMA32
	if (gfp & __GFP_DMA32)
		return ZONE_DMA32;
#endif
	if ((gfp & __GFP_MOVABLE) && (gfp & __GFP_HIGHMEM))
		return ZONE_MOVABLE;
	return ZONE_NORMAL;
}

/*
 * gfp_zone(): the highest zone that may serve. At most one of DMA, DMA32 and HIGHMEM;
 * MOVABLE alone chooses no zone. A zone that the kernel does not have is the next higher.
 */
static void highest_zone(struct kunit *test)
{
	static const gfp_t zones[] = { 0, __GFP_DMA, __GFP_DMA32, __GFP_HIGHMEM };

	for (unsigned int i = 0; i < ARRAY_SIZE(zones); i++) {
		for (unsigned int bit = 3; bit < __GFP_BITS_SHIFT; bit++) {
			gfp_t gfp = zones[i] | (__force gfp_t)(1u << bit);

			KUNIT_EXPECT_EQ_MSG(test, gfp_zone(gfp), zone_wanted(gfp), "gfp %#lx",
					    value(gfp));
		}
		KUNIT_EXPECT_EQ(test, gfp_zone(zones[i]), zone_wanted(zones[i]));
	}
	KUNIT_EXPECT_EQ(test, gfp_zone(GFP_KERNEL), ZONE_NORMAL);
	KUNIT_EXPECT_EQ(test, gfp_zone(GFP_HIGHUSER_MOVABLE), ZONE_MOVABLE);
	KUNIT_EXPECT_EQ(test, gfp_zone(GFP_HIGHUSER), ZONE_NORMAL);
}

/* The zones stand in the order in which a request falls back, from the last to the first. */
static void zones_are_in_order(struct kunit *test)
{
#ifdef CONFIG_ZONE_DMA
	KUNIT_EXPECT_LT(test, (int)ZONE_DMA, (int)ZONE_NORMAL);
#endif
#ifdef CONFIG_ZONE_DMA32
	KUNIT_EXPECT_LT(test, (int)ZONE_DMA32, (int)ZONE_NORMAL);
#endif
	KUNIT_EXPECT_LT(test, (int)ZONE_NORMAL, (int)ZONE_MOVABLE);
	KUNIT_EXPECT_LT(test, (int)ZONE_MOVABLE, (int)MAX_NR_ZONES);
}

/* want_init_on_alloc(): __GFP_ZERO, unless the kernel clears all that it hands out. */
static void zero_is_wanted_by_flag(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, want_init_on_alloc(GFP_KERNEL | __GFP_ZERO));
	KUNIT_EXPECT_TRUE(test, want_init_on_alloc(__GFP_ZERO));
	KUNIT_EXPECT_EQ(test, want_init_on_alloc(GFP_KERNEL),
			IS_ENABLED(CONFIG_INIT_ON_ALLOC_DEFAULT_ON));
	KUNIT_EXPECT_FALSE(test, want_init_on_free());
}

static struct kunit_case gfp_cases[] = {
	KUNIT_CASE(bits_are_single_and_distinct),
	KUNIT_CASE(raw_and_typed_agree),
	KUNIT_CASE(bits_mask),
	KUNIT_CASE(zone_modifiers_are_lowest),
	KUNIT_CASE(mobility_bits_are_migrate_types),
	KUNIT_CASE(composites),
	KUNIT_CASE(composites_form_a_ladder),
	KUNIT_CASE(who_may_block),
	KUNIT_CASE(blocking_is_direct_reclaim),
	KUNIT_CASE(io_and_fs),
	KUNIT_CASE(nested_mask),
	KUNIT_CASE(highest_zone),
	KUNIT_CASE(zones_are_in_order),
	KUNIT_CASE(zero_is_wanted_by_flag),
	{}
};

static struct kunit_suite gfp_suite = {
	.name = "conformance_gfp_composites",
	.test_cases = gfp_cases,
};
kunit_test_suite(gfp_suite);
MODULE_DESCRIPTION("gfp_t bits and composites");
MODULE_LICENSE("Dual MIT/GPL");
