/* SPDX-License-Identifier: MIT */
/* Quicklists of several CPUs: pages pass between threads; none is lost, and none has two owners. */
#include "percpu/percpu.h"
#include "support/kernel.h"
#include "support/shadow.h"
#include "support/threads.h"

#define HELD 40
#define STEPS TEST_STEPS(200000)

static unsigned int nr_ctor, nr_dtor;	/* Sync: atomic relaxed */

static void note_ctor(void *page)
{
	(void)page;
	__atomic_fetch_add(&nr_ctor, 1, __ATOMIC_RELAXED);
}

static void note_dtor(void *page)
{
	(void)page;
	__atomic_fetch_add(&nr_dtor, 1, __ATOMIC_RELAXED);
}

struct table {
	unsigned long *page;
	u64 owner;
	int list;
};

static void use(struct table *table, struct test_thread *thread)
{
	table->owner = prng_u64(&thread->prng);
	for (unsigned int i = 0; i < 512; i += 73)
		table->page[i] = table->owner + i;
}

/* Still ours? Then back to the state that the list wants. */
static void give(struct table *table, struct test_thread *thread)
{
	for (unsigned int i = 0; i < 512; i += 73) {
		KUNIT_EXPECT_EQ(thread->test, table->page[i], table->owner + i);
		table->page[i] = 0;
	}
	quicklist_free(table->list, note_dtor, table->page);
	table->page = NULL;
}

static void work(struct test_thread *thread)
{
	struct table held[HELD] = { { 0 } };

	for (unsigned int step = 0; step < STEPS; step++) {
		struct table *table = &held[prng_below(&thread->prng, HELD)];

		if (thread->arg && step % 100 == 0)
			test_pin(prng_below(&thread->prng, test_nr_cpus()));
		if (prng_one_in(&thread->prng, 500))
			quicklist_trim((int)prng_below(&thread->prng, 2), note_dtor, 10, 16);
		if (table->page) {
			give(table, thread);
			continue;
		}
		table->list = (int)prng_below(&thread->prng, 2);
		table->page = quicklist_alloc(table->list, GFP_KERNEL, note_ctor);
		KUNIT_ASSERT_NOT_NULL(thread->test, table->page);
		KUNIT_EXPECT_TRUE(thread->test, shadow_all_bytes(table->page, PAGE_SIZE, 0));
		use(table, thread);
	}
	for (unsigned int i = 0; i < HELD; i++)
		if (held[i].page)
			give(&held[i], thread);
}

static void run(struct kunit *test, void *migrate)
{
	struct usermm_stats before, after;

	nr_ctor = 0;
	nr_dtor = 0;
	usermm_stats_read(&before);
	test_threads_run(test, 8, work, migrate);
	usermm_stats_read(&after);
	/* ctor for each page that came, dtor for each that went. */
	KUNIT_EXPECT_EQ(test, after.quicklist_bytes + nr_dtor * PAGE_SIZE,
			before.quicklist_bytes + nr_ctor * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, after.quicklist_bytes, quicklist_total_size() * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, after.free_bytes + after.pcp_bytes + after.quicklist_bytes,
			before.free_bytes + before.pcp_bytes + before.quicklist_bytes);
	kunit_info(test, "%u pages came, %u went", nr_ctor, nr_dtor);
}

static void test_quicklist_threads(struct kunit *test)
{
	run(test, NULL);
}

static void test_quicklist_threads_migrating(struct kunit *test)
{
	run(test, test);
}

struct handover {
	void *pages[50];
	int free_slot;
	unsigned int found;	/* on the list of the slot that freed them */
};

/* One frees; the pages must be on its own slot's list, whoever allocated them. */
static void free_here(struct test_thread *thread)
{
	struct handover *handover = thread->arg;

	test_pin(1);
	handover->free_slot = percpu_current_slot();
	for (unsigned int i = 0; i < 50; i++)
		quicklist_free(2, NULL, handover->pages[i]);
	/* The check only counts if the thread stayed on its slot. */
	if (percpu_current_slot() != handover->free_slot)
		handover->free_slot = -1;
	for (unsigned int i = 50; i--;)
		handover->found += quicklist_alloc(2, GFP_KERNEL, NULL) == handover->pages[i];
	if (percpu_current_slot() != handover->free_slot)
		handover->free_slot = -1;
	for (unsigned int i = 0; i < 50; i++)
		quicklist_free(2, NULL, handover->pages[i]);
}

static void test_quicklist_free_is_local(struct kunit *test)
{
	struct handover handover;

	test_pin(0);
	for (unsigned int attempt = 0; attempt < 20; attempt++) {
		handover = (struct handover){ .free_slot = -1 };
		for (unsigned int i = 0; i < 50; i++) {
			handover.pages[i] = quicklist_alloc(2, GFP_KERNEL, NULL);
			KUNIT_ASSERT_NOT_NULL(test, handover.pages[i]);
		}
		test_threads_run(test, 1, free_here, &handover);
		if (handover.free_slot >= 0)
			break;
	}
	test_unpin();
	if (handover.free_slot < 0)
		kunit_skip(test, "the thread was moved between slots every time");
	KUNIT_EXPECT_EQ(test, handover.found, 50);
}

static int warm_up(struct kunit_suite *suite)
{
	void *page = quicklist_alloc(0, GFP_KERNEL, NULL);

	(void)suite;
	if (page)
		quicklist_free(0, NULL, page);
	return page ? 0 : -1;
}

static struct kunit_case threads_cases[] = {
	KUNIT_CASE(test_quicklist_free_is_local),
	KUNIT_CASE_SLOW(test_quicklist_threads),
	KUNIT_CASE_SLOW(test_quicklist_threads_migrating),
	{ 0 },
};

static struct kunit_suite threads_suite = {
	.name = "quicklist_threads",
	.suite_init = warm_up,
	.test_cases = threads_cases,
};

kunit_test_suite(threads_suite);
