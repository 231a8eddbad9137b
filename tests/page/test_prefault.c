/* SPDX-License-Identifier: MIT */
/*
 * Memory is made present before it is touched. mincore(2) shows which pages are present. The test
 * sees the library's requests, because this program defines the library's madvise(). Each case in a
 * fresh process.
 */
#include <errno.h>
#include <sys/syscall.h>

#include "page/debug/hooks.h"
#include "page/gfp.h"
#include "page/pageblock.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/limits.h"
#include "support/child.h"
#include "support/prefault.h"

#define ORDER 3U
#define BLOCK_PAGES (1UL << ORDER)
#define NR_BLOCKS 64U
/* Of these 256 MiB are a share with 64 CPUs. */
#define MAY_PREFAULT (4 * BLOCK_PAGES)

/* Calls; those at which more than pages_used were in use, so that a fork child would lose pages. */
static unsigned int nr_calls, nr_in_hand;
static unsigned long pages_used;	/* 0: any number */
static unsigned long pages_asked;
static int refused_with;	/* errno of each call to come; 0: the kernel decides */

/* Neither free nor on a list. */
static unsigned long pages_in_use(void)
{
	return nodes_managed_pages() - nodes_free_pages() - pcp_pages();
}

/* Sanitizers have a function of that name. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SEES_CALLS false
#else
#define SEES_CALLS true

int madvise(void *addr, size_t bytes, int advice)
{
	if (advice == MADV_POPULATE_WRITE) {
		nr_calls++;
		nr_in_hand += pages_used && pages_in_use() > pages_used;
		pages_asked += bytes >> PAGE_SHIFT;
		if (refused_with) {
			errno = refused_with;
			return -1;
		}
	}
	return (int)syscall(SYS_madvise, addr, bytes, advice);
}
#endif

static struct page *blocks[NR_BLOCKS];

static void set_up(struct kunit *test, const char *more)
{
	const char *error = NULL;
	char text[100];

	snprintf(text, sizeof(text), "background=off:reserve=4G:%s", more);
	KUNIT_ASSERT_EQ_MSG(test, usermm_set_options(text, &error), 0, "%s", error);
}

/* The library comes up with the first of them, so the CPUs are known behind it. */
static void use_a_section(struct kunit *test)
{
	blocks[0] = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, blocks[0]);
}

/* Of the zone that they are from; what is on lists counts as in use. */
static unsigned long zone_pages_in_use(void)
{
	const struct zone *z = page_zone(blocks[0]);

	return z->managed_pages - z->free_pages;
}

static void take_block(struct kunit *test, unsigned int i)
{
	blocks[i] = alloc_pages(GFP_KERNEL | GFP_PREFAULT, ORDER);
	KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
}

/*
 * --- Pages that are populated ------------------------------------------------------------------
 */

/* The block and those that the list has now, which come next. */
static void a_refill_is_present(struct kunit *test, void *unused)
{
	unsigned long nr;

	(void)unused;
	set_up(test, "prefault=on");
	use_a_section(test);
	prefault_use_for(test, MAY_PREFAULT);
	take_block(test, 0);
	KUNIT_EXPECT_EQ(test, nr_calls, 1U);
	nr = pages_asked / BLOCK_PAGES;
	KUNIT_EXPECT_GE(test, nr, 2UL);
	for (unsigned int i = 0; i < nr; i++) {
		const unsigned char *bytes;

		if (i)
			take_block(test, i);
		KUNIT_EXPECT_EQ_MSG(test, nr_resident(blocks[i], BLOCK_PAGES), BLOCK_PAGES, "%u",
				    i);
		bytes = page_address(blocks[i]);
		for (size_t byte = 0; byte < BLOCK_PAGES << PAGE_SHIFT; byte++)
			if (bytes[byte])
				KUNIT_FAIL_AND_ABORT(test, "block %u: byte %zu is not 0", i, byte);
	}
	KUNIT_EXPECT_EQ(test, nr_calls, 1U);
}

static void single_pages_are_present(struct kunit *test, void *unused)
{
	struct page *page;

	(void)unused;
	set_up(test, "prefault=on");
	use_a_section(test);
	prefault_use_for(test, MAY_PREFAULT);
	page = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, nr_calls, 1U);
	KUNIT_EXPECT_GE(test, pages_asked, PREFAULT_PAGES_MIN);
	KUNIT_EXPECT_EQ(test, nr_resident(page, pages_asked), pages_asked);
}

