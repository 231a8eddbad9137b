/* SPDX-License-Identifier: MIT */
/*
 * Transparent huge pages: the advice that the library gives to the kernel, as /proc/self/smaps
 * shows it for a mapping. Whether the machine gives any is tested by malloc/test_thp. Each case is
 * a fresh process.
 */
#include <sys/resource.h>

#include "mm/huge.h"
#include "mm/memmap.h"
#include "page/zone.h"
#include "support/system/advice.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITS_WORK false	/* the sanitizer has reserved terabytes already */
#else
#define LIMITS_WORK true
#endif

#define NR_BLOCKS 12U	/* 48 MiB */
#define NR_SMALL ((unsigned int)(MM_HUGE_FROM / SECTION_BYTES))

static struct page *blocks[2 * NR_BLOCKS];

static const char *advice_of(unsigned int block)
{
	return advice_at(page_address(blocks[block]));
}

static void take(struct kunit *test, unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++) {
		blocks[i] = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
		memset(page_address(blocks[i]), 1, SECTION_BYTES);
	}
}

static void give(unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++)
		__free_pages(blocks[i], MAX_PAGE_ORDER);
	drain_all_pages(NULL);
}

static void set_option(struct kunit *test, const char *thp)
{
	const char *error = NULL;
	char text[100];

	snprintf(text, sizeof(text), "background=off:reserve=1G:thp=%s", thp);
	KUNIT_ASSERT_EQ_MSG(test, usermm_set_options(text, &error), 0, "%s", error);
}

static void set_auto(struct kunit *test, unsigned int patience_ms)
{
	mm_huge_patience_ms = patience_ms;
	set_option(test, "auto");
}

#define PATIENT (100 * 1000)

/*
 * --- The steps in which a heap grows -----------------------------------------------------------
 */

static void grows(struct kunit *test, void *unused)
{
	(void)unused;
	set_auto(test, PATIENT);
	take(test, 0, NR_BLOCKS);
	KUNIT_EXPECT_STREQ(test, advice_at((void *)mm_window.base), "");
	KUNIT_EXPECT_STREQ(test, advice_at((char *)mm_window.base + MM_HUGE_FROM - 1), "");
	KUNIT_EXPECT_STREQ(test, advice_at((char *)mm_window.base + MM_HUGE_FROM), "hg");
	KUNIT_EXPECT_STREQ(test, advice_of(NR_BLOCKS - 1), "hg");
	KUNIT_EXPECT_STREQ(test, advice_at((char *)mm_window.base + mm_window.online_bytes - 1),
			   "hg");
}

/* Memory that comes online is zero, whether or not huge pages were asked for. */
static void is_zero(struct kunit *test, void *unused)
{
	(void)unused;
	set_auto(test, PATIENT);
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		const char *bytes;

		blocks[i] = alloc_pages(GFP_KERNEL | __GFP_ZERO, MAX_PAGE_ORDER);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
		bytes = page_address(blocks[i]);
		KUNIT_EXPECT_TRUE(test, !bytes[0] && !memcmp(bytes, bytes + 1, SECTION_BYTES - 1));
	}
}

/* All that is there, and nothing that is lost; what comes then is asked for again. */
static void gives_back(struct kunit *test, void *unused)
{
	(void)unused;
	set_auto(test, PATIENT);
	take(test, 0, NR_BLOCKS);
	give(NR_BLOCKS / 2, NR_BLOCKS / 2 + 1);
	KUNIT_EXPECT_STREQ_MSG(test, advice_of(NR_BLOCKS - 1), "hg",
			       "a free block may be used again");
	KUNIT_EXPECT_GT(test, usermm_trim(0), 0);
	for (unsigned int i = NR_SMALL; i < NR_BLOCKS; i++)
		KUNIT_EXPECT_STREQ_MSG(test, advice_of(i), "nh", "block %u", i);
	KUNIT_EXPECT_STREQ(test, advice_at((void *)mm_window.base), "");
	KUNIT_EXPECT_EQ(test, *(char *)page_address(blocks[NR_BLOCKS - 1]), 1);
	take(test, NR_BLOCKS, 2 * NR_BLOCKS);
	KUNIT_EXPECT_STREQ(test, advice_of(NR_BLOCKS - 1), "nh");
	KUNIT_EXPECT_STREQ(test, advice_of(2 * NR_BLOCKS - 1), "hg");
	give(2 * NR_BLOCKS - 1, 2 * NR_BLOCKS);
	KUNIT_EXPECT_GT(test, usermm_trim(0), 0);
	KUNIT_EXPECT_STREQ(test, advice_of(2 * NR_BLOCKS - 1), "nh");
}

/* The kernel had no huge page at hand, so for some time none is asked for. */
static void waits_once(struct kunit *test, void *unused)
{
	(void)unused;
	set_auto(test, 0);
	take(test, 0, NR_SMALL + 1);
	KUNIT_EXPECT_STREQ(test, advice_of(NR_SMALL), "nh");
	mm_huge_patience_ms = PATIENT;
	take(test, NR_SMALL + 1, NR_BLOCKS);
	KUNIT_EXPECT_STREQ_MSG(test, advice_of(NR_BLOCKS - 1), "", "within MM_HUGE_PAUSE_MS");
}

#define NR_GROWING (ARRAY_SIZE(blocks) / NR_BLOCKS)
#define NR_TRIMMING 3
#define NR_STORMS 40
#define NR_TRIMS 30
#define SMALL_ORDER 6

static void trim_some(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, SMALL_ORDER);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page_address(page), 1, PAGE_SIZE << SMALL_ORDER);
	__free_pages(page, SMALL_ORDER);
	usermm_trim(0);
}

