/* SPDX-License-Identifier: MIT */
/* When memory runs short, a request gets the pages of quicklists before it fails. */
#include "percpu/percpu.h"
#include "percpu/remote.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"
#include "usermm/shrinker.h"

#define NR 1000

static unsigned int nr_ctor, nr_dtor;	/* Sync: atomic relaxed */

static void note_ctor(void *page)
{
	((unsigned long *)page)[1] = 0x600d;
	__atomic_fetch_add(&nr_ctor, 1, __ATOMIC_RELAXED);
}

static void note_dtor(void *page)
{
	if (((unsigned long *)page)[0] == 0 && ((unsigned long *)page)[1] == 0x600d)
		__atomic_fetch_add(&nr_dtor, 1, __ATOMIC_RELAXED);
}

static int start_case(struct kunit *test)
{
	test_pin(0);
	nr_ctor = 0;
	nr_dtor = 0;
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 0);
	return 0;
}

static struct quicklist_cache *must_create(struct kunit *test)
{
	struct quicklist_cache *cache = quicklist_cache_create("tested", note_ctor, note_dtor);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static void fill(struct kunit *test, struct quicklist_cache *cache, void *pages[NR])
{
	KUNIT_ASSERT_EQ(test, quicklist_cache_alloc_bulk(cache, GFP_KERNEL, NR, pages), NR);
	quicklist_cache_free_bulk(cache, NR, pages);
}

/* Takes pages until there are none; how many. */
static unsigned long take_all(gfp_t gfp, struct list_head *taken)
{
	struct page *page;
	unsigned long nr = 0;

	while ((page = alloc_page(gfp | __GFP_NOWARN))) {
		list_add(&page->lru, taken);
		nr++;
	}
	return nr;
}

static void give_all(struct list_head *taken)
{
	while (!list_empty(taken)) {
		struct page *page = list_first_entry(taken, struct page, lru);

		list_del(&page->lru);
		__free_page(page);
	}
}

/* Only requests that may wait get them. */
static void test_pressure_frees_all(struct kunit *test)
{
	struct quicklist_cache *cache = must_create(test);
	struct quicklist_stats stats;
	void *pages[NR];
	LIST_HEAD(taken);

	fill(test, cache, pages);
	take_all(GFP_NOWAIT, &taken);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), NR);
	KUNIT_EXPECT_GE(test, take_all(GFP_KERNEL, &taken), NR);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 0);
	KUNIT_EXPECT_EQ(test, nr_dtor, NR);
	quicklist_cache_stats(cache, &stats);
	KUNIT_EXPECT_EQ(test, stats.trimmed, NR);
	KUNIT_EXPECT_EQ(test, stats.returned, NR);
	KUNIT_EXPECT_EQ(test, stats.dtors, NR);
	give_all(&taken);
	/* And it goes on as before. */
	fill(test, cache, pages);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), NR);
	quicklist_cache_destroy(cache);
}

/* A numbered list has the destructor that its frees name. */
static void test_pressure_knows_dtors(struct kunit *test)
{
	void *pages[NR];
	LIST_HEAD(taken);

	for (unsigned int i = 0; i < NR; i++) {
		pages[i] = quicklist_alloc(3, GFP_KERNEL, note_ctor);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
	}
	for (unsigned int i = 0; i < NR; i++)
		quicklist_free(3, note_dtor, pages[i]);
	KUNIT_EXPECT_EQ(test, nr_dtor, 0);
	take_all(GFP_KERNEL, &taken);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 0);
	KUNIT_EXPECT_EQ(test, nr_dtor, nr_ctor);
	give_all(&taken);
}

