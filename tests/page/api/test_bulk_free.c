/* SPDX-License-Identifier: MIT */
/* Giving many pages back at once, and pages without a reference count. */
#include "page/api/bulk_free.h"
#include "percpu/remote.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/prng.h"
#include "support/shadow.h"
#include "support/threads.h"

#define NR_MAX 1500

static struct page *pages[NR_MAX];

static int clear_pages(struct kunit *test)
{
	(void)test;
	memset(pages, 0, sizeof(pages));
	return test_warm_up(NULL);
}

static void test_bulk_free_all(struct kunit *test)
{
	static const unsigned long counts[] = { 0, 1, 2, 63, 64, 65, 511, 512, NR_MAX };
	size_t start = test_unused_bytes();

	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
		KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, counts[i], pages),
				counts[i]);
		KUNIT_EXPECT_EQ(test, start - test_unused_bytes(), counts[i] * PAGE_SIZE);
		free_pages_bulk(pages, counts[i]);
		KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
		memset(pages, 0, sizeof(pages));
	}
}

static size_t listed_bytes(void)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	return stats.pcp_bytes;
}

/* Bulk frees alone also put pages on this CPU's list, neighbours included. */
static void test_bulk_free_makes_lists_ready(struct kunit *test)
{
	test_pin(0);
	/* Cases before this one may have run on other CPUs. */
	drain_all_pages(NULL);
	for (unsigned int frozen = 0; frozen < 2; frozen++) {
		struct page *block = alloc_frozen_pages(GFP_KERNEL, 6);

		KUNIT_ASSERT_NOT_NULL(test, block);
		drain_local_pages(NULL);
		KUNIT_ASSERT_EQ(test, listed_bytes(), 0);
		for (unsigned int i = 0; i < 64; i++) {
			pages[i] = block + i;
			pages[i]->_refcount = !frozen;
		}
		if (frozen)
			free_frozen_pages_bulk(pages, 64);
		else
			free_pages_bulk(pages, 64);
		KUNIT_EXPECT_GE(test, listed_bytes(), 16 * PAGE_SIZE);
		memset(pages, 0, sizeof(pages));
	}
	test_unpin();
}

static void test_bulk_free_skips_null(struct kunit *test)
{
	size_t start = test_unused_bytes();
	struct prng prng = { 5 };

	free_pages_bulk(pages, NR_MAX);
	for (unsigned int round = 0; round < 50; round++) {
		memset(pages, 0, sizeof(pages));
		for (unsigned int i = 0; i < 200; i++) {
			unsigned int at = prng_below(&prng, NR_MAX);

			if (!pages[at])
				pages[at] = alloc_page(GFP_KERNEL);
		}
		free_pages_bulk(pages, NR_MAX);
		KUNIT_ASSERT_EQ(test, test_unused_bytes(), start);
	}
}

/* It drops one reference of each page, whatever kind of page it is. */
static void test_bulk_free_drops_one_reference(struct kunit *test)
{
	size_t start = test_unused_bytes();
	struct page *shared = alloc_page(GFP_KERNEL);
	struct page *compound = alloc_pages(GFP_KERNEL | __GFP_COMP, 3);

	KUNIT_ASSERT_NOT_NULL(test, shared);
	KUNIT_ASSERT_NOT_NULL(test, compound);
	get_page(shared);
	get_page(compound);
	pages[0] = shared;
	pages[1] = alloc_page(GFP_KERNEL);
	pages[3] = compound + 2;
	pages[4] = compound;
	KUNIT_ASSERT_NOT_NULL(test, pages[1]);
	free_pages_bulk(pages, 5);
	KUNIT_EXPECT_EQ(test, page_ref_count(shared), 1);
	KUNIT_EXPECT_EQ(test, start - test_unused_bytes(), PAGE_SIZE);
	put_page(shared);
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
}

static void test_frozen_every_order(struct kunit *test)
{
	size_t start = test_unused_bytes();

	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++)
		for (unsigned int zero = 0; zero < 2; zero++) {
			struct page *page = alloc_frozen_pages(GFP_KERNEL |
							       (zero ? __GFP_ZERO : 0), order);
			unsigned long bytes = PAGE_SIZE << order;

			KUNIT_ASSERT_NOT_NULL(test, page);
			KUNIT_EXPECT_EQ(test, page_to_pfn(page) & ((1UL << order) - 1), 0);
			KUNIT_EXPECT_EQ(test, page_ref_count(page), 0);
			if (zero)
				KUNIT_EXPECT_TRUE(test, shadow_all_bytes(page_address(page),
									 bytes, 0));
			memset(page_address(page), 0x77, bytes);
			KUNIT_EXPECT_EQ(test, start - test_unused_bytes(), bytes);
			free_frozen_pages(page, order);
			KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
		}
	KUNIT_EXPECT_NULL(test, alloc_frozen_pages(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER + 1));
}