static void grow_or_trim(struct test_thread *thread)
{
	unsigned int from = thread->index * NR_BLOCKS;

	if (thread->index < NR_GROWING)
		take(thread->test, from, from + NR_BLOCKS);
	else
		for (unsigned int i = 0; i < NR_TRIMS; i++)
			trim_some(thread->test);
}

/* When the request is withdrawn, in whatever order threads come, nothing of it stays. */
static void comes_together(struct kunit *test, void *unused)
{
	(void)unused;
	set_auto(test, PATIENT);
	test_threads_run(test, NR_GROWING + NR_TRIMMING, grow_or_trim, NULL);
	trim_some(test);
	for (size_t i = 0; i < mm_window.online_bytes; i += SECTION_BYTES)
		KUNIT_EXPECT_STRNEQ_MSG(test, advice_at((char *)mm_window.base + i), "hg",
					"%zu MiB", i >> 20);
}

/* No section has the advice any more, and no foreign mapping was given any. */
static void vacates(struct kunit *test, void *unused)
{
	struct rlimit space = { 4UL << 30, 4UL << 30 };
	char *hole, *others;

	(void)unused;
	set_auto(test, PATIENT);
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &space), 0);
	take(test, 0, NR_BLOCKS);
	give(NR_SMALL, NR_SMALL + 1);
	KUNIT_ASSERT_GT(test, usermm_trim(0), 0);
	take(test, NR_SMALL, NR_SMALL + 1);
	take(test, NR_BLOCKS, 2 * NR_BLOCKS);
	KUNIT_ASSERT_STREQ(test, advice_of(2 * NR_BLOCKS - 1), "hg");
	hole = page_address(blocks[2 * NR_BLOCKS - 2]);
	give(NR_SMALL, 2 * NR_BLOCKS - 1);
	KUNIT_ASSERT_TRUE(test, page_make_address_space(SIZE_MAX));
	others = mmap(hole, SECTION_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS |
		      MAP_FIXED_NOREPLACE, -1, 0);
	KUNIT_ASSERT_PTR_EQ(test, others, hole);
	KUNIT_ASSERT_EQ(test, madvise(others, SECTION_BYTES, MADV_HUGEPAGE), 0);
	take(test, NR_SMALL, 2 * NR_BLOCKS - 1);
	give(NR_SMALL, NR_SMALL + 1);
	KUNIT_EXPECT_GT(test, usermm_trim(0), 0);
	for (unsigned int i = NR_SMALL + 1; i < 2 * NR_BLOCKS; i++)
		KUNIT_EXPECT_STRNEQ_MSG(test, advice_of(i), "hg", "block %u", i);
	KUNIT_EXPECT_STREQ(test, advice_at(others), "hg");
}

/* --- All memory ------------------------------------------------------------------------ */

static void all_is(struct kunit *test, const char *thp, const char *advice)
{
	set_option(test, thp);
	take(test, 0, NR_BLOCKS);
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		KUNIT_EXPECT_STREQ_MSG(test, advice_of(i), advice, "block %u", i);
	give(0, NR_BLOCKS / 2);
	KUNIT_EXPECT_GT(test, usermm_trim(0), 0);
	KUNIT_EXPECT_STREQ(test, advice_of(0), advice);
	KUNIT_EXPECT_STREQ(test, advice_of(NR_BLOCKS - 1), advice);
}

static void all_is_wanted(struct kunit *test, void *unused)
{
	(void)unused;
	all_is(test, "always", "hg");
}

static void none_is_wanted(struct kunit *test, void *unused)
{
	(void)unused;
	all_is(test, "never", "nh");
}

static void nothing_is_said(struct kunit *test, void *unused)
{
	(void)unused;
	all_is(test, "default", "");
}

static void expect(struct kunit *test, void (*fn)(struct kunit *test, void *unused))
{
	if (!advice_is_told())
		kunit_skip(test, "the kernel has no transparent huge pages, or does not tell");
	if (sysconf(_SC_PAGESIZE) != PAGE_SIZE)
		kunit_skip(test, "the system's huge pages are larger than a section");
	CHILD_EXPECT_SUCCESS(test, fn, NULL);
}

static void test_huge_vacated(struct kunit *test)
{
	if (!LIMITS_WORK)
		kunit_skip(test, "under a sanitizer");
	expect(test, vacates);
}

static void test_huge_growth(struct kunit *test)
{
	expect(test, grows);
	expect(test, is_zero);
}

static void test_huge_given_back(struct kunit *test)
{
	expect(test, gives_back);
}

static void test_huge_threads(struct kunit *test)
{
	for (unsigned int i = 0; i < TEST_STEPS(NR_STORMS); i++)
		expect(test, comes_together);
}

static void test_huge_patience(struct kunit *test)
{
	expect(test, waits_once);
}

static void test_huge_for_all(struct kunit *test)
{
	expect(test, all_is_wanted);
	expect(test, none_is_wanted);
	expect(test, nothing_is_said);
}

static struct kunit_case huge_cases[] = {
	KUNIT_CASE(test_huge_growth),
	KUNIT_CASE(test_huge_given_back),
	KUNIT_CASE(test_huge_threads),
	KUNIT_CASE(test_huge_vacated),
	KUNIT_CASE(test_huge_patience),
	KUNIT_CASE(test_huge_for_all),
	{}
};

static struct kunit_suite huge_suite = {
	.name = "huge",
	.test_cases = huge_cases,
};

kunit_test_suite(huge_suite);