/* As many pages as are allowed of several blocks in a row, even if this ends inside a block. */
static void no_more_than_the_share(struct kunit *test, void *unused)
{
	unsigned long share;

	(void)unused;
	set_up(test, "prefault=on");
	use_a_section(test);
	prefault_use_for(test, BLOCK_PAGES + 2);
	share = zone_pages_in_use() / PREFAULT_SHARE / percpu_nr_cpus();
	take_block(test, 0);
	KUNIT_EXPECT_EQ(test, nr_calls, 1U);
	KUNIT_EXPECT_GE(test, pages_asked, PREFAULT_PAGES_MIN);
	KUNIT_EXPECT_LE(test, pages_asked, share);
}

/* A child that is forked meanwhile has all blocks except the one of the parent's request. */
static void nothing_is_in_hand(struct kunit *test, void *unused)
{
	(void)unused;
	set_up(test, "prefault=on");
	use_a_section(test);
	prefault_use_for(test, MAY_PREFAULT);
	for (unsigned int i = 0; i < 2000; i++) {
		pages_used = pages_in_use() + 1;
		KUNIT_ASSERT_NOT_NULL(test, alloc_page(GFP_KERNEL));
	}
	KUNIT_EXPECT_GT(test, nr_calls, 1U);
	KUNIT_EXPECT_EQ(test, nr_in_hand, 0U);
}

/* Also as lists get longer and are filled in several rounds. */
static void no_request_has_more(struct kunit *test, void *unused)
{
	(void)unused;
	set_up(test, "prefault=on");
	use_a_section(test);
	prefault_use_for(test, MAY_PREFAULT);
	for (unsigned int i = 0; i < 2000; i++) {
		unsigned long share = zone_pages_in_use() / PREFAULT_SHARE / percpu_nr_cpus();

		pages_asked = 0;
		KUNIT_ASSERT_NOT_NULL(test, alloc_page(GFP_KERNEL));
		KUNIT_EXPECT_LE(test, pages_asked, share);
	}
	KUNIT_EXPECT_GT(test, nr_calls, 1U);
}

/*
 * --- Pages that are not --------------------------------------------------------------------------
 */

static void expect_none(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		take_block(test, i);
		KUNIT_EXPECT_EQ_MSG(test, nr_resident(blocks[i], BLOCK_PAGES), 0UL, "%u", i);
	}
	KUNIT_EXPECT_EQ(test, nr_calls, 0U);
}

static void a_small_program_has_none(struct kunit *test, void *unused)
{
	(void)unused;
	set_up(test, "prefault=on");
	for (unsigned int i = 0; i < 8; i++)
		take_block(test, i);
	KUNIT_EXPECT_EQ(test, nr_calls, 0U);
	KUNIT_EXPECT_EQ(test, nr_resident(blocks[0], BLOCK_PAGES), 0UL);
}

static void off_has_none(struct kunit *test, void *unused)
{
	(void)unused;
	set_up(test, "prefault=off");
	use_a_section(test);
	prefault_use_for(test, MAY_PREFAULT);
	expect_none(test);
}

/* The kernel might kill for pages that nobody needs yet. */
static void near_a_limit_has_none(struct kunit *test, void *unused)
{
	(void)unused;
	set_up(test, "prefault=on");
	use_a_section(test);
	prefault_use_for(test, MAY_PREFAULT);
	limits_known_ms = 1U << 30;	/* nobody looks again */
	limits_look(PAGE_SIZE);
	limits_are_near = true;
	expect_none(test);
}

/* Pages that hooks look at may be inaccessible while they are free. */
static void hooked_pages_have_none(struct kunit *test, void *unused)
{
	(void)unused;
	set_up(test, "debug_pagealloc=1");
	use_a_section(test);
	KUNIT_ASSERT_TRUE(test, page_hooks());
	prefault_use_for(test, MAY_PREFAULT);
	take_block(test, 0);
	KUNIT_EXPECT_EQ(test, nr_calls, 0U);
}

