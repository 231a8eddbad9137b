/* SPDX-License-Identifier: MIT */
/* page_poison, init_on_alloc, init_on_free, page_owner, and reports of bad pages. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "page/api/exact.h"
#include "page/debug/hooks.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/text.h"
#include "support/threads.h"
#include "support/zones.h"

static const char *with_options;

static void set_options(struct kunit *test)
{
	const char *error;

	KUNIT_ASSERT_EQ_MSG(test, usermm_set_options(with_options, &error), 0, "%s", error);
}

static bool all_bytes(const struct page *page, unsigned int order, unsigned char value)
{
	const unsigned char *bytes = page_address(page);

	for (unsigned long i = 0; i < PAGE_SIZE << order; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

static void use(struct kunit *test, gfp_t gfp, unsigned int order, unsigned char expected)
{
	struct page *page;

	for (unsigned int round = 0; round < 3; round++) {
		page = alloc_pages(gfp, order);
		KUNIT_ASSERT_NOT_NULL(test, page);
		if (round)	/* the first is fresh from the system */
			KUNIT_EXPECT_TRUE_MSG(test, all_bytes(page, order, expected),
					      "order %u, not all bytes are %#x", order, expected);
		memset(page_address(page), 0x55, PAGE_SIZE << order);
		__free_pages(page, order);
	}
}

static void clears_on_alloc(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++)
		use(test, GFP_KERNEL, order, 0);
	use(test, GFP_KERNEL | __GFP_SKIP_ZERO, 0, 0x55);
	use(test, GFP_KERNEL | __GFP_SKIP_ZERO | __GFP_ZERO, 0, 0);
}

static void clears_on_free(struct kunit *test)
{
	struct page *pages[40] = { NULL };

	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++)
		use(test, GFP_KERNEL | __GFP_SKIP_ZERO, order, 0);
	for (unsigned long got = 0, now; got < 40; got = now) {
		now = alloc_pages_bulk_array(GFP_KERNEL, 40, pages);
		KUNIT_ASSERT_GT(test, now, got);
	}
	for (unsigned int i = 0; i < 40; i++)
		memset(page_address(pages[i]), 0x55, PAGE_SIZE);
	free_pages_bulk(pages, 40);
	for (unsigned int i = 0; i < 40; i++)
		KUNIT_EXPECT_TRUE(test, all_bytes(pages[i], 0, 0));
}

/* Blocks of any number of pages: the surplus pages, and the block when it is freed. */
static void clears_exact(struct kunit *test)
{
	struct page *whole = alloc_pages(GFP_KERNEL | __GFP_SKIP_ZERO, 6), *page;
	bool zeroed;

	KUNIT_ASSERT_NOT_NULL(test, whole);
	memset(page_address(whole), 0x55, PAGE_SIZE << 6);
	free_frozen_exact(whole, 37);
	KUNIT_EXPECT_TRUE(test, all_bytes(whole, 5, 0));
	KUNIT_EXPECT_TRUE(test, all_bytes(whole + 36, 0, 0));
	KUNIT_EXPECT_TRUE_MSG(test, all_bytes(whole + 37, 0, 0x55), "not freed");
	free_frozen_exact(whole + 37, 27);
	page = alloc_frozen_exact(GFP_KERNEL | __GFP_SKIP_ZERO, 37, 0, &zeroed);
	KUNIT_ASSERT_PTR_EQ(test, page, whole);
	memset(page_address(page), 0x55, 37 * PAGE_SIZE);
	free_frozen_exact(page, 37);
	KUNIT_EXPECT_TRUE(test, all_bytes(whole, 6, 0));
}

