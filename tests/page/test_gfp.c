/* SPDX-License-Identifier: MIT */
/*
 * gfp_t to ALLOC flags, compared with the same rules written down a second time: a table of the
 * inputs that count, and a check that no other bit counts (seed 0).
 */
#include "base/linux_version.h"
#include "page/gfp.h"
#include "support/kernel.h"

/* The relevant inputs, one bit each. */
#define HIGH	(1u << 0)
#define KSWAPD	(1u << 1)
#define DIRECT	(1u << 2)
#define NOMEM	(1u << 3)	/* __GFP_NOMEMALLOC */
#define BIG	(1u << 4)	/* order > 0 */
#define NR_INPUTS 32

#define MIN_R	ALLOC_MIN_RESERVE
#define NON_B	ALLOC_NON_BLOCK
#define HI_AT	ALLOC_HIGHATOMIC
#define CPUS	ALLOC_CPUSET
#define WAKE	ALLOC_KSWAPD

/* Written down row by row, not computed. */
static const unsigned int expected[NR_INPUTS] = {
	/* order 0, NOMEMALLOC clear, cannot wait */
	[0]			= CPUS | NON_B,
	[HIGH]			= MIN_R | NON_B,
	[KSWAPD]		= CPUS | NON_B | WAKE,
	[KSWAPD | HIGH]		= MIN_R | NON_B | WAKE,
	/* ... can wait */
	[DIRECT]		= CPUS,
	[DIRECT | HIGH]		= CPUS | MIN_R,
	[DIRECT | KSWAPD]	= CPUS | WAKE,
	[DIRECT | KSWAPD | HIGH] = CPUS | MIN_R | WAKE,
	/* order 0, NOMEMALLOC set */
	[NOMEM]			= CPUS,
	[NOMEM | HIGH]		= MIN_R,
	[NOMEM | KSWAPD]	= CPUS | WAKE,
	[NOMEM | KSWAPD | HIGH]	= MIN_R | WAKE,
	[NOMEM | DIRECT]	= CPUS,
	[NOMEM | DIRECT | HIGH]	= CPUS | MIN_R,
	[NOMEM | DIRECT | KSWAPD] = CPUS | WAKE,
	[NOMEM | DIRECT | KSWAPD | HIGH] = CPUS | MIN_R | WAKE,
	/* order > 0: only the atomic ones differ */
	[BIG]			= CPUS | NON_B,
	[BIG | HIGH]		= MIN_R | NON_B | HI_AT,
	[BIG | KSWAPD]		= CPUS | NON_B | WAKE,
	[BIG | KSWAPD | HIGH]	= MIN_R | NON_B | HI_AT | WAKE,
	[BIG | DIRECT]		= CPUS,
	[BIG | DIRECT | HIGH]	= CPUS | MIN_R,
	[BIG | DIRECT | KSWAPD]	= CPUS | WAKE,
	[BIG | DIRECT | KSWAPD | HIGH] = CPUS | MIN_R | WAKE,
	[BIG | NOMEM]		= CPUS,
	[BIG | NOMEM | HIGH]	= MIN_R,
	[BIG | NOMEM | KSWAPD]	= CPUS | WAKE,
	[BIG | NOMEM | KSWAPD | HIGH] = MIN_R | WAKE,
	[BIG | NOMEM | DIRECT]	= CPUS,
	[BIG | NOMEM | DIRECT | HIGH] = CPUS | MIN_R,
	[BIG | NOMEM | DIRECT | KSWAPD] = CPUS | WAKE,
	[BIG | NOMEM | DIRECT | KSWAPD | HIGH] = CPUS | MIN_R | WAKE,
};

static gfp_t gfp_of(unsigned int inputs)
{
	return (inputs & HIGH ? __GFP_HIGH : 0) |
	       (inputs & KSWAPD ? __GFP_KSWAPD_RECLAIM : 0) |
	       (inputs & DIRECT ? __GFP_DIRECT_RECLAIM : 0) |
	       (inputs & NOMEM ? __GFP_NOMEMALLOC : 0);
}

