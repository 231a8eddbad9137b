/* SPDX-License-Identifier: MIT */
/* Bulk requests in all their forms, split blocks, exact sizes, fragments. */
#include "page/pageblock.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "support/zones.h"

static size_t unused_bytes(void)
{
	struct usermm_stats stats;

	drain_all_pages(NULL);
	usermm_stats_read(&stats);
	return stats.free_bytes;
}

static void give_list(struct list_head *list)
{
	free_pages_bulk_list(list);
}

static unsigned long length(struct list_head *list)
{
	struct list_head *entry;
	unsigned long nr = 0;

	for (entry = list->next; entry != list; entry = entry->next)
		nr++;
	return nr;
}

static void test_forms_bulk_both(struct kunit *test)
{
	struct page *array[40] = { NULL };
	size_t start = unused_bytes();
	LIST_HEAD(list);

	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, -1, NULL, 0, NULL, array), 0);
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, -1, NULL, -5, &list, NULL), 0);
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, -1, NULL, 30, NULL, array), 30);
	KUNIT_EXPECT_NULL(test, array[30]);
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL | __GFP_ZERO, 0, NULL, 40, NULL, array),
			40);
	KUNIT_EXPECT_EQ_MSG(test, __alloc_pages_bulk(GFP_KERNEL, 0, NULL, 40, NULL, array), 40,
			    "full");
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, 0, NULL, 33, &list, NULL), 33);
	KUNIT_EXPECT_EQ(test, length(&list), 33);
	KUNIT_EXPECT_EQ_MSG(test, __alloc_pages_bulk(GFP_KERNEL, 500, NULL, 3, &list, NULL), 0,
			    "no such node");
	free_pages_bulk(array, 40);
	give_list(&list);
	KUNIT_EXPECT_TRUE(test, list_empty(&list));
	give_list(&list);
	KUNIT_EXPECT_EQ(test, unused_bytes(), start);
}

/* One page a call, into the first gap; the result counts the entries up to it. */
static void test_forms_bulk_accounted(struct kunit *test)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ACCOUNT;
	struct page *array[5] = { NULL };
	LIST_HEAD(list);

	for (unsigned long i = 1; i <= 5; i++)
		KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(gfp, -1, NULL, 5, NULL, array), i);
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(gfp, -1, NULL, 5, NULL, array), 5);
	put_page(array[2]);
	array[2] = NULL;
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(gfp, -1, NULL, 5, NULL, array), 3);
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(gfp, -1, NULL, 5, &list, NULL), 1);
	give_list(&list);
	free_pages_bulk(array, 5);
}

static void bulk_on_nodes(struct kunit *test)
{
	unsigned long only_1 = 1UL << 1;
	struct page *array[100] = { NULL };
	LIST_HEAD(list);

	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, 1, NULL, 100, NULL, array), 100);
	for (unsigned int i = 0; i < 100; i++)
		KUNIT_ASSERT_EQ(test, page_zone(array[i])->node, 1);
	free_pages_bulk(array, 100);
	memset(array, 0, sizeof(array));
	/* Only the mask's nodes of the caller's zonelist: another node's page, one at a time. */
	KUNIT_EXPECT_GE(test, __alloc_pages_bulk(GFP_KERNEL, 0, &only_1, 100, NULL, array), 1);
	for (unsigned int i = 0; i < 100 && array[i]; i++)
		KUNIT_ASSERT_EQ(test, page_zone(array[i])->node, 1);
	free_pages_bulk(array, 100);
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, 0, NULL, 64, &list, NULL), 64);
	while (!list_empty(&list)) {
		struct page *page = list_first_entry(&list, struct page, lru);

		KUNIT_ASSERT_EQ(test, page_zone(page)->node, 0);
		list_del(&page->lru);
		put_page(page);
	}
}

static void test_forms_bulk_nodes(struct kunit *test)
{
	zones_run(test, "limit=64M:nodes=2", bulk_on_nodes);
}

static void test_forms_bulk_order(struct kunit *test)
{
	size_t start = unused_bytes();

	for (unsigned int order = 0; order <= 5; order++) {
		struct page *page, *next;
		LIST_HEAD(list);

		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_order(GFP_KERNEL, order, 20, &list), 20);
		KUNIT_EXPECT_EQ(test, length(&list), 20);
		list_for_each_entry_safe(page, next, &list, lru) {
			KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
			KUNIT_EXPECT_TRUE(test, IS_ALIGNED(page_to_pfn(page), 1UL << order));
			__free_pages(page, order);
		}
	}
	KUNIT_EXPECT_EQ(test, unused_bytes(), start);
}

/* More than the list holds, in the order of their addresses: the rest goes as blocks. */
static void test_forms_bulk_runs(struct kunit *test)
{
	static struct page *array[4096];
	size_t start = unused_bytes();
	struct page *block;
	unsigned long nr = 0;

	for (; nr < 4096; nr += 1024) {
		block = alloc_pages(GFP_KERNEL, 10);
		KUNIT_ASSERT_NOT_NULL(test, block);
		split_page(block, 10);
		for (unsigned int i = 0; i < 1024; i++)
			array[nr + i] = block + i;
	}
	get_page(array[700]);
	free_pages_bulk(array, nr);
	KUNIT_EXPECT_EQ(test, page_ref_count(array[700]), 1);
	put_page(array[700]);
	KUNIT_EXPECT_EQ(test, unused_bytes(), start);
	/* Frees every second page, so that there is no run. */
	block = alloc_pages(GFP_KERNEL, 10);
	KUNIT_ASSERT_NOT_NULL(test, block);
	split_page(block, 10);
	for (unsigned int i = 0; i < 1024; i++)
		array[i] = block + (i < 512 ? 2 * i : 2 * (i - 512) + 1);
	free_pages_bulk(array, 1024);
	KUNIT_EXPECT_EQ(test, unused_bytes(), start);
}

