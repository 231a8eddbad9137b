// SPDX-License-Identifier: MIT
/* Blocks of pages: alloc_pages() and its relatives, linux/gfp.h. */
#include <linux/fault-inject.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/vmstat.h>

#include "../conformance.h"

/* Pages that the rest of the kernel may take or give back meanwhile. */
#define SLACK 32

static const gfp_t contexts[] = {
	GFP_KERNEL, GFP_ATOMIC, GFP_NOWAIT, GFP_NOIO, GFP_NOFS, GFP_USER, GFP_HIGHUSER,
	GFP_HIGHUSER_MOVABLE, GFP_KERNEL_ACCOUNT, GFP_KERNEL | __GFP_RECLAIMABLE,
	GFP_KERNEL | __GFP_NORETRY, GFP_KERNEL | __GFP_RETRY_MAYFAIL, GFP_KERNEL | __GFP_NOFAIL,
	GFP_KERNEL | __GFP_MEMALLOC, GFP_KERNEL | __GFP_NOMEMALLOC, GFP_KERNEL | __GFP_THISNODE,
	GFP_KERNEL | __GFP_HARDWALL, GFP_KERNEL | __GFP_WRITE, 0,
};

/* Every order up to MAX_PAGE_ORDER, in every context. */
static void every_order_in_every_context(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(contexts); i++) {
		for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
			struct page *page;

			/* NOFAIL beyond order 1 is warned about. */
			if ((contexts[i] & __GFP_NOFAIL) && order > 1)
				break;
			page = alloc_pages(contexts[i], order);
			KUNIT_ASSERT_NOT_NULL_MSG(test, page, "gfp %#x order %u",
						  (__force unsigned int)contexts[i], order);
			__free_pages(page, order);
		}
	}
}

/* A block of order n is aligned to its size, in address and in page frame number. */
static void blocks_are_aligned(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *held[4];

		for (unsigned int i = 0; i < ARRAY_SIZE(held); i++) {
			held[i] = alloc_pages(GFP_KERNEL, order);
			KUNIT_ASSERT_NOT_NULL(test, held[i]);
			KUNIT_EXPECT_TRUE(test, IS_ALIGNED(page_to_pfn(held[i]), 1UL << order));
			KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(page_address(held[i])));
			for (unsigned int other = 0; other < i; other++)
				KUNIT_EXPECT_PTR_NE(test, held[other], held[i]);
		}
		for (unsigned int i = 0; i < ARRAY_SIZE(held); i++)
			__free_pages(held[i], order);
	}
}

/* The pages of a block follow each other, and each can be written to as a whole. */
static void blocks_are_contiguous_and_writable(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);
		unsigned long *words, wrong = 0;

		KUNIT_ASSERT_NOT_NULL(test, page);
		words = page_address(page);
		for (unsigned long i = 0; i < 1UL << order; i++) {
			KUNIT_EXPECT_EQ(test, page_to_pfn(page + i), page_to_pfn(page) + i);
			KUNIT_EXPECT_PTR_EQ(test, page_address(page + i),
					    page_address(page) + i * PAGE_SIZE);
		}
		for (unsigned long i = 0; i < (PAGE_SIZE << order) / sizeof(*words); i++)
			words[i] = i ^ order;
		for (unsigned long i = 0; i < (PAGE_SIZE << order) / sizeof(*words); i++)
			wrong += words[i] != (i ^ order);
		KUNIT_EXPECT_EQ(test, wrong, 0);
		__free_pages(page, order);
	}
}

/* Two live blocks share no page, whatever their orders. */
static void live_blocks_do_not_overlap(struct kunit *test)
{
	struct page *blocks[MAX_PAGE_ORDER + 1];

	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		blocks[order] = alloc_pages(GFP_KERNEL, order);
		KUNIT_ASSERT_NOT_NULL(test, blocks[order]);
	}
	for (unsigned int a = 0; a <= MAX_PAGE_ORDER; a++)
		for (unsigned int b = 0; b < a; b++)
			KUNIT_EXPECT_TRUE(test, blocks[a] + (1UL << a) <= blocks[b] ||
						blocks[b] + (1UL << b) <= blocks[a]);
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++)
		__free_pages(blocks[order], order);
}

/* A block takes 2^order pages off the free ones, and gives all of them back. */
static void free_count_follows_order(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *held[16];
		long before = free_pages_now(), taken;

		for (unsigned int i = 0; i < ARRAY_SIZE(held); i++)
			held[i] = alloc_pages(GFP_KERNEL, order);
		taken = before - free_pages_now();
		for (unsigned int i = 0; i < ARRAY_SIZE(held); i++) {
			KUNIT_EXPECT_NOT_NULL(test, held[i]);
			if (held[i])
				__free_pages(held[i], order);
		}
		KUNIT_EXPECT_LE(test, abs(taken - (16L << order)), 12);
		KUNIT_EXPECT_LE(test, abs(before - free_pages_now()), 12);
	}
}

