// SPDX-License-Identifier: MIT
/* What %pGg makes of gfp flags: composites first, each bit once, the rest as a number. */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../conformance.h"

static void expect_names(struct kunit *test, const char *expected, gfp_t gfp)
{
	char text[400];

	snprintf(text, sizeof(text), "%pGg", &gfp);
	KUNIT_EXPECT_STREQ(test, text, expected);
}

static void nothing(struct kunit *test)
{
	expect_names(test, "", 0);
}

static void composites(struct kunit *test)
{
	expect_names(test, "GFP_KERNEL", GFP_KERNEL);
	expect_names(test, "GFP_ATOMIC", GFP_ATOMIC);
	expect_names(test, "GFP_NOWAIT", GFP_NOWAIT);
	expect_names(test, "GFP_NOIO", GFP_NOIO);
	expect_names(test, "GFP_NOFS", GFP_NOFS);
	expect_names(test, "GFP_USER", GFP_USER);
	expect_names(test, "GFP_HIGHUSER", GFP_HIGHUSER);
	expect_names(test, "GFP_HIGHUSER_MOVABLE", GFP_HIGHUSER_MOVABLE);
	expect_names(test, "GFP_KERNEL_ACCOUNT", GFP_KERNEL_ACCOUNT);
	expect_names(test, "GFP_TRANSHUGE", GFP_TRANSHUGE);
	expect_names(test, "GFP_TRANSHUGE_LIGHT", GFP_TRANSHUGE_LIGHT);
	expect_names(test, "GFP_DMA", GFP_DMA);
	expect_names(test, "GFP_DMA32", GFP_DMA32);
}

/* What a composite has covered is not named again. */
static void composites_and_bits(struct kunit *test)
{
	expect_names(test, "GFP_KERNEL|__GFP_ZERO", GFP_KERNEL | __GFP_ZERO);
	expect_names(test, "GFP_KERNEL|__GFP_NOWARN|__GFP_COMP|__GFP_THISNODE",
		     GFP_KERNEL | __GFP_COMP | __GFP_NOWARN | __GFP_THISNODE);
	expect_names(test, "GFP_ATOMIC|__GFP_NOWARN|__GFP_NOMEMALLOC",
		     GFP_ATOMIC | __GFP_NOWARN | __GFP_NOMEMALLOC);
	expect_names(test, "GFP_USER|GFP_DMA32", GFP_USER | GFP_DMA32);
	expect_names(test, "GFP_NOIO|__GFP_FS", __GFP_RECLAIM | __GFP_FS);
	expect_names(test, "__GFP_HIGH|__GFP_DIRECT_RECLAIM", __GFP_HIGH | __GFP_DIRECT_RECLAIM);
}

static void single_bits(struct kunit *test)
{
#define EXPECT_NAME(flag) expect_names(test, #flag, flag)
	EXPECT_NAME(__GFP_HIGHMEM);
	EXPECT_NAME(__GFP_HIGH);
	EXPECT_NAME(__GFP_IO);
	EXPECT_NAME(__GFP_FS);
	EXPECT_NAME(__GFP_NOWARN);
	EXPECT_NAME(__GFP_RETRY_MAYFAIL);
	EXPECT_NAME(__GFP_NOFAIL);
	EXPECT_NAME(__GFP_NORETRY);
	EXPECT_NAME(__GFP_COMP);
	EXPECT_NAME(__GFP_ZERO);
	EXPECT_NAME(__GFP_NOMEMALLOC);
	EXPECT_NAME(__GFP_MEMALLOC);
	EXPECT_NAME(__GFP_HARDWALL);
	EXPECT_NAME(__GFP_THISNODE);
	EXPECT_NAME(__GFP_RECLAIMABLE);
	EXPECT_NAME(__GFP_MOVABLE);
	EXPECT_NAME(__GFP_ACCOUNT);
	EXPECT_NAME(__GFP_WRITE);
	EXPECT_NAME(__GFP_DIRECT_RECLAIM);
	EXPECT_NAME(__GFP_KSWAPD_RECLAIM);
#undef EXPECT_NAME
}

/* Bits without a name. */
static void numbers(struct kunit *test)
{
	expect_names(test, "GFP_KERNEL|0x80000000", GFP_KERNEL | (__force gfp_t)0x80000000u);
	expect_names(test, "0x40000000", (__force gfp_t)0x40000000u);
}

static struct kunit_case gfp_names_cases[] = {
	KUNIT_CASE(nothing),
	KUNIT_CASE(composites),
	KUNIT_CASE(composites_and_bits),
	KUNIT_CASE(single_bits),
	KUNIT_CASE(numbers),
	{}
};

static struct kunit_suite gfp_names_suite = {
	.name = "conformance_gfp_names",
	.test_cases = gfp_names_cases,
};

kunit_test_suite(gfp_names_suite);

MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("conformance: names of gfp flags");