static void poisons_exact(struct kunit *test)
{
	struct page *whole = alloc_pages(GFP_KERNEL, 6), *page;
	bool zeroed;

	KUNIT_ASSERT_NOT_NULL(test, whole);
	__free_pages(whole, 6);
	page = alloc_frozen_exact(GFP_KERNEL | __GFP_ZERO, 37, 0, &zeroed);
	KUNIT_ASSERT_PTR_EQ(test, page, whole);
	for (unsigned int i = 37; i < 64; i++)
		KUNIT_EXPECT_TRUE_MSG(test, all_bytes(whole + i, 0, 0xaa) &&
				      whole[i].debugged & DEBUGGED_POISONED, "page %u", i);
	free_frozen_exact(page, 37);
	KUNIT_EXPECT_TRUE(test, all_bytes(whole, 6, 0xaa));
}

static void test_hooks_exact(struct kunit *test)
{
	zones_run(test, "init_on_free=1", clears_exact);
	zones_run(test, "page_poison=1", poisons_exact);
}

static void test_hooks_init(struct kunit *test)
{
	zones_run(test, "init_on_alloc=1", clears_on_alloc);
	zones_run(test, "init_on_free=1", clears_on_free);
}

static void random_use(struct kunit *test, void *unused)
{
	struct { struct page *page; unsigned int order; } blocks[64] = { { NULL, 0 } };
	struct prng prng = { 7 };

	(void)unused;
	set_options(test);
	for (unsigned int i = 0; i < TEST_STEPS(6000); i++) {
		unsigned int at = prng_below(&prng, 64);

		if (blocks[at].page) {
			__free_pages(blocks[at].page, blocks[at].order);
			blocks[at].page = NULL;
			if (prng_one_in(&prng, 300))
				usermm_trim(0);
			continue;
		}
		blocks[at].order = prng_below(&prng, 6);
		blocks[at].page = alloc_pages(GFP_KERNEL | (prng_one_in(&prng, 3) ? __GFP_ZERO : 0),
					      blocks[at].order);
		KUNIT_ASSERT_NOT_NULL(test, blocks[at].page);
		memset(page_address(blocks[at].page), (int)i, PAGE_SIZE << blocks[at].order);
	}
}

static void write_to_free(struct kunit *test, void *arg)
{
	unsigned long bytes = (unsigned long)arg;
	struct page *pages[200];
	unsigned char *freed;

	/* This CPU's list hands out again the page that was freed to it. */
	test_pin(0);
	set_options(test);
	for (unsigned int i = 0; i < 200; i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
	}
	freed = page_address(pages[100]);
	for (unsigned int i = 0; i < 200; i++)
		__free_page(pages[i]);
	for (unsigned long i = 0; i < PAGE_SIZE; i++)
		KUNIT_ASSERT_EQ(test, freed[i], 0xaa);
	freed[1000] ^= 4;
	if (bytes > 1)
		freed[1001] = 'x';
	for (unsigned int i = 0; i < 200; i++)
		pages[i] = alloc_page(GFP_KERNEL);
	/* The program goes on. */
	for (unsigned int i = 0; i < 200; i++)
		__free_page(pages[i]);
}

static void test_hooks_poison(struct kunit *test)
{
	struct child_result result;

	with_options = "page_poison=1:init_on_alloc=1";
	child_run(test, random_use, NULL, &result);
	KUNIT_EXPECT_EQ(test, result.status, 0);
	KUNIT_EXPECT_STREQ_MSG(test, result.err, "", "nobody wrote to a free page");
	CHILD_EXPECT_SUCCESS(test, write_to_free, (void *)1, "pagealloc: single bit error");
	CHILD_EXPECT_SUCCESS(test, write_to_free, (void *)2, "pagealloc: memory corruption",
			     ": ae 78 ", ".x\n", "page: refcount:0 mapcount:0 mapping:",
			     "flags: 0x0(node=0|zone=2)\n",
			     "page dumped because: pagealloc: corrupted page details");
}

