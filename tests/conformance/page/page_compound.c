// SPDX-License-Identifier: MIT
/* Compound pages and folios: which page stands for which. linux/page-flags.h, linux/mm.h. */
#include <linux/gfp.h>
#include <linux/mm.h>

#include "../conformance.h"

/* order > 0 and __GFP_COMP: the first page is the head, the others are tails of it. */
static void heads_and_tails(struct kunit *test)
{
	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, order);
		unsigned long wrong = 0;

		KUNIT_ASSERT_NOT_NULL(test, page);
		KUNIT_EXPECT_TRUE(test, PageHead(page));
		KUNIT_EXPECT_TRUE(test, PageCompound(page));
		KUNIT_EXPECT_FALSE(test, PageTail(page));
		KUNIT_EXPECT_PTR_EQ(test, compound_head(page), page);
		for (unsigned long i = 1; i < 1UL << order; i++) {
			wrong += !PageTail(page + i);
			wrong += PageHead(page + i);
			wrong += !PageCompound(page + i);
			wrong += compound_head(page + i) != page;
		}
		KUNIT_EXPECT_EQ(test, wrong, 0);
		__free_pages(page, order);
	}
}

/* Without __GFP_COMP no page of a block knows of the others. */
static void plain_blocks_are_not_compound(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);
		unsigned long wrong = 0;

		KUNIT_ASSERT_NOT_NULL(test, page);
		for (unsigned long i = 0; i < 1UL << order; i++) {
			wrong += PageHead(page + i) || PageTail(page + i) || PageCompound(page + i);
			wrong += compound_head(page + i) != page + i;
		}
		KUNIT_EXPECT_EQ(test, wrong, 0);
		KUNIT_EXPECT_EQ(test, compound_order(page), 0);
		KUNIT_EXPECT_EQ(test, compound_nr(page), 1);
		__free_pages(page, order);
	}
}

/* One page is never compound, whatever was asked for. */
static void single_page_is_not_compound(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, 0);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_FALSE(test, PageCompound(page));
	KUNIT_EXPECT_FALSE(test, PageHead(page));
	KUNIT_EXPECT_EQ(test, compound_order(page), 0);
	KUNIT_EXPECT_EQ(test, page_size(page), PAGE_SIZE);
	__free_page(page);
}

/* compound_order(), compound_nr(), page_size(), page_shift() of the head. */
static void sizes(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, order);

		KUNIT_ASSERT_NOT_NULL(test, page);
		KUNIT_EXPECT_EQ(test, compound_order(page), order);
		KUNIT_EXPECT_EQ(test, compound_nr(page), 1UL << order);
		KUNIT_EXPECT_EQ(test, page_size(page), PAGE_SIZE << order);
		KUNIT_EXPECT_EQ(test, page_shift(page), PAGE_SHIFT + order);
		KUNIT_EXPECT_EQ(test, thp_order(page), order);
		__free_pages(page, order);
	}
}

/* virt_to_page() is the page of the address, virt_to_head_page() the head of it. */
static void from_any_address_inside(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, order);
		char *addr;
		unsigned long wrong = 0;

		KUNIT_ASSERT_NOT_NULL(test, page);
		addr = page_address(page);
		for (unsigned long offset = 0; offset < PAGE_SIZE << order; offset += 509) {
			wrong += virt_to_page(addr + offset) != page + (offset >> PAGE_SHIFT);
			wrong += virt_to_head_page(addr + offset) != page;
			wrong += virt_to_folio(addr + offset) != page_folio(page);
		}
		KUNIT_EXPECT_EQ(test, wrong, 0);
		__free_pages(page, order);
	}
}

/* A folio is the head page; every page of it leads to it, and it leads to every page. */
static void folio_and_its_pages(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct folio *folio = folio_alloc(GFP_KERNEL, order);
		unsigned long wrong = 0;

		KUNIT_ASSERT_NOT_NULL(test, folio);
		KUNIT_EXPECT_EQ(test, folio_order(folio), order);
		KUNIT_EXPECT_EQ(test, folio_nr_pages(folio), 1L << order);
		KUNIT_EXPECT_EQ(test, folio_size(folio), PAGE_SIZE << order);
		KUNIT_EXPECT_EQ(test, folio_shift(folio), PAGE_SHIFT + order);
		KUNIT_EXPECT_EQ(test, folio_test_large(folio), order > 0);
		KUNIT_EXPECT_EQ(test, folio_pfn(folio), page_to_pfn(&folio->page));
		KUNIT_EXPECT_PTR_EQ(test, folio_address(folio), page_address(&folio->page));
		KUNIT_EXPECT_EQ(test, folio_nid(folio), 0);
		KUNIT_EXPECT_PTR_EQ(test, folio_zone(folio), page_zone(&folio->page));
		for (unsigned long i = 0; i < 1UL << order; i++) {
			struct page *page = folio_page(folio, i);

			wrong += page != &folio->page + i;
			wrong += page_folio(page) != folio;
			wrong += folio_page_idx(folio, page) != i;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
			wrong += page != nth_page(&folio->page, i);
#endif
		}
		KUNIT_EXPECT_EQ(test, wrong, 0);
		folio_put(folio);
	}
}

