/* SPDX-License-Identifier: MIT */
/*
 * A bulk request is interrupted while it copies pages, and before it can try
 * again another thread on this CPU takes the pages away. Memory is used up, so the request gets
 * fewer pages or none: the caller's array must not contain pages that were copied and then taken
 * away.
 */
#include "page/pcp/pcp.h"
#include "selftest/stepping.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/sequences.h"
#include "support/threads.h"

#define BUDGET_PAGES (16UL << 20 >> PAGE_SHIFT)
#define NR 40	/* fewer are taken one by one */
#define NR_ADDRESSES 400

static struct page *hoard[BUDGET_PAGES];
static unsigned long nr_hoarded;
static struct page *array[NR];
static unsigned long got;
static unsigned int left_on_list;

static int need_sequences(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	if (page)
		__free_page(page);
	test_need_stepping(test);
	return page ? 0 : -1;
}

/* The hoard takes all memory except NR pages, which are on this CPU's list. */
static void set_up(struct kunit *test)
{
	struct page *page;

	drain_local_pages(NULL);
	while ((page = alloc_page(GFP_KERNEL | __GFP_NOWARN)))
		hoard[nr_hoarded++] = page;
	KUNIT_ASSERT_GT(test, nr_hoarded, NR);
	for (unsigned int i = 0; i < NR; i++)
		__free_page(hoard[--nr_hoarded]);
	memset(array, 0, sizeof(array));
	got = ~0UL;
}

static void tear_down(void)
{
	while (nr_hoarded)
		__free_page(hoard[--nr_hoarded]);
	drain_local_pages(NULL);
}

static void ask(void *arg)
{
	(void)arg;
	got = alloc_pages_bulk_array(GFP_KERNEL | __GFP_NOWARN, NR, array);
}

static void ask_on_slot(void *arg)
{
	volatile uint32_t *index = (void *)((char *)thread_pointer() +
					    percpu.index_field);

	*index = *(unsigned int *)arg;
	ask(NULL);
}

/* Runs in the handler, between the first try and the second; no other thread can run there. */
static void take_away(void)
{
	struct percpu_array *list = percpu_ptr(pcp_alloc_list(GFP_KERNEL, 0),
					       (unsigned int)percpu_current_slot());

	while (list->count > left_on_list)
		hoard[nr_hoarded++] = list->items[--list->count];
}

/* The pages in the hoard came off the list without a reference. */
static void own_taken_pages(unsigned long first)
{
	for (unsigned long i = first; i < nr_hoarded; i++)
		hoard[i]->_refcount = 1;
}

static void check_array(struct kunit *test, unsigned int instruction)
{
	KUNIT_ASSERT_LE(test, got, NR);
	KUNIT_EXPECT_EQ(test, got, left_on_list);
	for (unsigned long i = 0; i < got; i++)
		KUNIT_ASSERT_NOT_NULL(test, array[i]);
	for (unsigned long i = got; i < NR; i++)
		KUNIT_ASSERT_NULL_MSG(test, array[i],
				      "entry %lu behind the %lu reached; instruction %u",
				      i, got, instruction);
}

static void run_with(struct kunit *test, unsigned int left)
{
	unsigned int slot = (unsigned int)percpu_current_slot(), nr, aborted = 0;
	unsigned long addresses[NR_ADDRESSES];

	set_up(test);
	nr = stepping_find(ask_on_slot, &slot, addresses, NR_ADDRESSES);
	if (!nr)
		kunit_skip(test, "instructions cannot be stepped without rseq here");
	KUNIT_EXPECT_EQ(test, got, NR);
	free_pages_bulk(array, NR);
	tear_down();
	left_on_list = left;
	for (unsigned int i = 0; i < nr; i++) {
		struct stepping_hits hits;
		unsigned long before;

		set_up(test);
		before = nr_hoarded;
		hits = stepping_break_at(addresses[i], ask, NULL, take_away);
		own_taken_pages(before);
		aborted += hits.aborted;
		if (hits.aborted)
			check_array(test, i);
		free_pages_bulk(array, NR);
		tear_down();
	}
	KUNIT_EXPECT_GT_MSG(test, aborted, 20, "the copy has about so many instructions");
}

static void test_bulk_abort_nothing_left(struct kunit *test)
{
	run_with(test, 0);
}

static void test_bulk_abort_some_left(struct kunit *test)
{
	run_with(test, 3);
}

static struct kunit_case bulk_abort_cases[] = {
	KUNIT_CASE(test_bulk_abort_nothing_left),
	KUNIT_CASE(test_bulk_abort_some_left),
	{ 0 },
};

static struct kunit_suite bulk_abort_suite = {
	.name = "page_bulk_abort",
	.suite_init = test_set_small_budget,
	.init = need_sequences,
	.test_cases = bulk_abort_cases,
};

kunit_test_suite(bulk_abort_suite);
