/* SPDX-License-Identifier: MIT */
/* Blocks of every order: their places, their contents, and their frees. */
#include "support/kernel.h"
#include "support/prng.h"
#include "support/shadow.h"

static const gfp_t kinds[] = { GFP_KERNEL, GFP_KERNEL | __GFP_COMP };

static struct page *must_alloc(struct kunit *test, gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(gfp, order);

	KUNIT_ASSERT_NOT_NULL_MSG(test, page, "order %u", order);
	return page;
}

static void test_page_alloc_every_order(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++)
		for (unsigned int kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
			struct page *page = must_alloc(test, kinds[kind], order);
			unsigned long nr = 1UL << order;
			char *addr = page_address(page);

			KUNIT_EXPECT_EQ(test, page_to_pfn(page) % nr, 0);
			KUNIT_EXPECT_EQ(test, (unsigned long)addr % PAGE_SIZE, 0);
			KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
			for (unsigned long i = 0; i < nr; i++) {
				KUNIT_ASSERT_PTR_EQ(test, page_address(page + i),
						    addr + i * PAGE_SIZE);
				KUNIT_ASSERT_PTR_EQ(test, virt_to_page(addr + i * PAGE_SIZE),
						    page + i);
			}
			memset(addr, 0x5a, nr * PAGE_SIZE);
			KUNIT_EXPECT_TRUE(test, virt_addr_valid(addr));
			KUNIT_EXPECT_TRUE(test, virt_addr_valid(addr + nr * PAGE_SIZE - 1));
			__free_pages(page, order);
		}
}

/* Hundreds of blocks at a time must not touch each other. */
static void test_page_alloc_no_overlap(struct kunit *test)
{
	enum { NR = 300 };
	struct page **pages = kunit_kcalloc(test, NR, sizeof(*pages), GFP_KERNEL);
	struct shadow shadow;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	KUNIT_ASSERT_TRUE(test, shadow_init(&shadow, PAGE_SHIFT, 4096));
	for (unsigned int i = 0; i < NR; i++) {
		unsigned int order = i % 8;

		pages[i] = must_alloc(test, kinds[i % 2], order);
		KUNIT_ASSERT_EQ(test, shadow_claim(&shadow, page_address(pages[i]),
						   PAGE_SIZE << order), 0);
	}
	for (unsigned int i = 0; i < NR; i++)
		__free_pages(pages[i], i % 8);
	shadow_destroy(&shadow);
}

static void test_page_alloc_compound(struct kunit *test)
{
	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = must_alloc(test, GFP_KERNEL | __GFP_COMP, order);
		unsigned long nr = 1UL << order;

		KUNIT_EXPECT_EQ(test, compound_order(page), order);
		for (unsigned long i = 0; i < nr; i++) {
			KUNIT_ASSERT_PTR_EQ(test, compound_head(page + i), page);
			KUNIT_ASSERT_TRUE(test, PageCompound(page + i));
		}
		KUNIT_EXPECT_PTR_EQ(test, virt_to_head_page((char *)page_address(page) +
							    nr * PAGE_SIZE - 1), page);
		__free_pages(page, order);
	}
}

static void test_page_alloc_not_compound(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = must_alloc(test, GFP_KERNEL, order);

		KUNIT_EXPECT_EQ(test, compound_order(page), 0);
		for (unsigned long i = 0; i < 1UL << order; i++) {
			KUNIT_ASSERT_PTR_EQ(test, compound_head(page + i), page + i);
			KUNIT_ASSERT_FALSE(test, PageCompound(page + i));
			KUNIT_ASSERT_EQ(test, page_ref_count(page + i), i == 0);
		}
		__free_pages(page, order);
	}
	/* Order 0 is never compound. */
	{
		struct page *page = must_alloc(test, GFP_KERNEL | __GFP_COMP, 0);

		KUNIT_EXPECT_FALSE(test, PageCompound(page));
		put_page(page);
	}
}