static const gfp_t relevant = __GFP_HIGH | __GFP_RECLAIM | __GFP_NOMEMALLOC;

/* The mobility bits, which decide about CMA and nothing else. */
static const gfp_t mobility = __GFP_MOVABLE | __GFP_RECLAIMABLE;

static unsigned int cma_of(gfp_t gfp)
{
	return (gfp & mobility) == __GFP_MOVABLE ? ALLOC_CMA : 0;
}

static void test_gfp_table(struct kunit *test)
{
	for (unsigned int inputs = 0; inputs < NR_INPUTS; inputs++)
		for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++)
			KUNIT_EXPECT_EQ_MSG(test, gfp_to_alloc_flags(gfp_of(inputs),
								     inputs & BIG ? order : 0),
					    ALLOC_WMARK_MIN | expected[inputs],
					    "gfp %#x, order %u", gfp_of(inputs), order);
}

/* All 2^24 settings of the other bits, for each of the 32 inputs; CMA comes from two of them. */
static void test_gfp_other_bits_do_not_matter(struct kunit *test)
{
	gfp_t others = __GFP_BITS_MASK & ~relevant;

	for (unsigned int inputs = 0; inputs < NR_INPUTS; inputs++) {
		unsigned int order = inputs & BIG ? 3 : 0;
		gfp_t base = gfp_of(inputs), bits = 0;
		unsigned int want = ALLOC_WMARK_MIN | expected[inputs];

		do {
			/* Not KUNIT_EXPECT on each: this runs half a milliard times. */
			if (gfp_to_alloc_flags(base | bits, order) != (want | cma_of(bits)))
				KUNIT_FAIL_AND_ABORT(test, "gfp %#x, order %u", base | bits, order);
			bits = (bits - others) & others;	/* the next subset */
		} while (bits);
	}
}

/* The thread's state, one bit each; other scopes have no effect. */
static const unsigned int states[] = { SCOPE_NORECLAIM, SCOPE_VICTIM, SCOPE_REALTIME };
#define NR_STATES (1u << ARRAY_SIZE(states))
#define NORECLAIM (1u << 0)
#define VICTIM	  (1u << 1)
#define REALTIME  (1u << 2)

static unsigned int scopes_of(unsigned int state)
{
	unsigned int scopes = SCOPE_NOIO | SCOPE_NOFS | SCOPE_PIN | SCOPE_KSWAPD;

	for (unsigned int i = 0; i < ARRAY_SIZE(states); i++)
		scopes |= state >> i & 1 ? states[i] : 0;
	return scopes;
}

/* The flags that replace the computed ones, for NOMEMALLOC, MEMALLOC and the thread's state. */
static unsigned int expected_reserve(bool nomemalloc, bool memalloc, unsigned int state)
{
	static const unsigned int rows[2][4] = {
		/* nothing, noreclaim, victim, both */
		{ 0, ALLOC_NO_WATERMARKS, ALLOC_OOM, ALLOC_NO_WATERMARKS },
		{ ALLOC_NO_WATERMARKS, ALLOC_NO_WATERMARKS, ALLOC_NO_WATERMARKS,
		  ALLOC_NO_WATERMARKS },
	};

	return nomemalloc ? 0 : rows[memalloc][state & (NORECLAIM | VICTIM)];
}