static void test_forms_exact(struct kunit *test)
{
	static const size_t sizes[] = { 1, 4095, 4096, 4097, 3 * 4096, 5 * 4096 + 1, 100000,
					1 << 20, (1 << 20) + 1, 4 << 20 };
	size_t start = unused_bytes();

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t pages = (sizes[i] + PAGE_SIZE - 1) / PAGE_SIZE;
		char *at = i & 1 ? alloc_pages_exact(sizes[i], GFP_KERNEL | __GFP_ZERO) :
				   alloc_pages_exact_nid(0, sizes[i], GFP_KERNEL | __GFP_ZERO);

		KUNIT_ASSERT_NOT_NULL(test, at);
		KUNIT_EXPECT_EQ(test, start - unused_bytes(), pages * PAGE_SIZE);
		for (size_t page = 0; page < pages; page++) {
			KUNIT_ASSERT_EQ(test, page_ref_count(virt_to_page(at + page * PAGE_SIZE)),
					1);
			KUNIT_ASSERT_EQ(test, at[page * PAGE_SIZE], 0);
		}
		for (size_t page = 0; page < pages; page++)
			at[page * PAGE_SIZE] = 1;
		if (i % 3)
			free_pages_exact(at, sizes[i]);
		else
			for (size_t page = pages; page-- > 0;)
				free_page((unsigned long)at + page * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, unused_bytes(), start);
	}
	KUNIT_EXPECT_NULL(test, alloc_pages_exact(0, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, alloc_pages_exact((4 << 20) + 1, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, alloc_pages_exact(~(size_t)0, GFP_KERNEL | __GFP_NOWARN));
	free_pages_exact(NULL, 0);
}

static void test_forms_fragments(struct kunit *test)
{
	struct page_frag_cache cache = { 0 };
	struct prng prng = { 3 };
	struct { unsigned char *at; unsigned int bytes; } pieces[200] = { { NULL, 0 } };
	size_t start = unused_bytes();

	page_frag_cache_drain(&cache);
	for (unsigned int i = 0; i < TEST_STEPS(30000); i++) {
		unsigned int at = prng_below(&prng, 200);

		if (pieces[at].at) {
			for (unsigned int k = 0; k < pieces[at].bytes; k++)
				KUNIT_ASSERT_EQ(test, pieces[at].at[k], (unsigned char)at);
			page_frag_free(pieces[at].at);
			pieces[at].at = NULL;
			continue;
		}
		pieces[at].bytes = prng_range(&prng, 1, 1500);
		pieces[at].at = page_frag_alloc_align(&cache, pieces[at].bytes, GFP_ATOMIC, 64);
		KUNIT_ASSERT_NOT_NULL(test, pieces[at].at);
		KUNIT_ASSERT_TRUE(test, IS_ALIGNED((unsigned long)pieces[at].at, 64));
		memset(pieces[at].at, (int)at, pieces[at].bytes);
	}
	KUNIT_EXPECT_NULL_MSG(test, page_frag_alloc(&cache, 8 * PAGE_SIZE + 1, GFP_KERNEL),
			      "more than a page of them holds");
	for (unsigned int at = 0; at < 200; at++)
		if (pieces[at].at)
			page_frag_free(pieces[at].at);
	page_frag_cache_drain(&cache);
	page_frag_cache_drain(&cache);
	KUNIT_EXPECT_EQ(test, unused_bytes(), start);
	/* When all pieces of a page are free, the page serves again. */
	for (unsigned int i = 0; i < 1000; i++)
		page_frag_free(page_frag_alloc(&cache, 3000, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, start - unused_bytes(), cache.size);
	page_frag_cache_drain(&cache);
	KUNIT_EXPECT_EQ(test, unused_bytes(), start);
}

static void split_compound(struct kunit *test, void *unused)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, 2);

	(void)test;
	(void)unused;
	split_page(page, 2);
}

static void test_forms_split(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 3);
	size_t start;

	KUNIT_ASSERT_NOT_NULL(test, page);
	start = unused_bytes();
	split_page(page, 3);
	for (unsigned int i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, page_ref_count(page + i), 1);
	for (unsigned int i = 0; i < 8; i++)
		__free_page(page + (i * 5 & 7));
	KUNIT_EXPECT_EQ(test, unused_bytes() - start, 8 * PAGE_SIZE);
	CHILD_EXPECT_DEATH(test, split_compound, NULL, "usermm: ", "split_page");
}

static struct kunit_case forms_cases[] = {
	KUNIT_CASE(test_forms_bulk_nodes),	/* before the library is in use here */
	KUNIT_CASE(test_forms_bulk_both),
	KUNIT_CASE(test_forms_bulk_accounted),
	KUNIT_CASE(test_forms_bulk_order),
	KUNIT_CASE(test_forms_bulk_runs),
	KUNIT_CASE(test_forms_exact),
	KUNIT_CASE(test_forms_fragments),
	KUNIT_CASE(test_forms_split),
	{ 0 },
};

static struct kunit_suite forms_suite = { .name = "page_forms", .test_cases = forms_cases };

kunit_test_suite(forms_suite);