static void test_page_alloc_references(struct kunit *test)
{
	struct page *page = must_alloc(test, GFP_KERNEL | __GFP_COMP, 3);

	get_page(page);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 2);
	get_page(page + 5);	/* a tail stands for its head */
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 3);
	put_page(page + 7);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 2);
	free_pages((unsigned long)page_address(page), 3);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
	KUNIT_EXPECT_PTR_EQ(test, compound_head(page + 7), page);
	KUNIT_EXPECT_EQ(test, compound_order(page), 3);
	put_page(page + 1);
}

static void test_page_alloc_order_too_high(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER + 1));
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN, 40));
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN | __GFP_COMP,
					    MAX_PAGE_ORDER + 1));
	KUNIT_EXPECT_EQ(test, __get_free_pages(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER + 1),
			0);
}

static void test_page_alloc_free_of_zero(struct kunit *test)
{
	free_pages(0, 0);
	free_pages(0, 3);
	free_page(0);
	KUNIT_SUCCEED(test);
}

static void test_page_alloc_by_address(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		unsigned long addr = __get_free_pages(GFP_KERNEL | __GFP_HIGHMEM, order);

		KUNIT_ASSERT_NE(test, addr, 0);
		KUNIT_EXPECT_EQ(test, addr % PAGE_SIZE, 0);
		KUNIT_EXPECT_EQ(test, page_ref_count(virt_to_page((void *)addr)), 1);
		memset((void *)addr, 1, PAGE_SIZE << order);
		free_pages(addr, order);
	}
}

static void dirty_some(struct kunit *test, unsigned int order, unsigned int nr)
{
	struct page *pages[64];

	for (unsigned int i = 0; i < nr; i++) {
		pages[i] = must_alloc(test, GFP_KERNEL, order);
		memset(page_address(pages[i]), 0xff, PAGE_SIZE << order);
	}
	while (nr--)
		__free_pages(pages[nr], order);
}

static void test_page_alloc_zeroed_page(struct kunit *test)
{
	unsigned long addrs[64];

	dirty_some(test, 0, 64);
	for (unsigned int i = 0; i < 64; i++) {
		addrs[i] = get_zeroed_page(GFP_KERNEL);
		KUNIT_ASSERT_NE(test, addrs[i], 0);
		KUNIT_EXPECT_TRUE(test, shadow_all_bytes((void *)addrs[i], PAGE_SIZE, 0));
	}
	for (unsigned int i = 0; i < 64; i++)
		free_page(addrs[i]);
}

/* Fresh memory, dirty memory, and blocks that are joined from both. */
static void test_page_alloc_zero_flag(struct kunit *test)
{
	for (unsigned int round = 0; round < 6; round++)
		for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
			struct page *page = must_alloc(test, GFP_KERNEL | __GFP_ZERO |
						       (round & 1 ? __GFP_COMP : 0), order);
			unsigned long bytes = PAGE_SIZE << order;

			KUNIT_EXPECT_TRUE_MSG(test, shadow_all_bytes(page_address(page), bytes, 0),
					      "order %u, round %u", order, round);
			/* One dirty page anywhere in the block must be noticed. */
			memset((char *)page_address(page) +
			       ((unsigned long)round * 7919 % (bytes / 64)) * 64, 0xff, 64);
			__free_pages(page, order);
			dirty_some(test, order < 4 ? order : 0, round % 4);
		}
}

struct block {
	struct page *page;
	unsigned int order;
	u64 owner;
};

/* Stamps each page of a block, so that an overlap shows in whichever page. */
static void stamp_block(const struct block *block)
{
	for (unsigned long i = 0; i < 1UL << block->order; i++)
		shadow_stamp(page_address(block->page + i), PAGE_SIZE, block->owner + i);
}

static bool stamps_hold(const struct block *block)
{
	for (unsigned long i = 0; i < 1UL << block->order; i++)
		if (!shadow_stamp_holds(page_address(block->page + i), PAGE_SIZE,
					block->owner + i))
			return false;
	return true;
}

