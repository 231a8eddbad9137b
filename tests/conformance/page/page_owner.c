// SPDX-License-Identifier: MIT
/* What the owner of a page may write into its struct page: flags, private data, lists. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/pagemap.h>
#include <linux/vmstat.h>

#include "../conformance.h"

/* Flags with test, set and clear, for a page that is not compound. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define FLAGS(X)								\
	X(Dirty) X(Checked) X(Private) X(MappedToDisk) X(Reclaim) X(Workingset)
#else
#define FLAGS(X) X(Dirty) X(Checked) X(Private) X(Reclaim) X(Workingset)
#endif

struct flag {
	const char *name;
	int (*is_set)(const struct page *page);
	void (*set)(struct page *page);
	void (*clear)(struct page *page);
};

#define FLAG_FUNCTIONS(Name)							\
	static int is_set_##Name(const struct page *page) { return Page##Name(page); } \
	static void set_##Name(struct page *page) { SetPage##Name(page); }	\
	static void clear_##Name(struct page *page) { ClearPage##Name(page); }
FLAGS(FLAG_FUNCTIONS)
#define FLAG_OF(Name) { #Name, is_set_##Name, set_##Name, clear_##Name },
static const struct flag flags[] = { FLAGS(FLAG_OF) };

/* Fresh pages have none of the owner's flags. */
static void fresh_pages_have_no_flags(struct kunit *test)
{
	for (unsigned int order = 0; order <= 6; order++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);

		KUNIT_ASSERT_NOT_NULL(test, page);
		for (unsigned long i = 0; i < 1UL << order; i++) {
			for (unsigned int f = 0; f < ARRAY_SIZE(flags); f++)
				KUNIT_EXPECT_FALSE_MSG(test, flags[f].is_set(page + i), "%s",
						       flags[f].name);
			KUNIT_EXPECT_FALSE(test, PageLocked(page + i));
			KUNIT_EXPECT_FALSE(test, PageUptodate(page + i));
			KUNIT_EXPECT_FALSE(test, PageLRU(page + i));
			KUNIT_EXPECT_FALSE(test, PageReserved(page + i));
			KUNIT_EXPECT_FALSE(test, PageWriteback(page + i));
		}
		__free_pages(page, order);
	}
}

/* Each flag is set and cleared without the others. */
static void flags_are_independent(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	for (unsigned int set = 0; set < 1u << ARRAY_SIZE(flags); set++) {
		for (unsigned int f = 0; f < ARRAY_SIZE(flags); f++)
			if (set >> f & 1)
				flags[f].set(page);
		for (unsigned int f = 0; f < ARRAY_SIZE(flags); f++)
			KUNIT_EXPECT_EQ(test, !!flags[f].is_set(page), set >> f & 1);
		KUNIT_EXPECT_FALSE(test, PageCompound(page));
		KUNIT_EXPECT_EQ(test, page_count(page), 1);
		for (unsigned int f = 0; f < ARRAY_SIZE(flags); f++)
			if (set >> f & 1)
				flags[f].clear(page);
	}
	__free_page(page);
}

/* TestSet and TestClear say what was there before. */
static void test_and_set(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_FALSE(test, TestSetPageDirty(page));
	KUNIT_EXPECT_TRUE(test, TestSetPageDirty(page));
	KUNIT_EXPECT_TRUE(test, PageDirty(page));
	KUNIT_EXPECT_TRUE(test, TestClearPageDirty(page));
	KUNIT_EXPECT_FALSE(test, TestClearPageDirty(page));
	KUNIT_EXPECT_FALSE(test, PageDirty(page));
	SetPageUptodate(page);
	KUNIT_EXPECT_TRUE(test, PageUptodate(page));
	ClearPageUptodate(page);
	KUNIT_EXPECT_FALSE(test, PageUptodate(page));
	__SetPageLocked(page);
	KUNIT_EXPECT_TRUE(test, PageLocked(page));
	__ClearPageLocked(page);
	__SetPageReserved(page);
	KUNIT_EXPECT_TRUE(test, PageReserved(page));
	__ClearPageReserved(page);
	__free_page(page);
}