/* Beyond MAX_PAGE_ORDER there is nothing; NOWARN keeps it quiet. */
static void too_large_orders_fail(struct kunit *test)
{
	static const unsigned int orders[] = { MAX_PAGE_ORDER + 1, MAX_PAGE_ORDER + 2, 20, 31, 52,
					       UINT_MAX };

	for (unsigned int i = 0; i < ARRAY_SIZE(orders); i++) {
		const gfp_t quiet = GFP_KERNEL | __GFP_NOWARN;

		KUNIT_EXPECT_NULL(test, alloc_pages(quiet, orders[i]));
		KUNIT_EXPECT_NULL(test, alloc_pages(quiet | __GFP_COMP, orders[i]));
		KUNIT_EXPECT_NULL(test, alloc_pages(GFP_NOWAIT, orders[i]));
		KUNIT_EXPECT_EQ(test, __get_free_pages(quiet, orders[i]), 0);
		KUNIT_EXPECT_EQ(test, __get_free_pages(quiet | __GFP_ZERO, orders[i]), 0);
	}
}

static unsigned long nonzero_bytes(const void *addr, unsigned long size)
{
	return memchr_inv(addr, 0, size) ? 1 : 0;
}

/* __GFP_ZERO clears all pages of a block, also memory that was just used and freed. */
static void zero_clears_the_whole_block(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		for (unsigned int round = 0; round < 3; round++) {
			gfp_t gfp = GFP_KERNEL | __GFP_ZERO | (round == 1 ? __GFP_COMP : 0);
			struct page *page = alloc_pages(gfp, order);

			KUNIT_ASSERT_NOT_NULL(test, page);
			KUNIT_EXPECT_EQ(test, nonzero_bytes(page_address(page),
							    PAGE_SIZE << order), 0);
			memset(page_address(page), 0xa5, PAGE_SIZE << order);
			__free_pages(page, order);
		}
	}
}

/* Without it, memory is not cleared: what comes back at once is as it was left. */
static void content_stays_without_zero(struct kunit *test)
{
	unsigned int seen = 0;

	for (unsigned int round = 0; round < 100; round++) {
		unsigned long addr = __get_free_page(GFP_KERNEL);

		KUNIT_ASSERT_NE(test, addr, 0);
		seen += *(unsigned long *)(addr + 8) == 0x5ca1ab1e;
		*(unsigned long *)(addr + 8) = 0x5ca1ab1e;
		free_page(addr);
	}
	KUNIT_EXPECT_GT(test, seen, 0);
}

/* The most recently freed page of this CPU is the next to be handed out: it is cache-hot. */
static void last_freed_is_first_reused(struct kunit *test)
{
	for (unsigned int order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++) {
		unsigned int same = 0;

		for (unsigned int round = 0; round < 100; round++) {
			struct page *first = alloc_pages(GFP_KERNEL, order), *second;

			KUNIT_ASSERT_NOT_NULL(test, first);
			__free_pages(first, order);
			second = alloc_pages(GFP_KERNEL, order);
			KUNIT_ASSERT_NOT_NULL(test, second);
			same += first == second;
			__free_pages(second, order);
		}
		KUNIT_EXPECT_GE(test, same, 90);
	}
}

/* The node forms: the machine's one node, or none in particular. */
static void node_forms(struct kunit *test)
{
	static const int nodes[] = { 0, NUMA_NO_NODE };

	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page;

		for (unsigned int i = 0; i < ARRAY_SIZE(nodes); i++) {
			page = alloc_pages_node(nodes[i], GFP_KERNEL, order);
			KUNIT_ASSERT_NOT_NULL(test, page);
			KUNIT_EXPECT_EQ(test, page_to_nid(page), 0);
			__free_pages(page, order);
		}
		page = alloc_pages_node(numa_node_id(), GFP_KERNEL | __GFP_THISNODE, order);
		KUNIT_ASSERT_NOT_NULL(test, page);
		__free_pages(page, order);
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
		page = __alloc_pages_node(numa_node_id(), GFP_KERNEL | __GFP_THISNODE, order);
		KUNIT_ASSERT_NOT_NULL(test, page);
		__free_pages(page, order);
		page = __alloc_pages(GFP_KERNEL, order, numa_mem_id(), NULL);
		KUNIT_ASSERT_NOT_NULL(test, page);
		__free_pages(page, order);
#endif
	}
}