static void touch_free(struct kunit *test, void *arg)
{
	unsigned int order = (unsigned int)(unsigned long)arg;
	struct page *page;
	char *memory;

	set_options(test);
	page = alloc_pages(GFP_KERNEL, order);
	KUNIT_ASSERT_NOT_NULL(test, page);
	memory = page_address(page);
	memset(memory, 1, PAGE_SIZE << order);
	__free_pages(page, order);
	*(volatile char *)(memory + (PAGE_SIZE << order) - 1) = 2;
}

/* More runs than there may be mappings: every other page is free. */
static void scatter(struct kunit *test, void *unused)
{
	enum { NR = 40000 };
	static struct page *pages[NR];
	unsigned int nr = TEST_STEPS(NR);

	(void)unused;
	set_options(test);
	for (unsigned int i = 0; i < nr; i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
		*(char *)page_address(pages[i]) = 1;
	}
	for (unsigned int i = 0; i < nr; i += 2)
		__free_page(pages[i]);
	/* There are mappings left for others. */
	for (unsigned int i = 0; i < 100; i++)
		KUNIT_ASSERT_TRUE(test, mmap(NULL, PAGE_SIZE, i & 1 ? PROT_READ : PROT_NONE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	for (unsigned int i = 0; i < nr; i += 2) {
		pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
		KUNIT_ASSERT_EQ(test, *(char *)page_address(pages[i]), 0);
		*(char *)page_address(pages[i]) = 1;
	}
	for (unsigned int i = 0; i < nr; i++)
		__free_page(pages[i]);
}

static void test_hooks_pagealloc(struct kunit *test)
{
	static const unsigned int orders[] = { 0, 3, 5, MAX_PAGE_ORDER };
	struct child_result result;

	with_options = "debug_pagealloc=1:page_poison=1:init_on_alloc=1";
	child_run(test, random_use, NULL, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	KUNIT_EXPECT_STREQ(test, result.err, "");
	with_options = "debug_pagealloc=1";
	CHILD_EXPECT_SUCCESS(test, scatter, NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(orders); i++) {
		child_run(test, touch_free, (void *)(unsigned long)orders[i], &result);
		/* A sanitizer makes an exit status of the signal. */
		KUNIT_EXPECT_NE_MSG(test, result.status, 0, "order %u", orders[i]);
		KUNIT_EXPECT_NULL_MSG(test, strstr(result.err, "FAILED"), "%s", result.err);
	}
}

static unsigned int arrived;	/* Sync: atomic */

/* Blocks of 12 pages go back where what lies behind them stays in use. */
static void begin_with_exact(struct test_thread *thread)
{
	struct page *pages[2];
	bool zeroed;

	__atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < thread->nr)
		;
	for (unsigned int i = 0; i < 20; i++) {
		pages[0] = alloc_frozen_exact(GFP_KERNEL, 12, 0, &zeroed);
		pages[1] = alloc_frozen_exact(GFP_KERNEL, 4, 0, &zeroed);
		KUNIT_ASSERT_TRUE(thread->test, pages[0] && pages[1]);
		for (unsigned int j = 0; j < 12; j++)
			*(volatile char *)page_address(pages[0] + j) = 1;
		free_frozen_exact(pages[0], 12);
	}
}

static void begin_together(struct kunit *test, void *unused)
{
	(void)unused;
	set_options(test);
	test_threads_run(test, 2, begin_with_exact, NULL);
}

/* A request that began while another thread brings the layer up: hooks see it, too. */
static void test_hooks_first_requests(struct kunit *test)
{
	with_options = "debug_pagealloc=1";
	for (unsigned int i = 0; i < TEST_STEPS(100) && test->status == KUNIT_SUCCESS; i++)
		CHILD_EXPECT_SUCCESS(test, begin_together, NULL);
}

/* With poison every free is checked: faults that the fast path would not notice are reported. */
static void leave_traces(struct kunit *test, void *unused)
{
	struct usermm_stats before, after;
	struct page *page, *block, *array[2];

	(void)unused;
	set_options(test);
	page = alloc_page(GFP_KERNEL);
	block = alloc_pages(GFP_KERNEL | __GFP_COMP, 3);
	array[0] = alloc_page(GFP_KERNEL);
	array[1] = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, page && block && array[0] && array[1]);
	drain_all_pages(NULL);
	usermm_stats_read(&before);
	page->mapping = (struct address_space *)page;
	__free_page(page);
	block[5].mapping = (struct address_space *)page;
	__free_pages(block, 3);
	array[0]->mapping = (struct address_space *)page;
	(free_pages_bulk)(array, 2);
	drain_all_pages(NULL);
	usermm_stats_read(&after);
	KUNIT_EXPECT_EQ_MSG(test, after.free_bytes, before.free_bytes + PAGE_SIZE,
			    "the others are lost");
	zones_check_lists(test);
}

static void test_hooks_checks(struct kunit *test)
{
	with_options = "page_poison=1:bad_page=report:page_owner=1";
	CHILD_EXPECT_SUCCESS(test, leave_traces, NULL, "page dumped because: non-NULL mapping\n",
			     "page dumped because: corrupted mapping in tail page\n",
			     "page_owner tracks the page as allocated\n",
			     "page last allocated via order 0, migratetype Unmovable, gfp_mask",
			     "page_owner free stack trace missing");
}

static void free_twice(struct kunit *test, void *unused)
{
	struct page *page;

	(void)unused;
	set_options(test);
	page = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
	__free_page(page);
}

/* Without an unwinder there are no callers. */
#ifdef USERMM_UNWINDER
#define LAST_FREE "page last free pid "
#else
#define LAST_FREE "page_owner free stack trace missing"
#endif

static void test_hooks_owner_in_report(struct kunit *test)
{
	with_options = "bad_page=report:page_owner=1";
	CHILD_EXPECT_SUCCESS(test, free_twice, NULL, "BUG: Bad page state in process test_hooks",
			     "page_owner tracks the page as freed\n", LAST_FREE);
#ifdef USERMM_UNWINDER
	CHILD_EXPECT_SUCCESS(test, free_twice, NULL, "stack trace:\nusermm:  /",
			     "/test_hooks+0x");
#endif
}

static void own(struct kunit *test)
{
	struct page *block = alloc_pages(GFP_KERNEL | __GFP_COMP, 4), *page;
	static char text[1 << 16];
	char expected[128];
	int ends[2];
	long length;

	KUNIT_ASSERT_NOT_NULL(test, block);
	page = alloc_page(GFP_ATOMIC);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
	KUNIT_ASSERT_EQ(test, pipe(ends), 0);
	usermm_print_page_owner(ends[1]);
	close(ends[1]);
	length = read(ends[0], text, sizeof(text) - 1);
	KUNIT_ASSERT_GT(test, length, 0);
	text[length] = '\0';
	snprintf(expected, sizeof(expected), "Page allocated via order 4, mask "
		 "%#x(GFP_KERNEL|__GFP_COMP), pid ", GFP_KERNEL | __GFP_COMP);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(text, expected), "%s", text);
	snprintf(expected, sizeof(expected), "PFN 0x%lx type Unmovable", page_to_pfn(block));
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(text, expected), "%s", text);
	KUNIT_EXPECT_NULL_MSG(test, strstr(text, "GFP_ATOMIC"), "it was freed");
	__free_pages(block, 4);
}

