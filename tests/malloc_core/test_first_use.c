/* SPDX-License-Identifier: MIT */
/*
 * malloc()'s classes and kmalloc()'s caches are made at their first use: once each, by whichever
 * thread or handler comes first. Each case is a child that has none of them yet.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "malloc/size_classes.h"
#include "malloc_core/tested.h"
#include "os/once.h"
#include "selftest/stepping.h"
#include "slab/cache.h"
#include "slab/kmalloc/kmalloc.h"
#include "support/child.h"
#include "support/threads.h"
#include "usermm/fault.h"
#include "usermm/usermm.h"

#define NR_THREADS 6
#define NR_ROUNDS 8
#define STORM_USEC 60
#define NR_FORKS 40
/* Instructions of the first malloc(), more than it has before it brings the library up. */
#define FIRST_STEPS 120
#define STEPPED_BYTES 64

/* A size that the class has, and no other one. */
static size_t size_of(unsigned int index)
{
	return class_bytes(index % CLASS_COUNT);
}

static void use(struct kunit *test, size_t size, unsigned char mark)
{
	unsigned char *block = tested_malloc(size);

	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_GE(test, tested_malloc_usable_size(block), size);
	block[0] = block[size - 1] = mark;
	sched_yield();
	KUNIT_EXPECT_EQ(test, block[0], mark);
	KUNIT_EXPECT_EQ(test, block[size - 1], mark);
	tested_free(block);
}

static unsigned int caches_named(const char *prefix)
{
	struct kmem_cache *cache;
	unsigned int nr = 0;

	lock_acquire(&slab_caches_lock);
	list_for_each_entry(cache, &slab_caches, caches)
		nr += !strncmp(cache->name, prefix, strlen(prefix));
	lock_release(&slab_caches_lock);
	return nr;
}

/* All caches exist, each once, and each size finds the next larger class. */
static void expect_all_classes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, caches_named("malloc-"), CLASS_COUNT);
	for (size_t size = 0, index = 0; size <= CLASS_MAX_BYTES; size++) {
		const struct kmem_cache *cache;

		index += size > class_bytes((unsigned int)index);
		cache = class_of(size);
		KUNIT_ASSERT_NOT_NULL(test, cache);
		KUNIT_ASSERT_EQ(test, cache->object_size, class_bytes((unsigned int)index));
		KUNIT_ASSERT_PTR_EQ(test, class_step_of(size)->sheaf, cache_sheaf(cache));
	}
}

static void in_children(struct kunit *test, unsigned int nr,
			void (*fn)(struct kunit *test, void *arg))
{
	for (unsigned int i = 0; i < nr && test->status == KUNIT_SUCCESS; i++)
		CHILD_EXPECT_SUCCESS(test, fn, NULL);
}

/* --- One after the other ------------------------------------------------------------ */

static void meet_one_by_one(struct kunit *test, void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		/* In an order that is neither rising nor falling. */
		use(test, size_of(i * 29), 1);
		KUNIT_EXPECT_EQ(test, caches_named("malloc-"), i + 1);
	}
	expect_all_classes(test);
	KUNIT_EXPECT_EQ(test, caches_named("kmalloc-"), 0);
}

static void test_first_use_makes_one_class(struct kunit *test)
{
	in_children(test, 1, meet_one_by_one);
}

static void meet_kmalloc(struct kunit *test, void *arg)
{
	void *object;

	(void)arg;
	use(test, 100, 1);
	/* By the address of a cache that is not made yet, as kernel sources do. */
	object = kmem_cache_alloc(&kmalloc_caches[3], GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_EQ(test, ksize(object), 64);
	kfree(object);
	KUNIT_EXPECT_EQ(test, caches_named("kmalloc-") + caches_named("dma-kmalloc-"),
			KMALLOC_CACHES);
}

static void test_first_use_of_kmalloc(struct kunit *test)
{
	in_children(test, 1, meet_kmalloc);
}

/* --- At once ------------------------------------------------------------------------- */

static unsigned int arrived;	/* Sync: atomic */

static void meet_together(struct test_thread *thread)
{
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		__atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
		while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < (i + 1) * NR_THREADS)
			sched_yield();
		use(thread->test, size_of(i), (unsigned char)thread->index);
	}
}

