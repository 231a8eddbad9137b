/* SPDX-License-Identifier: MIT */
/*
 * The last reference is dropped and the thread is interrupted on the way, at each
 * instruction in turn; meanwhile somebody else may take a reference. The page is freed once, and
 * not while somebody has a reference; a compound page is freed as a whole.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/options.h"
#include "mm/page_flags.h"
#include "page/pcp/pcp.h"
#include "selftest/stepping.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/sequences.h"
#include "support/threads.h"

#define NR 10
#define ORDER 3
#define NR_ADDRESSES 400

static struct page *pages[NR];
static bool took, compound;

static int need_sequences(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	test_pin(0);
	if (page)
		__free_page(page);
	test_need_stepping(test);
	return page ? 0 : -1;
}

static void free_one(void *arg)
{
	(void)arg;
	__free_page(pages[0]);
}

static void put_one(void *arg)
{
	(void)arg;
	put_page(pages[0]);
}

static void free_compound(void *arg)
{
	(void)arg;
	__free_pages(pages[0], ORDER);
}

static void free_all(void *arg)
{
	(void)arg;
	free_pages_bulk(pages, NR);
}

static void on_slot_0(void *arg)
{
	volatile uint32_t *index = (void *)((char *)thread_pointer() +
					    percpu.index_field);
	void (*fn)(void *) = *(void (**)(void *))arg;

	*index = (uint32_t)percpu_current_slot();
	fn(NULL);
}

/* In the handler: as page_ref_add_unless() does it. */
static void take_reference(void)
{
	int32_t *count = &pages[NR / 2]->_refcount, now = *count;

	took = now > 0;
	if (took)
		*count = now + 1;
}

static size_t unused_bytes(void)
{
	drain_local_pages(NULL);
	return test_unused_bytes();
}

static void take_pages(struct kunit *test)
{
	for (unsigned int i = 0; i < NR; i++) {
		pages[i] = compound ? alloc_pages(GFP_KERNEL | __GFP_COMP, ORDER) :
				      alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
	}
}

static void check_pages(struct kunit *test, unsigned int instruction)
{
	for (unsigned int i = 0; i < NR; i++) {
		KUNIT_ASSERT_EQ_MSG(test, pages[i]->_refcount, 0, "page %u, instruction %u", i,
				    instruction);
		KUNIT_ASSERT_FALSE_MSG(test, page_flags(pages[i]) & PG_head,
				       "page %u, instruction %u", i, instruction);
	}
}

static void interrupt_everywhere(struct kunit *test, void (*fn)(void *), bool bulk)
{
	unsigned long addresses[NR_ADDRESSES];
	unsigned int nr, aborted = 0, taken = 0;
	size_t start = unused_bytes();

	take_pages(test);
	nr = stepping_find(on_slot_0, &fn, addresses, NR_ADDRESSES);
	if (!nr)
		kunit_skip(test, "instructions cannot be stepped without rseq here");
	for (unsigned int i = bulk ? NR : 1; i < NR; i++)
		put_page(pages[i]);
	KUNIT_ASSERT_EQ(test, unused_bytes(), start);
	for (unsigned int i = 0; i < nr; i++) {
		struct stepping_hits hits;

		take_pages(test);
		took = false;
		hits = stepping_break_at(addresses[i], fn, NULL, bulk ? take_reference : NULL);
		aborted += hits.aborted;
		taken += took;
		if (took && pages[NR / 2]->_refcount == 1)
			put_page(pages[NR / 2]);
		for (unsigned int k = bulk ? NR : 1; k < NR; k++)
			put_page(pages[k]);
		check_pages(test, i);
		KUNIT_ASSERT_EQ_MSG(test, unused_bytes(), start, "instruction %u", i);
	}
	KUNIT_EXPECT_GT(test, aborted, 10);
	if (bulk)
		KUNIT_EXPECT_GT(test, taken, 5);
}

static void test_free_abort_free(struct kunit *test)
{
	interrupt_everywhere(test, free_one, false);
}

static void test_free_abort_put(struct kunit *test)
{
	interrupt_everywhere(test, put_one, false);
}

