/* SPDX-License-Identifier: MIT */
/* Quicklists by handle: state, bulk calls, trimming, pages on other CPUs, statistics. */
#include <errno.h>
#include <sys/mman.h>

#include "mm/memmap.h"
#include "percpu/remote.h"
#include "quicklist/cache.h"
#include "selftest/stepping.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/shadow.h"
#include "support/threads.h"
#include "support/zones.h"

#define NR 100

static unsigned int nr_ctor, nr_dtor;	/* Sync: atomic relaxed */

static void note_ctor(void *page)
{
	__atomic_fetch_add(&nr_ctor, 1, __ATOMIC_RELAXED);
	((unsigned long *)page)[1] = 0x600d;
}

/* Pages go back in their state. */
static void note_dtor(void *page)
{
	if (((unsigned long *)page)[0] == 0 && ((unsigned long *)page)[1] == 0x600d)
		__atomic_fetch_add(&nr_dtor, 1, __ATOMIC_RELAXED);
}

static int start_case(struct kunit *test)
{
	(void)test;
	test_pin(0);
	nr_ctor = 0;
	nr_dtor = 0;
	return 0;
}

static struct quicklist_cache *must_create(struct kunit *test, void (*ctor)(void *),
					   void (*dtor)(void *))
{
	struct quicklist_cache *cache = quicklist_cache_create("tested", ctor, dtor);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static struct quicklist_stats stats_of(const struct quicklist_cache *cache)
{
	struct quicklist_stats stats;

	quicklist_cache_stats(cache, &stats);
	return stats;
}

static void test_pages_pass_in_their_state(struct kunit *test)
{
	struct quicklist_cache *cache = must_create(test, note_ctor, note_dtor);
	struct quicklist_cache *other = must_create(test, NULL, NULL);
	void *pages[NR];

	KUNIT_ASSERT_EQ(test, quicklist_cache_alloc_bulk(cache, GFP_KERNEL, NR, pages), NR);
	KUNIT_EXPECT_EQ(test, nr_ctor, NR);
	for (unsigned int i = 0; i < NR; i++)
		((unsigned long *)pages[i])[511] = i;
	quicklist_cache_free_bulk(cache, NR, pages);
	KUNIT_EXPECT_EQ(test, stats_of(cache).pages, NR);
	KUNIT_EXPECT_EQ(test, stats_of(other).pages, 0);
	for (unsigned int i = NR; i--;) {
		unsigned long *page = quicklist_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_PTR_EQ(test, page, pages[i]);
		KUNIT_EXPECT_EQ(test, page[0], 0);
		KUNIT_EXPECT_EQ(test, page[1], 0x600d);
		KUNIT_EXPECT_EQ(test, page[511], i);
	}
	KUNIT_EXPECT_EQ_MSG(test, nr_ctor, NR, "no ctor on a hit");
	for (unsigned int i = 0; i < NR; i++)
		quicklist_cache_free(cache, pages[i]);
	KUNIT_EXPECT_EQ(test, stats_of(cache).misses, NR);
	quicklist_cache_destroy(cache);
	KUNIT_EXPECT_EQ(test, nr_dtor, NR);
	quicklist_cache_destroy(other);
	quicklist_cache_destroy(NULL);
}

static void test_many_caches(struct kunit *test)
{
	struct quicklist_cache *caches[150];
	unsigned long before = quicklist_total_size();
	void *page;

	for (unsigned int i = 0; i < ARRAY_SIZE(caches); i++) {
		caches[i] = must_create(test, NULL, NULL);
		page = quicklist_cache_alloc(caches[i], GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, page);
		quicklist_cache_free(caches[i], page);
	}
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), before + ARRAY_SIZE(caches));
	for (unsigned int i = 0; i < ARRAY_SIZE(caches); i++)
		quicklist_cache_destroy(caches[i]);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), before);
}

static void test_trim(struct kunit *test)
{
	struct quicklist_cache *cache = must_create(test, note_ctor, note_dtor);
	void *pages[NR];

	KUNIT_ASSERT_EQ(test, quicklist_cache_alloc_bulk(cache, GFP_KERNEL, NR, pages), NR);
	quicklist_cache_free_bulk(cache, NR, pages);
	/* One sixteenth of the free memory is far more than that. */
	KUNIT_EXPECT_EQ(test, quicklist_cache_trim(cache, 0, NR), 0);
	KUNIT_EXPECT_EQ(test, quicklist_cache_shrink(cache), NR);
	KUNIT_EXPECT_EQ(test, stats_of(cache).trimmed, NR);
	KUNIT_EXPECT_EQ(test, stats_of(cache).returned, NR);
	KUNIT_EXPECT_EQ(test, stats_of(cache).pages, 0);
	KUNIT_EXPECT_EQ(test, nr_dtor, NR);
	KUNIT_EXPECT_EQ(test, quicklist_cache_shrink(cache), 0);
	quicklist_cache_destroy(cache);
}