/* All that the slow path computes: flags, thread, and the reserve that replaces them. */
static void test_gfp_whole_table(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_INPUTS * NR_STATES * 4; i++) {
		unsigned int inputs = i % NR_INPUTS, state = i / NR_INPUTS % NR_STATES;
		bool memalloc = i / NR_INPUTS / NR_STATES & 1;
		bool movable = i / NR_INPUTS / NR_STATES & 2;
		gfp_t gfp = gfp_of(inputs) | (memalloc ? __GFP_MEMALLOC : 0) |
			    (movable ? __GFP_MOVABLE : 0);
		unsigned int order = inputs & BIG ? 3 : 0, scopes = scopes_of(state);
		unsigned int want = expected[inputs] | (movable ? ALLOC_CMA : 0), reserve, flags;

		if ((state & REALTIME) && (inputs & DIRECT))
			want |= ALLOC_MIN_RESERVE;
		flags = gfp_to_alloc_flags_in_scopes(gfp, order, scopes);
		KUNIT_EXPECT_EQ_MSG(test, flags, want, "gfp %#x, state %u", gfp, state);
		reserve = expected_reserve(inputs & NOMEM, memalloc, state);
		if (reserve)
			want = reserve | (want & (ALLOC_CMA | ALLOC_KSWAPD));
		flags = alloc_flags_with_reserve(flags, gfp, scopes);
		KUNIT_EXPECT_EQ_MSG(test, flags, want, "gfp %#x, state %u", gfp, state);
	}
}

/* NOMEMALLOC beats MEMALLOC, and no other bit has an effect. */
static void test_gfp_reserve_flags(struct kunit *test)
{
	gfp_t interesting = __GFP_MEMALLOC | __GFP_NOMEMALLOC;

	for (unsigned int bit = 0; bit < __GFP_BITS_SHIFT; bit++) {
		gfp_t other = ((gfp_t)1 << bit) & ~interesting;

		for (unsigned int state = 0; state < NR_STATES; state++)
			for (unsigned int i = 0; i < 4; i++) {
				gfp_t gfp = other | (i & 1 ? __GFP_MEMALLOC : 0) |
					    (i & 2 ? __GFP_NOMEMALLOC : 0);

				KUNIT_EXPECT_EQ(test, gfp_to_reserve_flags(gfp, scopes_of(state)),
						expected_reserve(i & 2, i & 1, state));
			}
	}
}

/* The flags of the first attempt, whatever the version. */
static unsigned int expected_fast(gfp_t gfp, unsigned int order, bool nofragment)
{
	unsigned int want = ALLOC_WMARK_LOW;

	if (gfp & __GFP_KSWAPD_RECLAIM)
		want |= ALLOC_KSWAPD;
	if (gfp & __GFP_MOVABLE && !(gfp & __GFP_RECLAIMABLE))
		want |= ALLOC_CMA;
	if (nofragment)
		want |= ALLOC_NOFRAGMENT;
	if (linux_since(7, 3) && order && gfp & __GFP_HIGH &&
	    !(gfp & (__GFP_DIRECT_RECLAIM | __GFP_NOMEMALLOC)))
		want |= ALLOC_HIGHATOMIC;
	return want;
}

static void expect_fast(struct kunit *test, gfp_t gfp, const struct zone *preferred,
			const struct zone *normal)
{
	for (unsigned int order = 0; order < 3; order++)
		KUNIT_ASSERT_EQ_MSG(test, gfp_to_alloc_flags_fast(preferred, gfp, order),
				    expected_fast(gfp, order, preferred == normal), "gfp %#x", gfp);
}

/*
 * Only a few bits matter, and the preferred zone: every bit is tried alone and with each other one,
 * by the rules of two versions.
 */
static void test_gfp_fast_flags(struct kunit *test)
{
	static struct pglist_data node;
	struct zone *z = &node.node_zones[ZONE_NORMAL];
	const struct zone *preferred[] = { NULL, z, z - 1 };
	unsigned int kinds = page_zone_kinds, version = linux_version;

	page_zone_kinds |= 1u << ZONE_DMA32;
	z->index = ZONE_NORMAL;
	(z - 1)->index = ZONE_DMA32;
	(z - 1)->managed_pages = 1;
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(preferred); i++) {
		linux_version = i % 2 ? LINUX_VERSION_OF(7, 3) : LINUX_VERSION_OF(6, 12);
		for (gfp_t a = 1; a && a <= __GFP_BITS_MASK; a <<= 1)
			for (gfp_t b = 1; b && b <= __GFP_BITS_MASK; b <<= 1) {
				expect_fast(test, a | b, preferred[i / 2], z);
				expect_fast(test, __GFP_BITS_MASK & ~(a | b), preferred[i / 2], z);
			}
	}
	page_zone_kinds = kinds;
	linux_version = version;
}

