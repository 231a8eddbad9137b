/* SPDX-License-Identifier: MIT */
/* malloc()'s page blocks: the numbers of pages for which CPUs have lists. */
#include "malloc_core/tested.h"
#include "page/debug/hooks.h"
#include "page/pcp/pcp_list.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/zones.h"

#define LISTED_BYTES_MAX (512 * KIB)

static unsigned long pages_of(void *block)
{
	return tested_malloc_usable_size(block) / PAGE_SIZE;
}

/* A block that is freed and allocated again is the same block: a list has kept it. */
static void check_reused(struct kunit *test, size_t size)
{
	struct page *page;
	unsigned int index;
	char *block, *again;
	int slot;

	block = tested_malloc(size);
	KUNIT_ASSERT_NOT_NULL(test, block);
	page = virt_to_page(block);
	index = exact_index(pages_of(block));
	tested_free(block);
	slot = percpu_current_slot();
	KUNIT_ASSERT_GE(test, slot, 0);
	KUNIT_EXPECT_EQ_MSG(test, slot_blocks(page_zone(page), (unsigned int)slot, index), 1ul,
			    "%zu bytes", size);
	again = tested_malloc(size - PAGE_SIZE / 2);
	KUNIT_EXPECT_PTR_EQ(test, again, block);
	KUNIT_EXPECT_EQ(test, slot_blocks(page_zone(page), (unsigned int)slot, index), 0ul);
	tested_free(again);
}

/* Each of malloc()'s numbers of pages has a list, and there are no other lists. */
static void test_listed_numbers(struct kunit *test)
{
	unsigned long seen[NR_PCP_LISTS] = { 0 };
	unsigned int nr = 0;

	for (size_t size = 33 * KIB; size <= LISTED_BYTES_MAX; size += KIB) {
		void *block = tested_malloc(size);
		unsigned long pages;

		KUNIT_ASSERT_NOT_NULL(test, block);
		pages = pages_of(block);
		tested_free(block);
		if (is_power_of_2(pages))
			continue;
		KUNIT_ASSERT_LT_MSG(test, exact_index(pages), NR_PCP_LISTS, "%lu pages", pages);
		nr += !seen[exact_index(pages)];
		seen[exact_index(pages)] = pages;
	}
	KUNIT_EXPECT_EQ(test, nr, NR_PCP_EXACT_LISTS);
	for (unsigned int i = NR_PCP_ORDER_LISTS; i < NR_PCP_LISTS; i++)
		KUNIT_EXPECT_EQ(test, seen[i], index_pages(i));
}

static void test_listed_reused(struct kunit *test)
{
	unsigned int nr = 0;

	zones_need_stopping(test);
	if (page_hooks() || nr_online_nodes > 1)
		kunit_skip(test, "observers see every block, and several nodes have no such list");
	for (unsigned int i = NR_PCP_ORDER_LISTS; i < NR_PCP_LISTS; i++) {
		drain_local_pages(NULL);
		/* With many CPUs each may keep less. */
		if (budget_zone()->pcp_high_min < (int)index_pages(i))
			continue;
		check_reused(test, index_pages(i) * PAGE_SIZE);
		nr++;
	}
	drain_local_pages(NULL);
	if (!nr)
		kunit_skip(test, "each of so many CPUs keeps less than that");
}

static struct kunit_case listed_cases[] = {
	KUNIT_CASE(test_listed_numbers),
	KUNIT_CASE(test_listed_reused),
	{ 0 },
};

static struct kunit_suite listed_suite = {
	.name = "malloc-listed",
	.init = test_pin_and_warm_up,
	.test_cases = listed_cases,
};

kunit_test_suite(listed_suite);
