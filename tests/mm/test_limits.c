/* SPDX-License-Identifier: MIT */
/* Windows and budgets under limits; each in a fresh process. */
#include <sys/resource.h>

#include "mm/memmap.h"
#include "os/os.h"
#include "page/zone.h"
#include "percpu/percpu.h"
#include "support/child.h"
#include "support/kernel.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITS_WORK false	/* the sanitizer has reserved terabytes already */
#else
#define LIMITS_WORK true
#endif

#define MEBI (1UL << 20)

/* Allocates until there is no more; the bytes. */
static unsigned long use_all(void)
{
	unsigned long bytes = 0;

	while (__get_free_pages(GFP_KERNEL | __GFP_NOWARN, 4))
		bytes += PAGE_SIZE << 4;
	return bytes;
}

static void set_option(struct kunit *test, void *arg)
{
	const char *error = NULL;

	KUNIT_ASSERT_EQ_MSG(test, usermm_set_options(arg, &error), 0, "%s", error);
}

static void small_limit(struct kunit *test, void *arg)
{
	unsigned long used;

	set_option(test, arg);
	used = use_all();
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, 8 * MEBI);
	KUNIT_EXPECT_STREQ(test, mm_facts.budget_source, "limit=");
	KUNIT_EXPECT_GT(test, used, 6 * MEBI);
	KUNIT_EXPECT_LE(test, used, 8 * MEBI);
	KUNIT_EXPECT_LE(test, mm_window.online_bytes, 8 * MEBI);
}

static void tiny_limit(struct kunit *test, void *arg)
{
	set_option(test, arg);
	KUNIT_EXPECT_GT_MSG(test, use_all(), 0, "one section is the least");
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, SECTION_BYTES);
}

static void small_window(struct kunit *test, void *arg)
{
	unsigned long used;

	set_option(test, arg);
	used = use_all();
	KUNIT_EXPECT_EQ(test, mm_facts.window_bytes, 32 * MEBI);
	KUNIT_EXPECT_LE(test, mm_facts.budget_bytes, 32 * MEBI);
	KUNIT_EXPECT_GT(test, used, 28 * MEBI);
	KUNIT_EXPECT_LE(test, used, 32 * MEBI);
}

static void test_limits_by_option(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, small_limit, "limit=8M");
	CHILD_EXPECT_SUCCESS(test, tiny_limit, "limit=1K");
	CHILD_EXPECT_SUCCESS(test, small_window, "reserve=32M");
}

/*
 * The reservation asks for more addresses than there are, or (aarch64 has twice as many) for more
 * than are free: the window gets as much as possible.
 */
static void huge_window(struct kunit *test, void *arg)
{
	unsigned long addr;
	void *half;

	(void)os_reserve(128UL << 40, PAGE_SIZE, &half);
	set_option(test, arg);
	addr = __get_free_pages(GFP_KERNEL, 10);
	KUNIT_ASSERT_NE(test, addr, 0);
	memset((void *)addr, 1, PAGE_SIZE << 10);
	KUNIT_EXPECT_LT(test, mm_facts.window_bytes, mm_facts.wished_bytes);
	KUNIT_EXPECT_GT(test, mm_facts.window_bytes, 64 * MEBI);
	free_pages(addr, 10);
}

static void test_limits_window_shrinks_to_fit(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, huge_window, "reserve=128T");
}

static void few_addresses(struct kunit *test, void *arg)
{
	struct rlimit space = { 512 * MEBI, 512 * MEBI };
	unsigned long used;

	(void)arg;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &space), 0);
	used = use_all();
	KUNIT_EXPECT_GE(test, used, 512 * MEBI / 10 * 8);
}