/* The forms that name a node. */
static void folio_node_forms(struct kunit *test)
{
	struct folio *folio = __folio_alloc(GFP_KERNEL, 2, 0, NULL);

	KUNIT_ASSERT_NOT_NULL(test, folio);
	KUNIT_EXPECT_EQ(test, folio_order(folio), 2);
	folio_put(folio);
	folio = __folio_alloc_node(GFP_KERNEL, 1, numa_node_id());
	KUNIT_ASSERT_NOT_NULL(test, folio);
	KUNIT_EXPECT_EQ(test, folio_nr_pages(folio), 2);
	folio_put(folio);
	KUNIT_EXPECT_NULL(test, folio_alloc(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER + 1));
}

/*
 * A block that was compound is plain when it is allocated again as a plain block, and the other way
 * round.
 */
static void marks_end_with_the_block(struct kunit *test)
{
	for (unsigned int order = 1; order <= 5; order++) {
		for (unsigned int round = 0; round < 8; round++) {
			gfp_t gfp = GFP_KERNEL | (round % 2 ? 0 : __GFP_COMP);
			struct page *page = alloc_pages(gfp, order);
			unsigned long marked = 0;

			KUNIT_ASSERT_NOT_NULL(test, page);
			for (unsigned long i = 0; i < 1UL << order; i++)
				marked += PageCompound(page + i);
			KUNIT_EXPECT_EQ(test, marked, round % 2 ? 0 : 1UL << order);
			__free_pages(page, order);
		}
	}
}

/* Pages taken one by one from where a compound page was carry nothing of it. */
static void singles_after_compound_are_plain(struct kunit *test)
{
	struct page *pages[64], *compound = alloc_pages(GFP_KERNEL | __GFP_COMP, 6);
	unsigned int marked = 0;

	KUNIT_ASSERT_NOT_NULL(test, compound);
	__free_pages(compound, 6);
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
		marked += PageCompound(pages[i]) || compound_head(pages[i]) != pages[i];
	}
	KUNIT_EXPECT_EQ(test, marked, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++)
		__free_page(pages[i]);
}

/* Neighbouring blocks keep apart: the tails of one never lead to another. */
static void neighbours_keep_apart(struct kunit *test)
{
	enum { NR = 32 };
	struct page *blocks[NR];
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < NR; i++) {
		blocks[i] = alloc_pages(GFP_KERNEL | (i % 3 ? __GFP_COMP : 0), i % 4);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
	}
	for (unsigned int i = 0; i < NR; i++) {
		for (unsigned int page = 0; page < 1U << i % 4; page++) {
			struct page *head = i % 3 ? blocks[i] : blocks[i] + page;

			wrong += compound_head(blocks[i] + page) != head;
		}
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	for (unsigned int i = 0; i < NR; i++)
		__free_pages(blocks[i], i % 4);
}

/* What the allocator hands out to callers is no slab, not reserved, and not free. */
static void handed_out_pages_are_only_that(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);
		unsigned long wrong = 0;

		KUNIT_ASSERT_NOT_NULL(test, page);
		for (unsigned long i = 0; i < 1UL << order; i++)
			wrong += PageSlab(page + i) || PageReserved(page + i) ||
				 PageBuddy(page + i);
		KUNIT_EXPECT_EQ(test, wrong, 0);
		KUNIT_EXPECT_FALSE(test, PageHighMem(page));
		__free_pages(page, order);
	}
}

/* A slab object's page says that it is one; a large kmalloc() block does not. */
static void slab_pages_say_so(struct kunit *test)
{
	void *small = kmalloc(64, GFP_KERNEL), *large = kmalloc(4 * PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, small);
	KUNIT_ASSERT_NOT_NULL(test, large);
	KUNIT_EXPECT_TRUE(test, PageSlab(virt_to_head_page(small)));
	KUNIT_EXPECT_TRUE(test, folio_test_slab(virt_to_folio(small)));
	KUNIT_EXPECT_FALSE(test, PageSlab(virt_to_head_page(large)));
	KUNIT_EXPECT_FALSE(test, folio_test_slab(virt_to_folio(large)));
	kfree(small);
	kfree(large);
}

static struct kunit_case compound_cases[] = {
	KUNIT_CASE(heads_and_tails),
	KUNIT_CASE(plain_blocks_are_not_compound),
	KUNIT_CASE(single_page_is_not_compound),
	KUNIT_CASE(sizes),
	KUNIT_CASE(from_any_address_inside),
	KUNIT_CASE(folio_and_its_pages),
	KUNIT_CASE(folio_node_forms),
	KUNIT_CASE(marks_end_with_the_block),
	KUNIT_CASE(singles_after_compound_are_plain),
	KUNIT_CASE(neighbours_keep_apart),
	KUNIT_CASE(handed_out_pages_are_only_that),
	KUNIT_CASE(slab_pages_say_so),
	{}
};

static struct kunit_suite compound_suite = {
	.name = "conformance_page_compound",
	.test_cases = compound_cases,
};
kunit_test_suite(compound_suite);
MODULE_DESCRIPTION("compound pages and folios");
MODULE_LICENSE("Dual MIT/GPL");