/* The names with _noprof are the functions behind the macros. */
static void noprof_names(struct kunit *test)
{
	struct page *page = alloc_pages_noprof(GFP_KERNEL, 1);
	unsigned long addr;

	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_pages(page, 1);
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
	page = __alloc_pages_noprof(GFP_KERNEL, 2, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_pages(page, 2);
#endif
	page = alloc_pages_node_noprof(NUMA_NO_NODE, GFP_KERNEL, 0);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
	addr = get_free_pages_noprof(GFP_KERNEL, 3);
	KUNIT_ASSERT_NE(test, addr, 0);
	free_pages(addr, 3);
	addr = get_zeroed_page_noprof(GFP_KERNEL);
	KUNIT_ASSERT_NE(test, addr, 0);
	free_page(addr);
}

/* The halves of a split block merge again: a large block can be had after many small ones. */
static void freed_neighbours_merge(struct kunit *test)
{
	enum { NR = 2048 };
	struct page **pages = kvcalloc(NR, sizeof(*pages), GFP_KERNEL);
	long before = free_pages_now();
	struct page *large;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	for (unsigned int i = 0; i < NR; i++)
		pages[i] = alloc_page(GFP_KERNEL);
	/* Frees every other page first, so that no free page has a free neighbour. */
	for (unsigned int i = 0; i < NR; i += 2)
		if (pages[i])
			__free_page(pages[i]);
	for (unsigned int i = 1; i < NR; i += 2)
		if (pages[i])
			__free_page(pages[i]);
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
	large = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
	KUNIT_EXPECT_NOT_NULL(test, large);
	if (large)
		__free_pages(large, MAX_PAGE_ORDER);
	kvfree(pages);
}

/* is_free_buddy_page(): true for each page of a free block, false once it is handed out. */
static void free_pages_are_the_buddy_lists(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 6);
	unsigned int taken = 0, free = 0;

	KUNIT_ASSERT_NOT_NULL(test, page);
	for (unsigned int i = 0; i < 64; i++)
		taken += !is_free_buddy_page(page + i);
	__free_pages(page, 6);
	free_pages_now();
	for (unsigned int i = 0; i < 64; i++)
		free += is_free_buddy_page(page + i);
	KUNIT_EXPECT_EQ(test, taken, 64);
	KUNIT_EXPECT_EQ(test, free, 64);
}

/* should_fail_alloc_page(): nothing fails unless somebody asked for it. */
static void no_fault_unless_asked(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		KUNIT_EXPECT_FALSE(test, should_fail_alloc_page(GFP_NOWAIT, order));
		KUNIT_EXPECT_FALSE(test, should_fail_alloc_page(GFP_KERNEL, order));
	}
}

/* MAX_PAGE_ORDER and the constants around it. */
static void constants(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, MAX_PAGE_ORDER, 10);
	KUNIT_EXPECT_EQ(test, NR_PAGE_ORDERS, MAX_PAGE_ORDER + 1);
	KUNIT_EXPECT_EQ(test, MAX_ORDER_NR_PAGES, 1UL << MAX_PAGE_ORDER);
	KUNIT_EXPECT_EQ(test, PAGE_ALLOC_COSTLY_ORDER, 3);
	KUNIT_EXPECT_EQ(test, PAGE_SIZE, 1UL << PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, PAGE_MASK, ~(PAGE_SIZE - 1));
	KUNIT_EXPECT_EQ(test, pageblock_nr_pages, 1UL << pageblock_order);
	KUNIT_EXPECT_LE(test, pageblock_order, MAX_PAGE_ORDER);
}

/* get_order(): the smallest order that holds so many bytes, for sizes around every power. */
static void order_of_size(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, get_order(1), 0);
	for (unsigned int order = 0; order <= 20; order++) {
		unsigned long size = PAGE_SIZE << order;

		KUNIT_EXPECT_EQ(test, get_order(size), order);
		KUNIT_EXPECT_EQ(test, get_order(size + 1), order + 1);
		KUNIT_EXPECT_EQ(test, get_order(size - 1), order);
		KUNIT_EXPECT_EQ(test, get_order(size / 2 + 1), order);
	}
}

static struct kunit_case alloc_cases[] = {
	KUNIT_CASE(every_order_in_every_context),
	KUNIT_CASE(blocks_are_aligned),
	KUNIT_CASE(blocks_are_contiguous_and_writable),
	KUNIT_CASE(live_blocks_do_not_overlap),
	KUNIT_CASE(free_count_follows_order),
	KUNIT_CASE(too_large_orders_fail),
	KUNIT_CASE(zero_clears_the_whole_block),
	KUNIT_CASE(content_stays_without_zero),
	KUNIT_CASE(last_freed_is_first_reused),
	KUNIT_CASE(node_forms),
	KUNIT_CASE(noprof_names),
	KUNIT_CASE(freed_neighbours_merge),
	KUNIT_CASE(free_pages_are_the_buddy_lists),
	KUNIT_CASE(no_fault_unless_asked),
	KUNIT_CASE(constants),
	KUNIT_CASE(order_of_size),
	{}
};

static struct kunit_suite alloc_suite = {
	.name = "conformance_page_alloc",
	.test_cases = alloc_cases,
};
kunit_test_suite(alloc_suite);
MODULE_DESCRIPTION("page blocks of all orders");
MODULE_LICENSE("Dual MIT/GPL");
