/* SPDX-License-Identifier: MIT */
/* The lives of heaps: many in turn, beside others, across fork(), and with objects at each CPU. */
#include <unistd.h>

#include "malloc_core/tested.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

#define NR_HEAPS TEST_STEPS(10000)
#define NR_FORKS TEST_STEPS(40)
#define NR_THREADS 3
#define NR_KEPT 32

/* Without what waits for its next use. */
static size_t memory(void)
{
	struct usermm_stats stats;

	tested_malloc_trim(0);
	usermm_stats_read(&stats);
	return stats.slab_bytes + stats.mapped_bytes + stats.metadata_bytes;
}

static struct usermm_heap *must_create(struct kunit *test)
{
	struct usermm_heap *heap = usermm_heap_create("test");

	KUNIT_ASSERT_NOT_NULL(test, heap);
	return heap;
}

/* Blocks of many classes and a large one. Frees every second one. Returns how many stay. */
static unsigned int use(struct kunit *test, struct usermm_heap *heap)
{
	unsigned int kept = 1;

	for (unsigned int i = 0; i < 20; i++) {
		size_t size = (size_t)i * i * 97;
		void *block = usermm_heap_alloc(heap, size);

		KUNIT_ASSERT_NOT_NULL(test, block);
		memset(block, 1, size);
		if (i % 2)
			usermm_heap_free(heap, block);
		else
			kept++;
	}
	KUNIT_ASSERT_NOT_NULL(test, usermm_heap_alloc(heap, 100000));
	return kept;
}

static void use_and_destroy(struct kunit *test, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		struct usermm_heap *heap = must_create(test);

		use(test, heap);
		usermm_heap_destroy(heap);
	}
}

static void test_many_heaps_leave_nothing(struct kunit *test)
{
	size_t before;

	use_and_destroy(test, 100);
	before = memory();
	use_and_destroy(test, NR_HEAPS);
	KUNIT_EXPECT_LT(test, memory(), before + (256UL << 10));
}

/* --- Threads ------------------------------------------------------------------------------ */

/* Each thread has heaps of its own, which come and go beside the others'. */
static void live_beside(struct test_thread *thread)
{
	use_and_destroy(thread->test, NR_HEAPS / 20);
}

static void test_heaps_go_beside_others(struct kunit *test)
{
	test_threads_run(test, NR_THREADS, live_beside, NULL);
}

/* Freed objects stay in the sheaves of their CPU, when its thread has ended. */
static void use_at_cpu(struct test_thread *thread)
{
	void *blocks[NR_KEPT];

	test_pin(thread->index);
	for (unsigned int i = 0; i < NR_KEPT; i++) {
		blocks[i] = usermm_heap_alloc(thread->arg, 64);
		KUNIT_ASSERT_NOT_NULL(thread->test, blocks[i]);
	}
	for (unsigned int i = 0; i < NR_KEPT; i++)
		usermm_heap_free(thread->arg, blocks[i]);
	use(thread->test, thread->arg);
}

static void test_threads_end_before_their_heap(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_HEAPS / 100; i++) {
		struct usermm_heap *heap = must_create(test);
		struct usermm_heap_stats stats;

		test_threads_run(test, NR_THREADS, use_at_cpu, heap);
		usermm_heap_stats_read(heap, &stats);
		KUNIT_ASSERT_EQ(test, stats.blocks, NR_THREADS * 11);
		usermm_heap_destroy(heap);
	}
}

/* --- fork() ------------------------------------------------------------------------------- */

struct shared {
	struct usermm_heap *heap;
	bool forked;	/* Sync: atomic relaxed */
};

/* Its heap may have been in the middle of anything when the other threads went. */
static void use_in_child(struct kunit *test, void *arg)
{
	struct shared *shared = arg;
	struct usermm_heap_stats stats;

	use(test, shared->heap);
	usermm_heap_stats_read(shared->heap, &stats);
	KUNIT_EXPECT_GE(test, stats.blocks, 11);
	usermm_heap_destroy(shared->heap);
	use_and_destroy(test, 2);
}

static void fork_or_use(struct test_thread *thread)
{
	struct shared *shared = thread->arg;
	void *kept[NR_KEPT] = { 0 };

	if (!thread->index) {
		for (unsigned int i = 0; i < NR_FORKS; i++)
			CHILD_EXPECT_SUCCESS(thread->test, use_in_child, shared);
		__atomic_store_n(&shared->forked, true, __ATOMIC_RELAXED);
	}
	while (!__atomic_load_n(&shared->forked, __ATOMIC_RELAXED)) {
		unsigned int at = prng_below(&thread->prng, NR_KEPT);

		usermm_heap_free(shared->heap, kept[at]);
		kept[at] = usermm_heap_alloc(shared->heap, prng_below(&thread->prng, 100000));
		KUNIT_ASSERT_NOT_NULL(thread->test, kept[at]);
	}
	for (unsigned int i = 0; i < NR_KEPT; i++)
		usermm_heap_free(shared->heap, kept[i]);
}

static void test_fork_copies_a_heap_in_use(struct kunit *test)
{
	struct shared shared = { .heap = must_create(test) };
	struct usermm_heap_stats stats;

	test_threads_run(test, NR_THREADS, fork_or_use, &shared);
	usermm_heap_stats_read(shared.heap, &stats);
	KUNIT_EXPECT_EQ(test, stats.blocks, 0);
	usermm_heap_destroy(shared.heap);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_many_heaps_leave_nothing),
	KUNIT_CASE(test_heaps_go_beside_others),
	KUNIT_CASE(test_threads_end_before_their_heap),
	KUNIT_CASE(test_fork_copies_a_heap_in_use),
	{ 0 },
};

static struct kunit_suite suite = { .name = "malloc-heap-life", .test_cases = cases };

kunit_test_suite(suite);