static void meet_in_threads(struct kunit *test, void *arg)
{
	test_threads_run(test, NR_THREADS, meet_together, arg);
	expect_all_classes(test);
}

static void test_first_use_by_threads(struct kunit *test)
{
	in_children(test, NR_ROUNDS, meet_in_threads);
}

/* By size, and by the address of a cache that another thread is making. */
static void meet_kmalloc_together(struct test_thread *thread)
{
	__atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < NR_THREADS)
		sched_yield();
	for (unsigned int i = 0; i < KMALLOC_CLASSES; i++) {
		unsigned int size_class = (i + thread->index) % KMALLOC_CLASSES;
		size_t size = kmalloc_class_bytes(size_class);
		char *object = thread->index % 2 ? kmalloc(size, GFP_KERNEL) :
			kmem_cache_alloc(&kmalloc_caches[size_class], GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(thread->test, object);
		memset(object, (int)thread->index, size);
		KUNIT_EXPECT_EQ(thread->test, ksize(object), size);
		kfree(object);
	}
}

static void meet_kmalloc_in_threads(struct kunit *test, void *arg)
{
	test_threads_run(test, NR_THREADS, meet_kmalloc_together, arg);
	KUNIT_EXPECT_EQ(test, caches_named("kmalloc-") + caches_named("dma-kmalloc-"),
			KMALLOC_CACHES);
}

static void test_first_use_of_kmalloc_by_threads(struct kunit *test)
{
	in_children(test, NR_ROUNDS, meet_kmalloc_in_threads);
}

/* --- In signal handlers --------------------------------------------------------------- */

/* Sync: the handler's. Its checks are the parent's: it only writes. */
static struct prng handler_prng = { 7 };

static void allocate_in_handler(void *context)
{
	size_t size = size_of(prng_below(&handler_prng, CLASS_COUNT));
	char *block = tested_malloc(size);

	if (!block)
		*(bool *)context = true;
	else
		memset(block, 0x5a, size);
	tested_free(block);
}

static void meet_under_signals(struct kunit *test, void *arg)
{
	bool failed = false;

	(void)arg;
	test_storm_start(test, STORM_USEC, allocate_in_handler, &failed);
	for (unsigned int i = 0; i < 4 * CLASS_COUNT; i++)
		use(test, size_of(i * 29), 3);
	test_storm_stop();
	KUNIT_EXPECT_FALSE(test, failed);
	expect_all_classes(test);
}

static void test_first_use_under_signals(struct kunit *test)
{
	in_children(test, NR_ROUNDS, meet_under_signals);
}

static struct {
	unsigned long wanted, nr;
	void *block;
	void *others[1000];
	unsigned int nr_others;
} steps;

/*
 * This handler's call is the first of all, after some instruction of the interrupted call. Later
 * handlers take objects that it has left on the CPU.
 */