static void alloc_random(struct kunit *test, struct shadow *shadow, struct prng *prng,
			 struct block *block)
{
	/* Small orders are common, large ones happen. */
	unsigned int order = prng_below(prng, prng_below(prng, MAX_PAGE_ORDER) + 2);
	gfp_t gfp = GFP_KERNEL | (prng_one_in(prng, 2) ? __GFP_COMP : 0) |
		    (prng_one_in(prng, 4) ? __GFP_ZERO : 0);

	block->order = order;
	block->owner = prng_u64(prng);
	block->page = must_alloc(test, gfp, order);
	KUNIT_ASSERT_EQ(test, page_to_pfn(block->page) & ((1UL << order) - 1), 0);
	KUNIT_ASSERT_EQ(test, page_ref_count(block->page), 1);
	KUNIT_ASSERT_EQ_MSG(test, shadow_claim(shadow, page_address(block->page),
					       PAGE_SIZE << order), 0, "order %u", order);
	if (gfp & __GFP_ZERO)
		KUNIT_ASSERT_TRUE(test, shadow_all_bytes(page_address(block->page),
							 PAGE_SIZE << order, 0));
	stamp_block(block);
}

static void free_random(struct kunit *test, struct shadow *shadow, struct prng *prng,
			struct block *block)
{
	struct page *page = block->page;

	KUNIT_ASSERT_TRUE_MSG(test, stamps_hold(block), "order %u", block->order);
	KUNIT_ASSERT_EQ(test, shadow_release(shadow, page_address(page),
					     PAGE_SIZE << block->order), 0);
	if (PageCompound(page) && prng_one_in(prng, 2))
		put_page(page + prng_below(prng, 1UL << block->order));
	else if (prng_one_in(prng, 2))
		free_pages((unsigned long)page_address(page), block->order);
	else
		__free_pages(page, block->order);
	block->page = NULL;
}

static void test_page_alloc_random_mix(struct kunit *test)
{
	enum { NR = 400, STEPS = 150000 };
	struct block *blocks = test_memory_alloc(NR * sizeof(*blocks));
	struct prng prng = { 2026 };
	struct shadow shadow;

	KUNIT_ASSERT_NOT_NULL(test, blocks);
	KUNIT_ASSERT_TRUE(test, shadow_init(&shadow, PAGE_SHIFT, 4096));
	for (unsigned int step = 0; step < STEPS; step++) {
		/* The number in use swings, so that blocks split and join. */
		unsigned int reach = step / 3000 % 2 ? NR / 8 : NR;
		struct block *block = &blocks[prng_below(&prng, NR)];

		if (block->page)
			free_random(test, &shadow, &prng, block);
		else if (block < blocks + reach)
			alloc_random(test, &shadow, &prng, block);
	}
	for (unsigned int i = 0; i < NR; i++)
		if (blocks[i].page)
			free_random(test, &shadow, &prng, &blocks[i]);
	KUNIT_EXPECT_EQ(test, shadow.nr_claimed, 0);
	shadow_destroy(&shadow);
	test_memory_free(blocks);
}

static struct kunit_case page_alloc_cases[] = {
	/* First, while most memory has never been used. */
	KUNIT_CASE(test_page_alloc_zero_flag),
	KUNIT_CASE(test_page_alloc_every_order),
	KUNIT_CASE(test_page_alloc_no_overlap),
	KUNIT_CASE(test_page_alloc_compound),
	KUNIT_CASE(test_page_alloc_not_compound),
	KUNIT_CASE(test_page_alloc_references),
	KUNIT_CASE(test_page_alloc_order_too_high),
	KUNIT_CASE(test_page_alloc_free_of_zero),
	KUNIT_CASE(test_page_alloc_by_address),
	KUNIT_CASE(test_page_alloc_zeroed_page),
	KUNIT_CASE_SLOW(test_page_alloc_random_mix),
	{ 0 },
};

static struct kunit_suite page_alloc_suite = {
	.name = "page_alloc",
	.test_cases = page_alloc_cases,
};

kunit_test_suite(page_alloc_suite);

MODULE_LICENSE("Dual MIT/GPL");
