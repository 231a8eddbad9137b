/* SPDX-License-Identifier: MIT */
/* Page tables and quicklists come up with the next call if the first has no memory. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "support/zones.h"
#include "usermm/pgtable.h"

/* One request for pages is refused. */
#define ONE_REFUSED "fail_page_alloc=1,100,0,1,min-order=0,ignore-gfp-wait=0,verbose=0"

static void use(struct kunit *test)
{
	struct pgtable mm;

	KUNIT_ASSERT_EQ(test, pgtable_init(&mm, &pgtable_quicklist_pages, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, pgtable_map(&mm, 0, 0, PAGE_SIZE, PGTABLE_RW, false,
					  GFP_KERNEL), 0);
	KUNIT_EXPECT_GE(test, pgtable_nr_pgds(), 1);
	pgtable_exit(&mm);
}

/* fork() takes all locks that there are, each once, if the process has threads. */
static void fork_and_use(struct test_thread *thread)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		child_alarm();
		use(thread->test);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	KUNIT_EXPECT_EQ(thread->test, status, 0);
}

static void first_has_no_memory(struct kunit *test)
{
	struct pgtable mm;

	KUNIT_EXPECT_EQ(test, pgtable_init(&mm, &pgtable_quicklist_pages, GFP_KERNEL), -ENOMEM);
	use(test);
	test_threads_run(test, 1, fork_and_use, NULL);
	KUNIT_EXPECT_EQ(test, usermm_fail_page_alloc.attr.times, 0);
}

static void test_first_has_no_memory(struct kunit *test)
{
	zones_run(test, ONE_REFUSED, first_has_no_memory);
}

static struct kunit_case bring_up_cases[] = {
	KUNIT_CASE(test_first_has_no_memory),
	{ 0 },
};

static struct kunit_suite bring_up_suite = {
	.name = "pgtable-bring-up",
	.test_cases = bring_up_cases,
};

kunit_test_suite(bring_up_suite);