static void come_first(unsigned long address)
{
	void *left[4];

	if (address == (unsigned long)once_run_slow)
		_exit(0);	/* which blocks signals, this one included */
	steps.nr++;
	if (steps.nr > steps.wanted && steps.nr_others < ARRAY_SIZE(steps.others))
		steps.others[steps.nr_others++] = tested_malloc(STEPPED_BYTES);
	if (steps.nr != steps.wanted)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		left[i] = tested_malloc(STEPPED_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		tested_free(left[i]);
}

static void allocate_stepped(void *unused)
{
	(void)unused;
	steps.block = tested_malloc(STEPPED_BYTES);
}

static void meet_above_first_call(struct kunit *test, void *arg)
{
	steps.wanted = *(unsigned long *)arg;
	/* Where a slot by its index and one by its CPU are the same. */
	test_pin(0);
	stepping_run(allocate_stepped, NULL, come_first);
	KUNIT_ASSERT_NOT_NULL(test, steps.block);
	for (unsigned int i = 0; i < steps.nr_others; i++)
		KUNIT_EXPECT_PTR_NE_MSG(test, steps.others[i], steps.block,
					"it comes behind instruction %lu", steps.wanted);
}

/* The interrupted call has looked before the class was made, and goes on after it was made. */
static void test_first_use_above_first_call(struct kunit *test)
{
	if (RSEQ_IN_C || !STEPPING_SINGLE)
		kunit_skip(test, "a program cannot step itself here");
	for (unsigned long step = 1; step <= FIRST_STEPS; step++)
		CHILD_EXPECT_SUCCESS(test, meet_above_first_call, &step);
}

/* As in a handler above the thread that makes a class: a mapping, and the next call asks again. */
static void meet_above_a_holder(struct kunit *test, void *arg)
{
	void *block;

	(void)arg;
	use(test, 100, 1);
	lock_acquire(&slab_caches_lock);
	block = tested_malloc(1000);
	KUNIT_EXPECT_NULL(test, class_of(1000));
	lock_release(&slab_caches_lock);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_FALSE(test, mm_is_online(block));
	tested_free(block);
	use(test, 1000, 1);
	KUNIT_EXPECT_NOT_NULL(test, class_of(1000));
}

static void test_first_use_above_a_holder(struct kunit *test)
{
	in_children(test, 1, meet_above_a_holder);
}

/* --- In children ---------------------------------------------------------------------- */

static bool is_over;		/* Sync: atomic relaxed */

static void expect_child_meets_all(struct kunit *test)
{
	int status;
	pid_t child = fork();

	KUNIT_ASSERT_GE(test, child, 0);
	if (!child) {
		child_alarm();
		for (unsigned int i = 0; i < CLASS_COUNT; i++)
			use(test, size_of(i), 4);
		expect_all_classes(test);
		_exit(test->status != KUNIT_SUCCESS);
	}
	KUNIT_ASSERT_EQ(test, waitpid(child, &status, 0), child);
	KUNIT_EXPECT_EQ(test, status, 0);
}

/* The other threads use new classes while the first one forks. */
static void meet_or_fork(struct test_thread *thread)
{
	for (unsigned int i = 0; !thread->index && i < NR_FORKS / NR_ROUNDS; i++)
		expect_child_meets_all(thread->test);
	if (!thread->index)
		__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	for (unsigned int i = thread->index; thread->index && i < CLASS_COUNT; i++) {
		use(thread->test, size_of(i), (unsigned char)thread->index);
		if (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
			usleep(200);
	}
}

static void meet_in_fork_children(struct kunit *test, void *arg)
{
	test_threads_run(test, 3, meet_or_fork, arg);
}

static void test_first_use_in_fork_children(struct kunit *test)
{
	in_children(test, NR_ROUNDS, meet_in_fork_children);
}

/* --- When there is no memory ---------------------------------------------------------- */

/* If anything fails at the first use, the next call tries again, and succeeds. */
static void meet_after_failure(struct kunit *test, void *arg)
{
	unsigned int nth = *(unsigned int *)arg;
	const char *error = NULL;

	KUNIT_ASSERT_EQ(test, usermm_set_options("nodes=2", &error), 0);
	usermm_fail_nth(nth);
	for (unsigned int i = 0; i < CLASS_COUNT; i++)
		tested_free(tested_malloc(size_of(i)));
	usermm_fail_nth(0);
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		const struct kmem_cache *cache;

		use(test, size_of(i), 5);
		cache = class_of(size_of(i));
		KUNIT_ASSERT_NOT_NULL(test, cache);
		KUNIT_EXPECT_TRUE(test, cache->own_sheaf || cache->own_cpu_slab);
		KUNIT_EXPECT_NOT_NULL(test, cache->more_nodes);
	}
}

static void test_first_use_after_failure(struct kunit *test)
{
	for (unsigned int nth = 1; nth <= 24; nth++)
		CHILD_EXPECT_SUCCESS(test, meet_after_failure, &nth);
}

static struct kunit_case first_use_cases[] = {
	KUNIT_CASE(test_first_use_makes_one_class),
	KUNIT_CASE(test_first_use_of_kmalloc),
	KUNIT_CASE(test_first_use_by_threads),
	KUNIT_CASE(test_first_use_of_kmalloc_by_threads),
	KUNIT_CASE(test_first_use_under_signals),
	KUNIT_CASE(test_first_use_above_first_call),
	KUNIT_CASE(test_first_use_above_a_holder),
	KUNIT_CASE(test_first_use_in_fork_children),
	KUNIT_CASE(test_first_use_after_failure),
	{ 0 },
};

static struct kunit_suite first_use_suite = {
	.name = "malloc_first_use",
	.test_cases = first_use_cases,
};

kunit_test_suite(first_use_suite);