/* Used memory is present, and is not known to be zero. */
static void used_blocks_have_none(struct kunit *test, void *unused)
{
	unsigned int before;

	(void)unused;
	set_up(test, "prefault=on");
	use_a_section(test);
	prefault_use_for(test, MAY_PREFAULT);
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		take_block(test, i);
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		__free_pages(blocks[i], ORDER);
	drain_all_pages(NULL);
	before = nr_calls;
	for (unsigned int i = 0; i < NR_BLOCKS / 2; i++)
		take_block(test, i);
	KUNIT_EXPECT_EQ(test, nr_calls, before);
}

static void larger_blocks_have_none(struct kunit *test, void *unused)
{
	struct page *page;

	(void)unused;
	set_up(test, "prefault=on");
	use_a_section(test);
	prefault_use_for(test, MAY_PREFAULT);
	page = alloc_pages(GFP_KERNEL | GFP_PREFAULT, PAGE_ALLOC_COSTLY_ORDER + 1);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, nr_calls, 0U);
	KUNIT_EXPECT_EQ(test, nr_resident(page, 1), 0UL);
}

/* A program may touch only the first page of a block that is aligned to its size. */
static void blocks_of_others_have_none(struct kunit *test, void *unused)
{
	(void)unused;
	set_up(test, "prefault=on:thp=never");
	use_a_section(test);
	prefault_use_for(test, MAY_PREFAULT);
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = alloc_pages(GFP_KERNEL, ORDER);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
		*(char *)page_address(blocks[i]) = 1;
		KUNIT_EXPECT_EQ_MSG(test, nr_resident(blocks[i], BLOCK_PAGES), 1UL, "%u", i);
	}
	KUNIT_EXPECT_EQ(test, nr_calls, 0U);
}

/* --- Refusals ------------------------------------------------------------------------------- */

static void refuse(struct kunit *test, int error)
{
	set_up(test, "prefault=on");
	use_a_section(test);
	prefault_use_for(test, MAY_PREFAULT);
	refused_with = error;
	errno = EDOM;
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		take_block(test, i);
		memset(page_address(blocks[i]), 1, BLOCK_PAGES << PAGE_SHIFT);
	}
	KUNIT_EXPECT_EQ(test, errno, EDOM);
}

static void whoever_refuses_is_asked_once(struct kunit *test, void *error)
{
	refuse(test, *(const int *)error);
	KUNIT_EXPECT_EQ(test, nr_calls, 1U);
}

static void no_memory_now_may_be_some_later(struct kunit *test, void *error)
{
	refuse(test, *(const int *)error);
	KUNIT_EXPECT_GT(test, nr_calls, 1U);
}

/* --- ----------------------------------------------------------------------------------------- */

static void expect(struct kunit *test, void (*fn)(struct kunit *test, void *arg), int error)
{
	if (!SEES_CALLS)
		kunit_skip(test, "madvise() is the sanitizer's");
	if (error)
		prefault_need_asking(test);
	else
		prefault_need(test);
	nr_calls = 0;
	pages_asked = 0;
	CHILD_EXPECT_SUCCESS(test, fn, &error);
}

static void test_populated(struct kunit *test)
{
	expect(test, a_refill_is_present, 0);
	expect(test, single_pages_are_present, 0);
	expect(test, no_more_than_the_share, 0);
	expect(test, no_request_has_more, 0);
	expect(test, nothing_is_in_hand, 0);
}

static void test_not_populated(struct kunit *test)
{
	expect(test, a_small_program_has_none, 0);
	expect(test, off_has_none, 0);
	expect(test, near_a_limit_has_none, 0);
	expect(test, hooked_pages_have_none, 0);
	expect(test, used_blocks_have_none, 0);
	expect(test, larger_blocks_have_none, 0);
	expect(test, blocks_of_others_have_none, 0);
}

static void test_prefault_refused(struct kunit *test)
{
	expect(test, whoever_refuses_is_asked_once, EINVAL);
	expect(test, whoever_refuses_is_asked_once, EPERM);
	expect(test, whoever_refuses_is_asked_once, ENOSYS);
	expect(test, no_memory_now_may_be_some_later, ENOMEM);
	expect(test, no_memory_now_may_be_some_later, EAGAIN);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_populated),
	KUNIT_CASE(test_not_populated),
	KUNIT_CASE(test_prefault_refused),
	{}
};

static struct kunit_suite suite = {
	.name = "prefault",
	.test_cases = cases,
};
kunit_test_suite(suite);
