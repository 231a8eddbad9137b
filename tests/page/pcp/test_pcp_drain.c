/* SPDX-License-Identifier: MIT */
/* Draining per-CPU lists: this CPU's, and those of all CPUs. */
#include "mm/memmap.h"
#include "page/zone.h"
#include "percpu/percpu.h"
#include "percpu/remote.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"
#include "support/zones.h"

#define NR 40

/* Threads that are all inside at one moment, so that each has a slot of its own. */
struct crowd {
	pthread_barrier_t all_here;
	struct page *pages[TEST_THREADS_MAX][PAGE_ALLOC_COSTLY_ORDER + 1][NR];
};

static size_t pcp_bytes(void)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	return stats.pcp_bytes;
}

static void fill_lists(struct test_thread *thread)
{
	struct crowd *crowd = thread->arg;

	test_pin(thread->index);
	pthread_barrier_wait(&crowd->all_here);
	for (unsigned int order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++)
		for (unsigned int i = 0; i < NR; i++)
			crowd->pages[thread->index][order][i] = alloc_pages(GFP_KERNEL, order);
	for (unsigned int order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++)
		for (unsigned int i = 0; i < NR; i++)
			if (crowd->pages[thread->index][order][i])
				__free_pages(crowd->pages[thread->index][order][i], order);
	pthread_barrier_wait(&crowd->all_here);
}

static void fill_all_lists(struct kunit *test)
{
	static struct crowd crowd;
	unsigned int nr = test_nr_cpus() < 8 ? test_nr_cpus() : 8;

	pthread_barrier_init(&crowd.all_here, NULL, nr);
	test_threads_run(test, nr, fill_lists, &crowd);
	pthread_barrier_destroy(&crowd.all_here);
}

static void test_pcp_drain_all(struct kunit *test)
{
	size_t start = test_unused_bytes();

	if (!percpu_can_stop())
		kunit_skip(test, "slots cannot be stopped here");
	for (unsigned int round = 0; round < 10; round++) {
		fill_all_lists(test);
		KUNIT_EXPECT_GT(test, pcp_bytes(), NR * PAGE_SIZE);
		drain_all_pages(round % 2 ? budget_zone() : NULL);
		KUNIT_EXPECT_EQ(test, pcp_bytes(), 0);
		KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
	}
	KUNIT_EXPECT_EQ_MSG(test, free_area_blocks(&budget_zone()->free_area[MAX_PAGE_ORDER])
					  << MAX_PAGE_ORDER,
			    budget_zone()->free_pages - zone_offline_pages(budget_zone()),
			    "all of it has come together again");
}

static void test_pcp_drain_local(struct kunit *test)
{
	size_t start = test_unused_bytes();
	struct page *pages[NR];

	drain_all_pages(NULL);
	test_pin(0);
	for (unsigned int i = 0; i < NR; i++)
		pages[i] = alloc_page(GFP_KERNEL);
	for (unsigned int i = 0; i < NR; i++)
		__free_page(pages[i]);
	KUNIT_EXPECT_GE(test, pcp_bytes(), NR * PAGE_SIZE);
	drain_local_pages(NULL);
	KUNIT_EXPECT_EQ(test, pcp_bytes(), 0);
	drain_local_pages(budget_zone());
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
	test_unpin();
}

#define NR_DRAINING 3
#define NR_WORKING 5
#define STEPS TEST_STEPS(1000000)

/* Some threads drain all CPUs while the others allocate: no owner loses a page. */
static void work_or_drain(struct test_thread *thread)
{
	unsigned int *working = thread->arg;
	struct page *held[64] = { NULL };

	while (thread->index < NR_DRAINING && __atomic_load_n(working, __ATOMIC_RELAXED))
		drain_all_pages(NULL);
	for (unsigned int i = 0; thread->index >= NR_DRAINING && i < STEPS; i++) {
		unsigned int at = prng_below(&thread->prng, 64), order = at % 4;
		unsigned long *word;

		if (held[at]) {
			word = page_address(held[at]);
			KUNIT_EXPECT_EQ(thread->test, *word, (unsigned long)word + thread->index);
			__free_pages(held[at], order);
			held[at] = NULL;
			continue;
		}
		held[at] = alloc_pages(GFP_KERNEL, order);
		KUNIT_ASSERT_NOT_NULL(thread->test, held[at]);
		word = page_address(held[at]);
		*word = (unsigned long)word + thread->index;
	}
	for (unsigned int at = 0; at < 64; at++)
		if (held[at])
			__free_pages(held[at], at % 4);
	if (thread->index >= NR_DRAINING)
		__atomic_fetch_sub(working, 1, __ATOMIC_RELAXED);
}

static void test_pcp_drain_all_under_load(struct kunit *test)
{
	size_t start = test_unused_bytes();
	unsigned int working = NR_WORKING;

	test_threads_run(test, NR_DRAINING + NR_WORKING, work_or_drain, &working);
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
}

static struct kunit_case pcp_drain_cases[] = {
	KUNIT_CASE(test_pcp_drain_local),
	KUNIT_CASE(test_pcp_drain_all),
	KUNIT_CASE_SLOW(test_pcp_drain_all_under_load),
	{ 0 },
};

static struct kunit_suite pcp_drain_suite = {
	.name = "page_pcp_drain",
	.suite_init = test_warm_up,
	.test_cases = pcp_drain_cases,
};

kunit_test_suite(pcp_drain_suite);