static void test_hooks_owner(struct kunit *test)
{
	zones_run(test, "page_owner=1", own);
}

/* --- Bad pages ------------------------------------------------------------------ */

static void misuse(struct kunit *test, void *unused)
{
	struct usermm_stats before, after;
	struct page *page, *block, *frozen;

	(void)unused;
	set_options(test);
	page = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
	drain_all_pages(NULL);
	usermm_stats_read(&before);
	/* A page that is free already stays free, whatever the wrong call is. */
	__free_page(page);
	put_page(page);
	get_page(page);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 0);
	(free_pages_bulk)(&page, 1);
	__free_pages(page, 3);
	frozen = alloc_frozen_pages(GFP_KERNEL, 5);
	KUNIT_ASSERT_NOT_NULL(test, frozen);
	free_frozen_pages(frozen, 5);
	free_frozen_pages(frozen, 5);
	drain_all_pages(NULL);
	usermm_stats_read(&after);
	KUNIT_EXPECT_EQ(test, after.free_bytes, before.free_bytes);
	/* An order that is not the block's, or that does not exist: the block is lost. */
	block = alloc_pages(GFP_KERNEL | __GFP_COMP, 4);
	__free_pages(block, 3);
	block = alloc_pages(GFP_KERNEL, 4);
	__free_pages(block, 11);
	free_frozen_pages(alloc_frozen_pages(GFP_KERNEL, 2), 99);
	/* A flag that the owner did not clear. */
	page = alloc_page(GFP_KERNEL);
	page->flags |= 1UL << 27;
	__free_page(page);
	/* A harmless flag is cleared. */
	page = alloc_page(GFP_KERNEL);
	page->flags |= 1UL << 20;
	__free_page(page);
	KUNIT_EXPECT_EQ(test, page->flags, 0);
	zones_check_lists(test);
}

