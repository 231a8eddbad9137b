/* SPDX-License-Identifier: MIT */
/*
 * The pages that a reference keeps. free_pages() on a block that is referenced elsewhere
 * gives the pages behind the first back at once, and the first one with the last
 * put_page(); a compound page goes whole (seed 0). Seen from the free counts.
 */
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"

static void test_refcount_counts_pages(struct kunit *test)
{
	size_t start = test_unused_bytes();

	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = test_must_alloc(test, GFP_KERNEL, order);

		KUNIT_EXPECT_EQ(test, start - test_unused_bytes(), PAGE_SIZE << order);
		__free_pages(page, order);
		KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
	}
}

static void test_refcount_plain_tail_goes_at_once(struct kunit *test)
{
	size_t start = test_unused_bytes();

	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		unsigned long addr = __get_free_pages(GFP_KERNEL, order);
		struct page *page = virt_to_page((void *)addr);

		KUNIT_ASSERT_NE(test, addr, 0);
		get_page(page);
		free_pages(addr, order);
		KUNIT_EXPECT_EQ_MSG(test, start - test_unused_bytes(), PAGE_SIZE,
				    "order %u: only the first page may remain", order);
		KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
		memset((void *)addr, 1, PAGE_SIZE);
		put_page(page);
		KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
	}
}

static void test_refcount_compound_goes_whole(struct kunit *test)
{
	size_t start = test_unused_bytes();

	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = test_must_alloc(test, GFP_KERNEL | __GFP_COMP, order);

		get_page(page);
		__free_pages(page, order);
		KUNIT_EXPECT_EQ_MSG(test, start - test_unused_bytes(), PAGE_SIZE << order,
				    "order %u: all of it must remain", order);
		memset(page_address(page), 1, PAGE_SIZE << order);
		put_page(page + (1UL << order) - 1);
		KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
	}
}

/* put_page() as the last put of a plain block frees its first page, no more. */
static void test_refcount_put_page_frees_head_only(struct kunit *test)
{
	struct page *page = test_must_alloc(test, GFP_KERNEL, 2);
	size_t start = test_unused_bytes();

	put_page(page);
	KUNIT_EXPECT_EQ(test, test_unused_bytes() - start, PAGE_SIZE);
	/* The rest is still the caller's: two blocks, as a split leaves them. */
	memset(page_address(page + 1), 1, 3 * PAGE_SIZE);
	free_frozen_pages(page + 1, 0);
	free_frozen_pages(page + 2, 1);
	KUNIT_EXPECT_EQ(test, test_unused_bytes() - start, 4 * PAGE_SIZE);
}

static void test_refcount_order0_references(struct kunit *test)
{
	size_t start = test_unused_bytes();
	struct page *page = test_must_alloc(test, GFP_KERNEL, 0);

	for (unsigned int i = 0; i < 1000; i++)
		get_page(page);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 1001);
	for (unsigned int i = 0; i < 1000; i++) {
		if (i & 1)
			put_page(page);
		else
			__free_page(page);
	}
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
	KUNIT_EXPECT_EQ(test, start - test_unused_bytes(), PAGE_SIZE);
	put_page(page);
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
}

/* Seed 0's loop: nothing may be lost over many rounds. */
static void test_refcount_seed_loop(struct kunit *test)
{
	size_t start = test_unused_bytes();

	for (unsigned int comp = 0; comp < 2; comp++)
		for (unsigned int i = 0; i < 100000; i++) {
			unsigned long addr = __get_free_pages(GFP_KERNEL |
							      (comp ? __GFP_COMP : 0), 3);
			struct page *page;

			KUNIT_ASSERT_NE(test, addr, 0);
			page = virt_to_page((void *)addr);
			get_page(page);
			free_pages(addr, 3);
			put_page(page);
		}
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
}