/* Dirty and Uptodate are the folio's: set through a tail they are the head's. */
static void some_flags_are_the_heads(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, 2);

	KUNIT_ASSERT_NOT_NULL(test, page);
	SetPageDirty(page + 3);
	KUNIT_EXPECT_TRUE(test, PageDirty(page));
	KUNIT_EXPECT_TRUE(test, PageDirty(page + 1));
	KUNIT_EXPECT_TRUE(test, folio_test_dirty(page_folio(page)));
	ClearPageDirty(page + 2);
	KUNIT_EXPECT_FALSE(test, PageDirty(page));
	SetPageUptodate(page);
	KUNIT_EXPECT_TRUE(test, PageUptodate(page + 3));
	KUNIT_EXPECT_TRUE(test, folio_test_uptodate(page_folio(page)));
	ClearPageUptodate(page);
	/* Private is each page's own. */
	SetPagePrivate(page + 2);
	KUNIT_EXPECT_FALSE(test, PagePrivate(page));
	KUNIT_EXPECT_TRUE(test, PagePrivate(page + 2));
	ClearPagePrivate(page + 2);
	__free_pages(page, 2);
}

/* Flags that may be left at a free are gone when the page is handed out again. */
static void free_clears_flags(struct kunit *test)
{
	unsigned int again = 0, left = 0;

	for (unsigned int round = 0; round < 100; round++) {
		struct page *page = alloc_page(GFP_KERNEL), *next;

		KUNIT_ASSERT_NOT_NULL(test, page);
		SetPageDirty(page);
		SetPageUptodate(page);
		SetPageChecked(page);
		SetPageWorkingset(page);
		__free_page(page);
		next = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, next);
		again += next == page;
		left += PageDirty(next) || PageUptodate(next) || PageChecked(next) ||
			PageWorkingset(next);
		/* So that a kernel where they stay gives sound pages to the next case. */
		ClearPageDirty(next);
		ClearPageUptodate(next);
		ClearPageChecked(next);
		ClearPageWorkingset(next);
		__free_page(next);
	}
	KUNIT_EXPECT_GT(test, again, 50);
	KUNIT_EXPECT_EQ(test, left, 0);
}

/* page->private is 0 in a fresh page, whatever the last owner left in it. */
static void private_starts_as_zero(struct kunit *test)
{
	for (unsigned int order = 0; order <= 4; order++) {
		for (unsigned int round = 0; round < 20; round++) {
			struct page *page = alloc_pages(GFP_KERNEL, order);

			KUNIT_ASSERT_NOT_NULL(test, page);
			KUNIT_EXPECT_EQ(test, page_private(page), 0);
			set_page_private(page, 0x1234abcd);
			KUNIT_EXPECT_EQ(test, page_private(page), 0x1234abcd);
			__free_pages(page, order);
		}
	}
}

/* ... also in pages that the bulk allocator hands out. */
static void private_starts_as_zero_in_bulk(struct kunit *test)
{
	need_page_lists(test);
	for (unsigned int round = 0; round < 4; round++) {
		struct page *pages[32] = { NULL };

		KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 32, pages), 32);
		for (unsigned int i = 0; i < 32; i++) {
			KUNIT_EXPECT_EQ(test, page_private(pages[i]), 0);
			set_page_private(pages[i], i + 1);
		}
		for (unsigned int i = 0; i < 32; i++)
			__free_page(pages[i]);
	}
}

/* Each page of a block has a word of its own, and the allocator leaves it alone. */
static void private_is_each_pages_own(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 3);
	struct page *others[64];

	KUNIT_ASSERT_NOT_NULL(test, page);
	for (unsigned int i = 0; i < 8; i++)
		set_page_private(page + i, ~0UL - i);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		others[i] = alloc_page(GFP_KERNEL);
	get_page(page);
	put_page(page);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i])
			__free_page(others[i]);
	for (unsigned int i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, page_private(page + i), ~0UL - i);
	__free_pages(page, 3);
}