static void expect_nofragment(struct kunit *test, bool expected, unsigned long dma32_pages)
{
	static struct pglist_data node;

	node.node_zones[ZONE_DMA32].managed_pages = dma32_pages;
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		for (unsigned int inputs = 0; inputs < NR_INPUTS; inputs++) {
			unsigned int flags, want = inputs & KSWAPD ? ALLOC_KSWAPD : 0;

			node.node_zones[i].index = i;
			if (expected && i == ZONE_NORMAL)
				want |= ALLOC_NOFRAGMENT;
			flags = alloc_flags_nofragment(&node.node_zones[i], gfp_of(inputs));
			KUNIT_EXPECT_EQ(test, flags, want);
		}
}

/* If DMA32 zones exist, only with several nodes the rule checks whether this node has one. */
static void test_gfp_nofragment(struct kunit *test)
{
	unsigned int kinds = page_zone_kinds, nodes = nr_online_nodes;

	for (unsigned int any = 0; any < 2; any++)
		for (nr_online_nodes = 1; nr_online_nodes < 3; nr_online_nodes++)
			for (unsigned long pages = 0; pages < 2; pages++) {
				bool found = pages || nr_online_nodes == 1;

				page_zone_kinds = 1u << ZONE_NORMAL | any << ZONE_DMA32;
				expect_nofragment(test, any && found, pages);
			}
	page_zone_kinds = kinds;
	nr_online_nodes = nodes;
}

/* Without DMA zones their bits mean Normal. Flags that no request can have are never set. */
static void test_gfp_places(struct kunit *test)
{
	unsigned int kinds = page_zone_kinds;

	for (page_zone_kinds = 0; page_zone_kinds < 1u << MAX_NR_ZONES; page_zone_kinds++)
		for (gfp_t gfp = 0; gfp <= GFP_PLACE_MASK; gfp++) {
			unsigned int nr = !!(gfp & __GFP_DMA) + !!(gfp & __GFP_HIGHMEM) +
					  !!(gfp & __GFP_DMA32);
			enum zone_type want = ZONE_NORMAL;

			KUNIT_EXPECT_EQ(test, gfp_zone_is_valid(gfp), nr < 2);
			if (nr > 1)
				continue;
			if ((gfp & __GFP_DMA) && page_has_zone(ZONE_DMA))
				want = ZONE_DMA;
			if ((gfp & __GFP_DMA32) && page_has_zone(ZONE_DMA32))
				want = ZONE_DMA32;
			if ((gfp & __GFP_HIGHMEM) && (gfp & __GFP_MOVABLE))
				want = ZONE_MOVABLE;
			KUNIT_EXPECT_EQ(test, gfp_zone(gfp), want);
		}
	page_zone_kinds = kinds;
	for (gfp_t gfp = 0; gfp <= GFP_PLACE_MASK; gfp++) {
		enum migratetype want = MIGRATE_UNMOVABLE;

		if ((gfp & mobility) == __GFP_MOVABLE)
			want = MIGRATE_MOVABLE;
		if ((gfp & mobility) == __GFP_RECLAIMABLE)
			want = MIGRATE_RECLAIMABLE;
		KUNIT_EXPECT_EQ(test, gfp_migratetype(gfp), want);
		page_group_by_mobility_disabled = true;
		KUNIT_EXPECT_EQ(test, gfp_migratetype(gfp), MIGRATE_UNMOVABLE);
		page_group_by_mobility_disabled = false;
	}
}