static void test_free_abort_compound(struct kunit *test)
{
	compound = true;
	interrupt_everywhere(test, put_one, false);
	interrupt_everywhere(test, free_compound, false);
	compound = false;
}

static void test_free_abort_bulk(struct kunit *test)
{
	interrupt_everywhere(test, free_all, true);
}

/* --- A page that has no reference --------------------------------------------------------- */

static unsigned int pages_on_list(void)
{
	const struct percpu_array *list = percpu_ptr(pcp_alloc_list(GFP_KERNEL, 0),
						     (unsigned int)percpu_current_slot());

	return list->count;
}

/*
 * A wrong put is distinguished from one that an interruption left half done: wherever it is
 * interrupted, the page stays where it is. Reports go to a file that nobody reads.
 */
static void test_free_abort_unowned(struct kunit *test)
{
	enum option_bad_page before = options.bad_page;
	void (*fn)(void *) = put_one;
	unsigned long addresses[NR_ADDRESSES];
	unsigned int nr, listed, aborted = 0;
	int saved = dup(STDERR_FILENO), sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
	size_t start;

	KUNIT_ASSERT_GE(test, saved, 0);
	KUNIT_ASSERT_GE(test, dup2(sink, STDERR_FILENO), 0);
	options.bad_page = OPTION_BAD_PAGE_REPORT;
	pages[0] = alloc_page(GFP_KERNEL);
	nr = stepping_find(on_slot_0, &fn, addresses, NR_ADDRESSES);
	start = unused_bytes();
	for (unsigned int i = 0; i < nr; i++) {
		pages[0] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pages[0]);
		put_one(NULL);	/* it is on the CPU's list, which has room */
		listed = pages_on_list();
		aborted += stepping_break_at(addresses[i], put_one, NULL, NULL).aborted;
		KUNIT_EXPECT_EQ_MSG(test, pages_on_list(), listed, "instruction %u", i);
		KUNIT_EXPECT_EQ_MSG(test, unused_bytes(), start, "instruction %u", i);
		KUNIT_EXPECT_EQ_MSG(test, pages[0]->_refcount, 0, "instruction %u", i);
	}
	options.bad_page = before;
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(sink);
	if (nr)
		KUNIT_EXPECT_GT(test, aborted, 10);
}

/* --- A block that somebody else has a reference of, too ----------------------------------- */

#define SHARED_ORDER 3

static struct page *shared;
static unsigned int steps_left;

static void free_shared(void *arg)
{
	(void)arg;
	__free_pages(shared, SHARED_ORDER);
}

/* The other owner's put, before one instruction of ours. */
static void put_shared(unsigned long address)
{
	(void)address;
	if (steps_left && !--steps_left)
		put_page(shared);
}

/* A compound block is freed once and as a whole, by whichever put comes last, at whatever time. */
static void test_free_abort_shared(struct kunit *test)
{
	unsigned long nr_steps = 1;

	if (!STEPPING_SINGLE)
		kunit_skip(test, "this processor does not step");
	for (unsigned int at = 1; at <= nr_steps; at++) {
		size_t start = unused_bytes();

		shared = alloc_pages(GFP_KERNEL | __GFP_COMP, SHARED_ORDER);
		KUNIT_ASSERT_NOT_NULL(test, shared);
		get_page(shared);
		steps_left = at;
		nr_steps = stepping_run(free_shared, NULL, put_shared);
		KUNIT_ASSERT_EQ_MSG(test, unused_bytes(), start, "step %u of %lu", at, nr_steps);
	}
	KUNIT_EXPECT_GT(test, nr_steps, 10);
}

static struct kunit_case free_abort_cases[] = {
	KUNIT_CASE(test_free_abort_shared),
	KUNIT_CASE(test_free_abort_unowned),
	KUNIT_CASE(test_free_abort_free),
	KUNIT_CASE(test_free_abort_put),
	KUNIT_CASE(test_free_abort_compound),
	KUNIT_CASE(test_free_abort_bulk),
	{ 0 },
};

static struct kunit_suite free_abort_suite = {
	.name = "page_free_abort",
	.init = need_sequences,
	.test_cases = free_abort_cases,
};

kunit_test_suite(free_abort_suite);