/* attach_page_private(): the data, a flag and a reference; detach gives all of it back. */
static void attach_and_detach(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	int data, other;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_NULL(test, detach_page_private(page));
	attach_page_private(page, &data);
	KUNIT_EXPECT_EQ(test, page_count(page), 2);
	KUNIT_EXPECT_TRUE(test, PagePrivate(page));
	KUNIT_EXPECT_PTR_EQ(test, (int *)page_private(page), &data);
	KUNIT_EXPECT_PTR_EQ(test, (int *)folio_get_private(page_folio(page)), &data);
	KUNIT_EXPECT_PTR_EQ(test, (int *)folio_change_private(page_folio(page), &other), &data);
	KUNIT_EXPECT_PTR_EQ(test, (int *)detach_page_private(page), &other);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	KUNIT_EXPECT_FALSE(test, PagePrivate(page));
	KUNIT_EXPECT_EQ(test, page_private(page), 0);
	folio_attach_private(page_folio(page), &data);
	KUNIT_EXPECT_EQ(test, page_count(page), 2);
	KUNIT_EXPECT_PTR_EQ(test, (int *)folio_detach_private(page_folio(page)), &data);
	__free_page(page);
}

#if !ON_USERMM && LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0)
#define INDEX __folio_index
#define page_mapped(page) folio_mapped(page_folio(page))
#else
#define INDEX index
#endif

/* mapping and index are the owner's; mapping is NULL at first, and has to be at a free. */
static void mapping_and_index(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_NULL(test, page->mapping);
	page->mapping = (struct address_space *)page;
	page->INDEX = 0x123456789abUL;
	set_page_private(page, 77);
	INIT_LIST_HEAD(&page->lru);
	KUNIT_EXPECT_PTR_EQ(test, (struct page *)page->mapping, page);
	KUNIT_EXPECT_EQ(test, page->INDEX, 0x123456789abUL);
	KUNIT_EXPECT_EQ(test, page_private(page), 77);
	KUNIT_EXPECT_TRUE(test, list_empty(&page->lru));
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	page->mapping = NULL;
	__free_page(page);
}

/* page->lru puts pages on the owner's lists; what is in it at a free does not matter. */
static void lru_is_the_owners(struct kunit *test)
{
	struct page *page, *next;
	unsigned int nr = 0;
	LIST_HEAD(list);

	for (unsigned int i = 0; i < 100; i++) {
		page = alloc_pages(GFP_KERNEL | __GFP_COMP, i % 3);
		KUNIT_ASSERT_NOT_NULL(test, page);
		list_add_tail(&page->lru, &list);
	}
	list_for_each_entry(page, &list, lru)
		KUNIT_EXPECT_EQ(test, compound_order(page), nr++ % 3);
	KUNIT_EXPECT_EQ(test, nr, 100);
	/* Freed while still linked: the list is not used any more. */
	list_for_each_entry_safe(page, next, &list, lru)
		put_page(page);
}

/* Nobody has mapped a fresh page. */
static void fresh_pages_are_not_mapped(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_FALSE(test, folio_mapped(page_folio(page)));
	KUNIT_EXPECT_FALSE(test, PageAnon(page));
	KUNIT_EXPECT_FALSE(test, page_is_pfmemalloc(page));
	__free_page(page);
}

static struct kunit_case owner_cases[] = {
	KUNIT_CASE(fresh_pages_have_no_flags),
	KUNIT_CASE(flags_are_independent),
	KUNIT_CASE(test_and_set),
	KUNIT_CASE(some_flags_are_the_heads),
	KUNIT_CASE(free_clears_flags),
	KUNIT_CASE(private_starts_as_zero),
	KUNIT_CASE(private_starts_as_zero_in_bulk),
	KUNIT_CASE(private_is_each_pages_own),
	KUNIT_CASE(attach_and_detach),
	KUNIT_CASE(mapping_and_index),
	KUNIT_CASE(lru_is_the_owners),
	KUNIT_CASE(fresh_pages_are_not_mapped),
	{}
};

static struct kunit_suite owner_suite = {
	.name = "conformance_page_owner",
	.test_cases = owner_cases,
};
kunit_test_suite(owner_suite);
MODULE_DESCRIPTION("what is the page owner's");
MODULE_LICENSE("Dual MIT/GPL");