/* The program can use the addresses that pages do not use: an unused window costs nothing. */
static void few_addresses_for_others(struct kunit *test, void *arg)
{
	struct rlimit space = { 512 * MEBI, 512 * MEBI };
	void *others;

	(void)arg;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &space), 0);
	KUNIT_ASSERT_NE(test, __get_free_pages(GFP_KERNEL, 4), 0);
	KUNIT_ASSERT_EQ(test, os_map(512 * MEBI / 10 * 8, os_page_bytes(), &others), 0);
	KUNIT_EXPECT_GT_MSG(test, use_all(), 0, "what is left");
	os_unmap(others, 512 * MEBI / 10 * 8);
	KUNIT_EXPECT_GE_MSG(test, use_all(), 512 * MEBI / 10 * 7, "and all of it again");
}

/* The limit comes when the window has been reserved already. */
static void late_limit(struct kunit *test, void *arg)
{
	struct rlimit space = { 512 * MEBI, 512 * MEBI };
	void *others = NULL;

	(void)arg;
	KUNIT_ASSERT_NE(test, __get_free_pages(GFP_KERNEL, 4), 0);
	KUNIT_EXPECT_FALSE_MSG(test, page_make_address_space(1), "there is no limit yet");
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &space), 0);
	KUNIT_EXPECT_NE(test, os_map(128 * MEBI, os_page_bytes(), &others), 0);
	KUNIT_EXPECT_TRUE(test, page_make_address_space(1));
	KUNIT_EXPECT_EQ(test, os_map(128 * MEBI, os_page_bytes(), &others), 0);
	KUNIT_EXPECT_GE_MSG(test, use_all(), 512 * MEBI / 10 * 5, "pages still grow");
}

/*
 * If address space is short, free sections are unmapped. Without sequences they stay once there are
 * quicklists: a pop may still read a page that another thread has taken off its quicklist.
 */
static void quicklists_stay_mapped(struct kunit *test, void *arg)
{
	struct rlimit space = { 512 * MEBI, 512 * MEBI };
	void *page;

	(void)arg;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &space), 0);
	page = quicklist_alloc(0, GFP_KERNEL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	quicklist_free(0, NULL, page);
	page = (void *)__get_free_pages(GFP_KERNEL, MAX_PAGE_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, page);
	free_pages((unsigned long)page, MAX_PAGE_ORDER);
	KUNIT_EXPECT_EQ(test, page_make_address_space(1), percpu_has_sequences());
}

/* A foreign mapping lies where the window would grow next: the window ends there. */
static void taken_addresses(struct kunit *test, void *arg)
{
	struct rlimit space = { 512 * MEBI, 512 * MEBI };
	unsigned long next;

	(void)arg;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &space), 0);
	KUNIT_ASSERT_NE(test, __get_free_pages(GFP_KERNEL, 4), 0);
	next = usermm_memmap.base + mm_window.online_bytes + SECTION_BYTES;
	KUNIT_ASSERT_EQ(test, os_map_at((void *)next, os_page_bytes()), 0);
	*(char *)next = 77;
	KUNIT_EXPECT_GT(test, use_all(), 4 * MEBI);
	KUNIT_EXPECT_EQ(test, usermm_memmap.base + mm_window.online_bytes, next);
	KUNIT_EXPECT_EQ(test, *(char *)next, 77);
	KUNIT_ASSERT_EQ(test, os_unmap((void *)next, os_page_bytes()), 0);
	KUNIT_EXPECT_GT_MSG(test, use_all(), 200 * MEBI, "until it is gone");
}

/* Where the tables and the window grow next, in the order in which they lie. */
struct next_places {
	void *at[4];
};

static struct next_places next_places(void)
{
	unsigned long online = mm_window.online_bytes;
	char *end = (char *)usermm_memmap.base + online;
	struct page *page = pfn_to_page(online >> PAGE_SHIFT);

	return (struct next_places){ { page, mm_slab_cache(page), mm_mark(end), end } };
}

