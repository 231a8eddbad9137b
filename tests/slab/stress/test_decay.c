/* SPDX-License-Identifier: MIT */
/* The background thread gives free memory back, beside threads that allocate and free. */
#include <unistd.h>

#include "page/reclaim/release.h"
#include "percpu/remote.h"
#include "slab/partial.h"
#include "slab/slab.h"
#include "support/kernel.h"
#include "support/threads.h"

#define NR_BLOCKS 24u
#define NR_OBJECTS 20000u
/* In steps of a millisecond. */
#define PATIENCE 20000

static int set_up(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	release_wake_pages = 0;	/* any is */
	return usermm_set_options("limit=512M:reserve=1G", &error);
}

static unsigned long dirty_pages(void)
{
	return __atomic_load_n(&budget_zone()->dirty_pages, __ATOMIC_RELAXED);
}

static bool is_little_within_patience(void)
{
	for (unsigned int i = 0; i < PATIENCE; i++) {
		if (dirty_pages() <= release_dirty_pages(budget_zone()))
			return true;
		usleep(1000);
	}
	return false;
}

/* Uses half of the objects; the other half must stay unchanged. */
static void free_blocks_and_use(struct test_thread *thread)
{
	struct page *blocks[NR_BLOCKS];

	for (unsigned int round = 0; round < TEST_STEPS(8); round++) {
		for (unsigned int i = 0; i < NR_BLOCKS; i++) {
			blocks[i] = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER - 1);
			KUNIT_ASSERT_NOT_NULL(thread->test, blocks[i]);
			memset(page_address(blocks[i]), 1, PAGE_SIZE << (MAX_PAGE_ORDER - 1));
		}
		for (unsigned int i = 0; i < NR_BLOCKS; i += 2)
			__free_pages(blocks[i], MAX_PAGE_ORDER - 1);
		usleep(20000);
		for (unsigned int i = 1; i < NR_BLOCKS; i += 2) {
			const char *bytes = page_address(blocks[i]);

			for (size_t j = 0; j < PAGE_SIZE << (MAX_PAGE_ORDER - 1); j += 1001)
				KUNIT_ASSERT_EQ(thread->test, bytes[j], 1);
			__free_pages(blocks[i], MAX_PAGE_ORDER - 1);
		}
	}
}

static void test_decay_of_pages(struct kunit *test)
{
	test_threads_run(test, 3, free_blocks_and_use, NULL);
	KUNIT_EXPECT_TRUE_MSG(test, is_little_within_patience(), "%lu pages", dirty_pages());
}

/* One object of each slab waits in a sheaf or a barn at the end: the slabs go all the same. */
static void test_decay_of_slabs(struct kunit *test)
{
	static void *objects[NR_OBJECTS];
	struct kmem_cache *cache = kmem_cache_create("decay", 1000, 0, 0, NULL);
	unsigned long most, slabs;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	most = slab_nr_slabs(cache);
	for (unsigned int step = 0; step < 31; step++)
		for (unsigned int i = step; i < NR_OBJECTS; i += 31)
			kmem_cache_free(cache, objects[i]);
	slabs = slab_nr_slabs(cache);
	for (unsigned int i = 0; i < PATIENCE && slabs > most / 20; i++) {
		usleep(1000);
		slabs = slab_nr_slabs(cache);
	}
	if (percpu_can_stop())
		KUNIT_EXPECT_LE_MSG(test, slabs, most / 20, "of %lu", most);
	kmem_cache_destroy(cache);
}

static struct kunit_case decay_cases[] = {
	KUNIT_CASE(test_decay_of_pages),
	KUNIT_CASE(test_decay_of_slabs),
	{ 0 },
};

static struct kunit_suite decay_suite = {
	.name = "decay",
	.suite_init = set_up,
	.test_cases = decay_cases,
};

kunit_test_suite(decay_suite);