/* The relations between bits and the composites of the public header. */
static void test_gfp_composites(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, __GFP_DMA | __GFP_HIGHMEM | __GFP_DMA32 | __GFP_MOVABLE, 0xf);
	KUNIT_EXPECT_EQ(test, __GFP_MOVABLE >> 3, 1);
	KUNIT_EXPECT_EQ(test, __GFP_RECLAIMABLE >> 3, 2);
	KUNIT_EXPECT_EQ(test, GFP_ATOMIC, __GFP_HIGH | __GFP_KSWAPD_RECLAIM);
	KUNIT_EXPECT_EQ(test, GFP_KERNEL, __GFP_RECLAIM | __GFP_IO | __GFP_FS);
	KUNIT_EXPECT_EQ(test, GFP_NOWAIT, __GFP_KSWAPD_RECLAIM | __GFP_NOWARN);
	KUNIT_EXPECT_EQ(test, GFP_NOIO, __GFP_RECLAIM);
	KUNIT_EXPECT_EQ(test, GFP_NOFS, __GFP_RECLAIM | __GFP_IO);
	KUNIT_EXPECT_EQ(test, GFP_USER, GFP_KERNEL | __GFP_HARDWALL);
	KUNIT_EXPECT_EQ(test, GFP_TRANSHUGE_LIGHT & __GFP_RECLAIM, 0);
	KUNIT_EXPECT_EQ(test, GFP_TRANSHUGE & __GFP_RECLAIM, __GFP_DIRECT_RECLAIM);
	KUNIT_EXPECT_FALSE(test, gfpflags_allow_blocking(GFP_ATOMIC));
	KUNIT_EXPECT_FALSE(test, gfpflags_allow_blocking(GFP_NOWAIT));
	KUNIT_EXPECT_TRUE(test, gfpflags_allow_blocking(GFP_NOIO));
}

/* Every bit has a value of its own, inside the mask. */
static void test_gfp_bits_are_distinct(struct kunit *test)
{
	static const gfp_t bits[] = {
		__GFP_DMA, __GFP_HIGHMEM, __GFP_DMA32, __GFP_MOVABLE, __GFP_RECLAIMABLE,
		__GFP_HIGH, __GFP_IO, __GFP_FS, __GFP_ZERO, __GFP_DIRECT_RECLAIM,
		__GFP_KSWAPD_RECLAIM, __GFP_WRITE, __GFP_NOWARN, __GFP_RETRY_MAYFAIL,
		__GFP_NOFAIL, __GFP_NORETRY, __GFP_MEMALLOC, __GFP_COMP, __GFP_NOMEMALLOC,
		__GFP_HARDWALL, __GFP_THISNODE, __GFP_ACCOUNT, __GFP_ZEROTAGS,
		__GFP_SKIP_ZERO, __GFP_SKIP_KASAN, __GFP_NOLOCKDEP, __GFP_NO_OBJ_EXT,
	};
	gfp_t seen = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(bits); i++) {
		KUNIT_EXPECT_EQ(test, bits[i] & (bits[i] - 1), 0);
		KUNIT_EXPECT_EQ(test, bits[i] & seen, 0);
		KUNIT_EXPECT_EQ(test, bits[i] & ~__GFP_BITS_MASK, 0);
		seen |= bits[i];
	}
}

static struct kunit_case gfp_cases[] = {
	KUNIT_CASE(test_gfp_table),
	KUNIT_CASE_SLOW(test_gfp_other_bits_do_not_matter),
	KUNIT_CASE(test_gfp_whole_table),
	KUNIT_CASE(test_gfp_reserve_flags),
	KUNIT_CASE(test_gfp_fast_flags),
	KUNIT_CASE(test_gfp_nofragment),
	KUNIT_CASE(test_gfp_places),
	KUNIT_CASE(test_gfp_composites),
	KUNIT_CASE(test_gfp_bits_are_distinct),
	{ 0 },
};

static struct kunit_suite gfp_suite = { .name = "gfp", .test_cases = gfp_cases };

kunit_test_suite(gfp_suite);