/* A foreign mapping lies where one of them grows: the others stay as they were. */
static void taken_table(struct kunit *test, void *arg)
{
	struct rlimit space = { 512 * MEBI, 512 * MEBI };
	size_t taken = (size_t)arg, bytes = os_page_bytes();
	struct next_places places;
	struct page *first;

	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &space), 0);
	KUNIT_ASSERT_NE(test, __get_free_pages(GFP_KERNEL, 4), 0);
	places = next_places();
	for (unsigned int tries = 0; tries < 2; tries++) {
		KUNIT_ASSERT_EQ(test, os_map_at(places.at[taken], bytes), 0);
		KUNIT_EXPECT_EQ(test, mm_grow(SECTION_BYTES, &first), 0);
		KUNIT_ASSERT_EQ(test, os_unmap(places.at[taken], bytes), 0);
		for (size_t i = 0; i < ARRAY_SIZE(places.at); i++) {
			KUNIT_EXPECT_EQ_MSG(test, os_map_at(places.at[i], bytes), 0,
					    "%zu is left when %zu was taken", i, taken);
			os_unmap(places.at[i], bytes);
		}
	}
	KUNIT_EXPECT_EQ(test, mm_grow(SECTION_BYTES, &first), SECTION_BYTES / PAGE_SIZE);
	for (size_t i = 0; i < ARRAY_SIZE(places.at); i++)
		*(char *)places.at[i] = 1;
}

static void test_limits_taken_tables(struct kunit *test)
{
	if (!LIMITS_WORK)
		kunit_skip(test, "the sanitizer needs more than any limit");
	if (os_page_bytes() > PAGE_SIZE)
		kunit_skip(test, "a table of a section ends inside a page");
	for (size_t i = 0; i < ARRAY_SIZE(((struct next_places *)NULL)->at); i++)
		CHILD_EXPECT_SUCCESS(test, taken_table, (void *)i);
}

static void little_data(struct kunit *test, void *arg)
{
	struct rlimit data = { 100 * MEBI, 100 * MEBI };
	unsigned long used;

	(void)arg;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_DATA, &data), 0);
	used = use_all();
	KUNIT_EXPECT_GT(test, used, 32 * MEBI);
	KUNIT_EXPECT_LE(test, mm_facts.budget_bytes, 100 * MEBI);
}

static void test_limits_by_resources(struct kunit *test)
{
	if (!LIMITS_WORK)
		kunit_skip(test, "the sanitizer needs more than any limit");
	CHILD_EXPECT_SUCCESS(test, few_addresses, NULL);
	CHILD_EXPECT_SUCCESS(test, few_addresses_for_others, NULL);
	CHILD_EXPECT_SUCCESS(test, late_limit, NULL);
	CHILD_EXPECT_SUCCESS(test, quicklists_stay_mapped, NULL);
	CHILD_EXPECT_SUCCESS(test, taken_addresses, NULL);
	CHILD_EXPECT_SUCCESS(test, little_data, NULL);
}

static void no_addresses(struct kunit *test, void *arg)
{
	struct rlimit space = { 4096, 4096 };

	(void)arg;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &space), 0);
	/* All calls fail, with an error, and nothing crashes. */
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, kmalloc(100, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, kmalloc(100000, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, kmem_cache_create("none", 64, 0, 0, NULL));
	KUNIT_EXPECT_NULL(test, quicklist_alloc(0, GFP_KERNEL | __GFP_NOWARN, NULL));
	KUNIT_EXPECT_EQ(test, get_zeroed_page(GFP_KERNEL | __GFP_NOWARN), 0);
	kfree(NULL);
	kfree(ZERO_SIZE_PTR);
	drain_local_pages(NULL);
	quicklist_trim(0, NULL, 0, 10);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 0);
	kmem_cache_destroy(NULL);
}

static void test_limits_nothing_at_all(struct kunit *test)
{
	if (!LIMITS_WORK)
		kunit_skip(test, "the sanitizer needs more than any limit");
	CHILD_EXPECT_SUCCESS(test, no_addresses, NULL);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(test_limits_by_option),
	KUNIT_CASE(test_limits_window_shrinks_to_fit),
	KUNIT_CASE(test_limits_by_resources),
	KUNIT_CASE(test_limits_taken_tables),
	KUNIT_CASE(test_limits_nothing_at_all),
	{ 0 },
};

static struct kunit_suite limits_suite = { .name = "limits", .test_cases = limits_cases };

kunit_test_suite(limits_suite);