/* All threads hold a reference and drop it at the same moment, more or less. */
static void drop_one(struct test_thread *thread)
{
	struct page **pages = thread->arg;

	for (unsigned int i = 0; i < 2000; i++) {
		/* The content must stay while this reference is held. */
		KUNIT_EXPECT_EQ(thread->test, *(unsigned int *)page_address(pages[i]), i);
		if ((i + thread->index) % 3)
			put_page(pages[i]);
		else
			__free_pages(pages[i], i % 2 ? 3 : 0);
	}
}

static void test_refcount_threads(struct kunit *test)
{
	enum { NR = 2000, THREADS = 4 };
	struct page **pages = calloc(NR, sizeof(*pages));
	size_t start = test_unused_bytes();

	KUNIT_ASSERT_NOT_NULL(test, pages);
	for (unsigned int i = 0; i < NR; i++) {
		pages[i] = test_must_alloc(test, GFP_KERNEL | __GFP_COMP, i % 2 ? 3 : 0);
		*(unsigned int *)page_address(pages[i]) = i;
		for (unsigned int k = 1; k < THREADS; k++)
			get_page(pages[i]);
	}
	test_threads_run(test, THREADS, drop_one, pages);
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
	free(pages);
}

/* Flags of an owner: one that no free page may have, and one that goes with the page. */
#define LOCKED (1UL << 16)
#define REFERENCED (1UL << 18)

struct sharing {
	struct page *pages[256];
	unsigned int at[2];	/* atomic; how far each thread is */
	bool bulk;
};

/* At the same page at the same moment, more or less. */
static void wait_for_other(struct sharing *sharing, unsigned int self, unsigned int at)
{
	__atomic_store_n(&sharing->at[self], at, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < 1000 && __atomic_load_n(&sharing->at[!self],
							     __ATOMIC_ACQUIRE) < at; i++)
		;
}

/* One thread has finished its work with the page, while the other one just drops its reference. */
static void mark_or_drop(struct test_thread *thread)
{
	struct sharing *sharing = thread->arg;

	test_pin(thread->index);
	for (unsigned int i = 0; i < ARRAY_SIZE(sharing->pages); i++) {
		struct page *page = sharing->pages[i];

		wait_for_other(sharing, thread->index, i + 1);
		if (thread->index) {
			__atomic_or_fetch(&page->flags, LOCKED | REFERENCED, __ATOMIC_RELAXED);
			__atomic_and_fetch(&page->flags, ~LOCKED, __ATOMIC_RELEASE);
			put_page(page);
		} else if (sharing->bulk) {
			free_pages_bulk(&page, 1);
		} else if (i & 1) {
			__free_page(page);
		} else {
			put_page(page);
		}
	}
}

static void test_refcount_flags_of_others(struct kunit *test)
{
	static struct sharing sharing;

	for (unsigned int round = 0; round < TEST_STEPS(2000); round++) {
		sharing = (struct sharing){ .bulk = round & 1 };
		for (unsigned int i = 0; i < ARRAY_SIZE(sharing.pages); i++) {
			sharing.pages[i] = test_must_alloc(test, GFP_KERNEL, 0);
			KUNIT_ASSERT_EQ_MSG(test, sharing.pages[i]->flags, 0,
					    "what a former owner left");
			get_page(sharing.pages[i]);
		}
		test_threads_run(test, 2, mark_or_drop, &sharing);
	}
}

static struct kunit_case refcount_cases[] = {
	KUNIT_CASE(test_refcount_counts_pages),
	KUNIT_CASE(test_refcount_plain_tail_goes_at_once),
	KUNIT_CASE(test_refcount_compound_goes_whole),
	KUNIT_CASE(test_refcount_put_page_frees_head_only),
	KUNIT_CASE(test_refcount_order0_references),
	KUNIT_CASE(test_refcount_seed_loop),
	KUNIT_CASE(test_refcount_threads),
	KUNIT_CASE(test_refcount_flags_of_others),
	{ 0 },
};

static struct kunit_suite refcount_suite = {
	.name = "refcount",
	.suite_init = test_warm_up,
	.test_cases = refcount_cases,
};

kunit_test_suite(refcount_suite);