/* Pages that another CPU freed stay on its list, and come back under pressure. */
static void free_elsewhere(struct test_thread *thread)
{
	struct quicklist_cache *cache = thread->arg;
	void *pages[NR];

	test_pin(thread->index);
	KUNIT_ASSERT_EQ(thread->test, quicklist_cache_alloc_bulk(cache, GFP_KERNEL, NR, pages), NR);
	quicklist_cache_free_bulk(cache, NR, pages);
}

static void test_shrink_reaches_other_cpus(struct kunit *test)
{
	struct quicklist_cache *cache = must_create(test, note_ctor, note_dtor);
	unsigned long held, returned;

	test_threads_run(test, 4, free_elsewhere, cache);
	held = stats_of(cache).pages;
	/* A thread whose slot is locked by another one, which lost its CPU, keeps no page. */
	returned = stats_of(cache).returned;
	KUNIT_EXPECT_GE(test, held + returned, NR);
	if (percpu_can_stop()) {
		KUNIT_EXPECT_EQ(test, quicklist_cache_shrink(cache), held);
		KUNIT_EXPECT_EQ(test, stats_of(cache).pages, 0);
	}
	quicklist_cache_destroy(cache);
	KUNIT_EXPECT_EQ(test, nr_dtor, held + returned);
}

/* Shrinking while others allocate and free loses no page and hands none out twice. */
static void storm_user(struct test_thread *thread)
{
	for (unsigned int round = 0; round < TEST_STEPS(20000); round++) {
		unsigned long *page = quicklist_cache_alloc(thread->arg, GFP_KERNEL);
		unsigned long mine = thread->index, before;

		KUNIT_ASSERT_NOT_NULL(thread->test, page);
		before = __atomic_exchange_n(&page[2], mine, __ATOMIC_RELAXED);
		KUNIT_ASSERT_EQ(thread->test, before, 0);
		before = __atomic_exchange_n(&page[2], 0, __ATOMIC_RELAXED);
		KUNIT_ASSERT_EQ(thread->test, before, mine);
		quicklist_cache_free(thread->arg, page);
	}
}

static void storm_thread(struct test_thread *thread)
{
	if (thread->index) {
		storm_user(thread);
		return;
	}
	for (unsigned int round = 0; round < TEST_STEPS(300); round++)
		quicklist_cache_shrink(thread->arg);
}

static void test_shrink_storm(struct kunit *test)
{
	struct quicklist_cache *cache = must_create(test, note_ctor, note_dtor);
	struct quicklist_stats stats;

	test_threads_run(test, 4, storm_thread, cache);
	stats = stats_of(cache);
	KUNIT_EXPECT_EQ(test, stats.pages, stats.misses - stats.returned);
	quicklist_cache_destroy(cache);
	KUNIT_EXPECT_EQ(test, nr_dtor, nr_ctor);
}

/* --- A ctor that fails. --------------------------------------------------------------- */

static int ctor_error;

static int failing_ctor(void *page)
{
	note_ctor(page);
	return ctor_error;
}

static void fail_ctor(struct kunit *test, void *arg)
{
	const struct quicklist_state state = { .ctor = failing_ctor, .dtor = note_dtor };
	struct quicklist_cache *cache = quicklist_cache_create_state("failing", &state);
	struct quicklist_stats stats;
	size_t unused;
	void *page, *pages[3];

	(void)arg;
	KUNIT_ASSERT_NOT_NULL(test, cache);
	page = quicklist_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	unused = test_unused_bytes();
	ctor_error = -ENOSPC;
	KUNIT_EXPECT_NULL(test, quicklist_cache_alloc(cache, GFP_KERNEL));
	KUNIT_EXPECT_EQ_MSG(test, nr_dtor, 0, "there is nothing to take back");
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), unused);
	/* A page that is there already needs no ctor. */
	quicklist_cache_free(cache, page);
	KUNIT_EXPECT_EQ(test, quicklist_cache_alloc_bulk(cache, GFP_KERNEL, 3, pages), 1);
	KUNIT_EXPECT_PTR_EQ(test, pages[0], page);
	quicklist_cache_free(cache, page);
	quicklist_cache_stats(cache, &stats);
	KUNIT_EXPECT_EQ(test, stats.ctors, 3);
	KUNIT_EXPECT_EQ(test, stats.misses, 3);
	KUNIT_EXPECT_EQ(test, stats.returned, 2);
	KUNIT_EXPECT_EQ(test, stats.dtors, 0);
	quicklist_cache_destroy(cache);
	KUNIT_EXPECT_EQ(test, nr_dtor, 1);
}