/* No more is freed than was asked for, from the top; the rest stays as it was. */
static void test_share_of_a_list(struct kunit *test)
{
	struct quicklist_cache *cache = must_create(test);
	void *pages[NR];

	fill(test, cache, pages);
	/* A quarter, times four over the seeks, in whole batches of 128. */
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 2), 384);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), NR - 384);
	KUNIT_EXPECT_EQ(test, nr_dtor, 384);
	for (unsigned int i = NR - 384; i--;)
		KUNIT_ASSERT_PTR_EQ(test, quicklist_cache_alloc(cache, GFP_KERNEL), pages[i]);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 0);
	for (unsigned int i = 0; i < NR - 384; i++)
		quicklist_cache_free(cache, pages[i]);
	quicklist_cache_destroy(cache);
	KUNIT_EXPECT_EQ(test, nr_dtor, NR);
}

/* --- Lists of other CPUs, and a part of one of them ------------------------------- */

static void fill_elsewhere(struct test_thread *thread)
{
	void *pages[NR];

	test_pin(thread->index + 1);
	fill(thread->test, thread->arg, pages);
}

static void test_pressure_reaches_other_cpus(struct kunit *test)
{
	struct quicklist_cache *cache = must_create(test);
	unsigned long held, freed, returned;
	LIST_HEAD(taken);

	if (!percpu_can_stop())
		kunit_skip(test, "no list of another CPU can be stopped here");
	test_threads_run(test, 2, fill_elsewhere, cache);
	held = quicklist_total_size();
	/* A thread whose slot is locked by another one, which lost its CPU, keeps no page. */
	returned = nr_dtor;
	KUNIT_EXPECT_GE(test, held + returned, NR);
	/* A part of all pages, on whatever CPUs they are. */
	freed = shrink_slab(GFP_KERNEL, 0, NULL, 2);
	KUNIT_EXPECT_GE(test, freed, held / 2 / 128 * 128);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), held - freed);
	KUNIT_EXPECT_EQ(test, nr_dtor, returned + freed);
	take_all(GFP_KERNEL, &taken);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 0);
	KUNIT_EXPECT_EQ(test, nr_dtor, nr_ctor);
	give_all(&taken);
	quicklist_cache_destroy(cache);
}

/* --- Caches come and go, and pages are used, under pressure -------------------------- */

static void come_and_go(struct test_thread *thread)
{
	for (unsigned int round = 0; round < TEST_STEPS(400); round++) {
		struct quicklist_cache *cache = must_create(thread->test);
		void *pages[20];
		unsigned int nr = quicklist_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_NOWARN,
							     ARRAY_SIZE(pages), pages);

		for (unsigned int i = 0; i < nr; i++)
			KUNIT_EXPECT_EQ(thread->test, ((unsigned long *)pages[i])[1], 0x600d);
		quicklist_cache_free_bulk(cache, nr, pages);
		quicklist_cache_destroy(cache);
	}
}

static void storm_thread(struct test_thread *thread)
{
	if (thread->index % 2) {
		come_and_go(thread);
		return;
	}
	for (unsigned int round = 0; round < TEST_STEPS(2000); round++)
		shrink_slab(GFP_KERNEL, 0, NULL, (int)prng_below(&thread->prng, 3));
}

static void test_storm(struct kunit *test)
{
	size_t before = test_unused_bytes();

	test_threads_run(test, 4, storm_thread, NULL);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 0);
	KUNIT_EXPECT_EQ(test, nr_dtor, nr_ctor);
	KUNIT_EXPECT_GT(test, nr_ctor, 0);
	/* Caches that are gone leave a page of their like at most. */
	KUNIT_EXPECT_GE(test, test_unused_bytes() + 2 * PAGE_SIZE, before);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_share_of_a_list),	/* first: later ones leave work undone */
	KUNIT_CASE(test_pressure_frees_all),
	KUNIT_CASE(test_pressure_knows_dtors),
	KUNIT_CASE(test_pressure_reaches_other_cpus),
	KUNIT_CASE_SLOW(test_storm),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "quicklist-shrink",
	.suite_init = test_set_small_budget,
	.init = start_case,
	.test_cases = cases,
};

kunit_test_suite(suite);
