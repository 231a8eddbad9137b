/* SPDX-License-Identifier: MIT */
/*
 * The window by itself: nothing allocates in this process, so that the test can watch every step of
 * the window's growth.
 */
#include "mm/memmap.h"
#include "percpu/percpu.h"
#include "support/kernel.h"
#include "support/shadow.h"

#define WINDOW_BYTES (128UL << 20)

static int reserve_window(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	if (virt_addr_valid(suite) || virt_addr_valid(NULL))
		return -1;	/* nothing is valid before there is a window */
	if (usermm_set_options("reserve=128M:limit=128M", &error))
		return -1;
	return mm_init();
}

static void test_memmap_window(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mm_facts.wished_bytes, WINDOW_BYTES);
	KUNIT_EXPECT_EQ(test, mm_facts.window_bytes, WINDOW_BYTES);
	KUNIT_EXPECT_LE(test, mm_facts.budget_bytes, WINDOW_BYTES);
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes % SECTION_BYTES, 0);
	KUNIT_ASSERT_NOT_NULL(test, mm_facts.budget_source);
	KUNIT_EXPECT_EQ(test, usermm_memmap.base % SECTION_BYTES, 0);
	KUNIT_EXPECT_EQ(test, mm_window.online_bytes, 0);
	KUNIT_EXPECT_EQ_MSG(test, mm_init(), 0, "again, and nothing happens");
}

/* Three names of one number, for every page of the window. */
static void test_memmap_conversions(struct kunit *test)
{
	for (unsigned long pfn = 0; pfn < WINDOW_BYTES / PAGE_SIZE; pfn++) {
		struct page *page = pfn_to_page(pfn);
		char *addr = page_address(page);

		KUNIT_ASSERT_PTR_EQ(test, addr, (char *)usermm_memmap.base + pfn * PAGE_SIZE);
		KUNIT_ASSERT_EQ(test, page_to_pfn(page), pfn);
		KUNIT_ASSERT_PTR_EQ(test, virt_to_page(addr), page);
		KUNIT_ASSERT_PTR_EQ(test, virt_to_page(addr + 1), page);
		KUNIT_ASSERT_PTR_EQ(test, virt_to_page(addr + PAGE_SIZE - 1), page);
		KUNIT_ASSERT_EQ(test, mm_offset(addr), pfn * PAGE_SIZE);
	}
}

static void check_new_part(struct kunit *test, struct page *first, unsigned long nr,
			   unsigned long online_before)
{
	char *addr = page_address(first);

	KUNIT_EXPECT_EQ(test, page_to_pfn(first), online_before >> PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, nr * PAGE_SIZE % SECTION_BYTES, 0);
	KUNIT_EXPECT_EQ(test, mm_window.online_bytes, online_before + nr * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, mm_window.free_bytes,
			percpu_has_sequences() ? mm_window.online_bytes : 0);
	KUNIT_EXPECT_TRUE_MSG(test, shadow_all_bytes(first, nr * sizeof(*first), 0),
			      "struct pages start as zero");
	KUNIT_EXPECT_TRUE_MSG(test, shadow_all_bytes(addr, nr * PAGE_SIZE, 0),
			      "and so does memory");
	KUNIT_EXPECT_TRUE_MSG(test, shadow_all_bytes(mm_slab_cache(first),
						     nr * sizeof(*mm_slab_cache(first)), 0),
			      "no page is a slab's");
	KUNIT_EXPECT_TRUE_MSG(test, shadow_all_bytes(mm_mark(addr), nr * PAGE_SIZE >> MM_MARK_SHIFT,
						     0), "and marks");
	KUNIT_EXPECT_PTR_EQ(test, mm_mark(addr + 511), mm_mark(addr));
	KUNIT_EXPECT_PTR_EQ(test, mm_mark(addr + 512), mm_mark(addr) + 1);
	memset(mm_mark(addr), 0xff, nr * PAGE_SIZE >> MM_MARK_SHIFT);
	memset(mm_slab_cache(first), 0xff, nr * sizeof(*mm_slab_cache(first)));
	memset(first, 0xff, nr * sizeof(*first));
	memset(addr, 0xff, nr * PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, virt_addr_valid(addr));
	KUNIT_EXPECT_TRUE(test, virt_addr_valid(addr + nr * PAGE_SIZE - 1));
	KUNIT_EXPECT_FALSE(test, virt_addr_valid(addr + nr * PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, virt_addr_valid((char *)usermm_memmap.base - 1));
}

static void test_memmap_grows_to_the_end(struct kunit *test)
{
	unsigned long online = 0, steps = 0, nr;
	struct page *first = NULL;

	/* Less than a section cannot be brought online. */
	KUNIT_EXPECT_EQ(test, mm_grow(SECTION_BYTES - 1, &first), 0);
	KUNIT_EXPECT_EQ(test, mm_grow(0, &first), 0);
	nr = mm_grow(SECTION_BYTES, &first);
	KUNIT_ASSERT_EQ(test, nr, SECTION_BYTES / PAGE_SIZE);
	for (; nr; nr = mm_grow(~0UL, &first)) {
		check_new_part(test, first, nr, online);
		KUNIT_EXPECT_LE(test, nr * PAGE_SIZE, GROW_BYTES_MAX);
		/* Not much more than an eighth of what is there. */
		KUNIT_EXPECT_LE(test, nr * PAGE_SIZE, online / 8 + SECTION_BYTES);
		online += nr * PAGE_SIZE;
		steps++;
	}
	KUNIT_EXPECT_EQ(test, online, WINDOW_BYTES);
	KUNIT_EXPECT_EQ(test, mm_window.online_bytes, WINDOW_BYTES);
	/* The tables end before the window begins, and neither reaches into the other. */
	KUNIT_EXPECT_LE(test, (unsigned long)(usermm_memmap.pages + WINDOW_BYTES / PAGE_SIZE),
			(unsigned long)mm_slab_cache(usermm_memmap.pages));
	KUNIT_EXPECT_LE(test, (unsigned long)(mm_slab_cache(usermm_memmap.pages) +
					      WINDOW_BYTES / PAGE_SIZE),
			(unsigned long)mm_mark((void *)usermm_memmap.base));
	KUNIT_EXPECT_LE(test, (unsigned long)mm_mark((void *)(usermm_memmap.base + WINDOW_BYTES)),
			usermm_memmap.base);
	KUNIT_EXPECT_GT(test, steps, 8);
	KUNIT_EXPECT_EQ_MSG(test, mm_grow(~0UL, &first), 0, "there is no more");
}

static struct kunit_case memmap_cases[] = {
	KUNIT_CASE(test_memmap_window),
	KUNIT_CASE(test_memmap_conversions),
	KUNIT_CASE(test_memmap_grows_to_the_end),
	{ 0 },
};

static struct kunit_suite memmap_suite = {
	.name = "memmap",
	.suite_init = reserve_window,
	.test_cases = memmap_cases,
};

kunit_test_suite(memmap_suite);