static void test_ctor_fails(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, fail_ctor, NULL, "usermm: ", "quicklist 'failing'",
			     "ctor fails with -28 for page 0x");
}

/* --- A hit touches only the list's word and the page. ---------------------------- */

static void hit_without_struct_pages(struct kunit *test, void *cache)
{
	char *first = (char *)ALIGN_DOWN((unsigned long)mm_window.pages, 65536);
	size_t bytes = mm_window.online_map_bytes;
	void *page = quicklist_cache_alloc(cache, GFP_KERNEL), *again;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_GT(test, bytes, 0);
	KUNIT_ASSERT_EQ(test, mprotect(first, bytes, PROT_NONE), 0);
	quicklist_cache_free(cache, page);
	again = quicklist_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, mprotect(first, bytes, PROT_READ | PROT_WRITE), 0);
	KUNIT_EXPECT_PTR_EQ(test, again, page);
	quicklist_cache_free(cache, page);
}

static void test_hits_leave_struct_pages_alone(struct kunit *test)
{
	struct quicklist_cache *cache = must_create(test, note_ctor, note_dtor);

	CHILD_EXPECT_SUCCESS(test, hit_without_struct_pages, cache);
	quicklist_cache_destroy(cache);
}

/* And only the page's first word. */
static void hit_over_and_over(struct kunit *test, void *cache)
{
	unsigned char *page = quicklist_cache_alloc(cache, GFP_KERNEL);
	unsigned char before[PAGE_SIZE];

	KUNIT_ASSERT_NOT_NULL(test, page);
	for (unsigned int i = sizeof(void *); i < PAGE_SIZE; i++)
		page[i] = (unsigned char)(i * 7 + 1);
	memcpy(before, page, PAGE_SIZE);
	for (unsigned int round = 0; round < 10; round++) {
		quicklist_cache_free(cache, page);
		KUNIT_ASSERT_EQ(test, memcmp(page + 8, before + 8, PAGE_SIZE - 8), 0);
		KUNIT_ASSERT_PTR_EQ(test, quicklist_cache_alloc(cache, GFP_KERNEL), page);
		KUNIT_ASSERT_EQ(test, *(unsigned long *)page, 0);
		KUNIT_ASSERT_EQ(test, memcmp(page + 8, before + 8, PAGE_SIZE - 8), 0);
	}
	quicklist_cache_free(cache, page);
}

static void test_hits_write_the_first_word_alone(struct kunit *test)
{
	struct quicklist_cache *cache = must_create(test, note_ctor, NULL);

	hit_over_and_over(test, cache);
	quicklist_cache_destroy(cache);
}

/* --- Pages that cannot be touched once they are free ---------------------------------- */

#define MAX_STEPS 1000

static unsigned long disturb_at, step;
static struct quicklist_cache *disturbed;

/* The page leaves the list and is freed while a pop is under way. */
static void take_and_free(unsigned long address)
{
	void *page;

	(void)address;
	if (step++ != disturb_at)
		return;
	page = quicklist_cache_alloc(disturbed, GFP_NOWAIT);
	if (page)
		free_page((unsigned long)page);
}

static noinline void pop(void *arg)
{
	*(void **)arg = percpu_list_pop(disturbed->lists);
}

static void free_at_each_step(struct kunit *test)
{
	unsigned long steps = 1;

	disturbed = must_create(test, NULL, NULL);
	for (disturb_at = 0; disturb_at < steps && disturb_at < MAX_STEPS; disturb_at++) {
		void *page = (void *)get_zeroed_page(GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, page);
		quicklist_cache_free(disturbed, page);
		step = 0;
		steps = stepping_run(pop, &page, take_and_free);
		free_page((unsigned long)page);
	}
	KUNIT_EXPECT_GT(test, disturb_at, 20);
}

/* Without sequences a pop may look into a page that has left the list already. */
static void test_untouchable_pages(struct kunit *test)
{
	if (RSEQ_IN_C || !STEPPING_SINGLE || !stepping_works())
		kunit_skip(test, "instructions cannot be stepped here");
	zones_run(test, "rseq=off:debug_pagealloc=1", free_at_each_step);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_untouchable_pages),	/* first: its children have options */
	KUNIT_CASE(test_pages_pass_in_their_state),
	KUNIT_CASE(test_many_caches),
	KUNIT_CASE(test_trim),
	KUNIT_CASE(test_shrink_reaches_other_cpus),
	KUNIT_CASE(test_shrink_storm),
	KUNIT_CASE(test_ctor_fails),
	KUNIT_CASE(test_hits_leave_struct_pages_alone),
	KUNIT_CASE(test_hits_write_the_first_word_alone),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "quicklist-cache",
	.init = start_case,
	.test_cases = cases,
};

kunit_test_suite(suite);