static void test_frozen_bulk(struct kunit *test)
{
	static const unsigned long counts[] = { 1, 2, 63, 64, 65, 511, 512, 513, NR_MAX };
	size_t start = test_unused_bytes();
	struct shadow shadow;

	KUNIT_EXPECT_EQ(test, alloc_frozen_pages_bulk(GFP_KERNEL, 0, pages), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
		unsigned long nr = counts[i];

		KUNIT_ASSERT_TRUE(test, shadow_init(&shadow, PAGE_SHIFT, NR_MAX));
		KUNIT_ASSERT_EQ(test, alloc_frozen_pages_bulk(GFP_KERNEL | __GFP_ZERO, nr, pages),
				nr);
		KUNIT_EXPECT_EQ(test, start - test_unused_bytes(), nr * PAGE_SIZE);
		for (unsigned long k = 0; k < nr; k++) {
			KUNIT_ASSERT_EQ(test, shadow_claim(&shadow, page_address(pages[k]),
							   PAGE_SIZE), 0);
			KUNIT_ASSERT_EQ(test, page_ref_count(pages[k]), 0);
			KUNIT_ASSERT_TRUE(test, shadow_all_bytes(page_address(pages[k]),
								 PAGE_SIZE, 0));
			memset(page_address(pages[k]), 0x99, PAGE_SIZE);
		}
		free_frozen_pages_bulk(pages, nr);
		KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
		shadow_destroy(&shadow);
	}
	free_frozen_pages_bulk(pages, 0);
}

/* A compound page goes as a whole, wherever it stands and however many there are. */
static void test_bulk_free_compound(struct kunit *test)
{
	enum { NR = 33, ORDER = 3 };
	size_t start = test_unused_bytes();

	for (unsigned int nr = 1; nr <= NR; nr += nr == 1 ? 1 : 31)
		for (unsigned int at = 0; at < nr; at += nr > 1 ? nr - 1 : 1) {
			struct page *pages[NR];

			for (unsigned int i = 0; i < nr; i++)
				pages[i] = test_must_alloc(test,
							   GFP_KERNEL | (i == at ? __GFP_COMP : 0),
							   i == at ? ORDER : 0);
			free_pages_bulk(pages, nr);
			KUNIT_EXPECT_EQ_MSG(test, test_unused_bytes(), start, "%u of %u", at, nr);
		}
}

/* The pages of a split block, in order: with `holes`, some are NULL and one is shared. */
static void free_split(struct kunit *test, struct page *block, unsigned int order, bool holes)
{
	unsigned int nr = 1u << order;

	split_page(block, order);
	for (unsigned int i = 0; i < nr; i++)
		pages[i] = block + i;
	if (holes) {
		pages[nr / 2] = NULL;
		get_page(block + nr / 4);
	}
	free_pages_bulk_as_blocks(pages, nr);
	if (!holes)
		return;
	KUNIT_EXPECT_EQ(test, page_ref_count(block + nr / 2), 1);
	KUNIT_EXPECT_EQ(test, page_ref_count(block + nr / 4), 1);
	__free_page(block + nr / 2);
	__free_page(block + nr / 4);
}

/* Neighbours become one block again; pages that are no neighbours are freed as well. */
static void test_bulk_free_as_blocks(struct kunit *test)
{
	size_t start = test_unused_bytes();

	test_pin(0);
	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++) {
		struct page *block = test_must_alloc(test, GFP_KERNEL, order), *next;

		free_split(test, block, order, false);
		next = test_must_alloc(test, GFP_KERNEL, order);
		if (percpu_can_stop() && order <= PAGE_ALLOC_COSTLY_ORDER)
			KUNIT_EXPECT_PTR_EQ_MSG(test, next, block, "order %u", order);
		free_split(test, next, order, order > 2);
		KUNIT_EXPECT_EQ_MSG(test, test_unused_bytes(), start, "order %u", order);
	}
	/* Neighbours in reverse order: none is lost. */
	memset(pages, 0, sizeof(pages));
	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 100, pages), 100);
	for (unsigned int i = 0; i < 50; i++) {
		struct page *page = pages[i];

		pages[i] = pages[99 - i];
		pages[99 - i] = page;
	}
	free_pages_bulk_as_blocks(pages, 100);
	free_pages_bulk_as_blocks(pages, 0);
	memset(pages, 0, sizeof(pages));
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
}

static struct kunit_case bulk_free_cases[] = {
	KUNIT_CASE(test_bulk_free_compound),
	KUNIT_CASE(test_bulk_free_makes_lists_ready),	/* before the lists are used */
	KUNIT_CASE(test_bulk_free_all),
	KUNIT_CASE(test_bulk_free_skips_null),
	KUNIT_CASE(test_bulk_free_as_blocks),
	KUNIT_CASE(test_bulk_free_drops_one_reference),
	KUNIT_CASE(test_frozen_every_order),
	KUNIT_CASE(test_frozen_bulk),
	{ 0 },
};

static struct kunit_suite bulk_free_suite = {
	.name = "page_bulk_free",
	.init = clear_pages,
	.test_cases = bulk_free_cases,
};

kunit_test_suite(bulk_free_suite);