/* How many reports the next mistakes make. They are longer than what a child's result holds. */
static unsigned int count_reports(struct kunit *test, struct page *page, unsigned int mistakes)
{
	FILE *file = tmpfile();
	int before = dup(STDERR_FILENO);
	unsigned int nr = 0;
	char line[512];

	KUNIT_ASSERT_NOT_NULL(test, file);
	dup2(fileno(file), STDERR_FILENO);
	while (mistakes--)
		put_page(page);
	dup2(before, STDERR_FILENO);
	rewind(file);
	while (fgets(line, sizeof(line), file))
		nr += !!strstr(line, "BUG: Bad page");
	return nr;
}

static void too_much(struct kunit *test, void *unused)
{
	time_t start = time(NULL);
	unsigned int nr, minutes;
	struct page *page;

	(void)unused;
	set_options(test);
	page = alloc_page(GFP_KERNEL);
	__free_page(page);
	nr = count_reports(test, page, 100);
	/* A slow machine needs several minutes for so many. */
	minutes = (unsigned int)(time(NULL) - start) / 60 + 1;
	KUNIT_EXPECT_LE(test, nr, 60 * minutes);
	KUNIT_EXPECT_GE(test, nr, 60);
}

static void test_hooks_bad_pages(struct kunit *test)
{
	struct child_result result;

	with_options = "bad_page=report";
	child_run(test, misuse, NULL, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	KUNIT_EXPECT_EQ_MSG(test, count_text(result.err, "BUG: Bad page state in process"), 10,
			    "%s", result.err);
	KUNIT_EXPECT_NOT_NULL(test, strstr(result.err, "PAGE_FLAGS_CHECK_AT_FREE flag(s) set"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(result.err, "compound page of order 4"));
	CHILD_EXPECT_SUCCESS(test, too_much, NULL);
	with_options = "bad_page=abort";
	child_run(test, misuse, NULL, &result);
	KUNIT_EXPECT_TRUE(test, WIFSIGNALED(result.status));
}

static struct kunit_case hooks_cases[] = {
	KUNIT_CASE(test_hooks_init),
	KUNIT_CASE(test_hooks_exact),
	KUNIT_CASE(test_hooks_poison),
	KUNIT_CASE(test_hooks_pagealloc),
	KUNIT_CASE(test_hooks_first_requests),
	KUNIT_CASE(test_hooks_checks),
	KUNIT_CASE(test_hooks_owner_in_report),
	KUNIT_CASE(test_hooks_owner),
	KUNIT_CASE(test_hooks_bad_pages),
	{ 0 },
};

static struct kunit_suite hooks_suite = { .name = "hooks", .test_cases = hooks_cases };

kunit_test_suite(hooks_suite);
