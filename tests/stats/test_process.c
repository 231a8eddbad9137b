/* SPDX-License-Identifier: MIT */
/*
 * All layers in one process: many threads make the first call at once, and fork() while others are
 * in the middle of calls.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "support/child.h"
#include "support/kernel.h"
#include "support/shadow.h"
#include "support/threads.h"

/* Every entry point once, by number. */
static bool use_one(unsigned int number)
{
	struct usermm_stats stats;
	struct kmem_cache *cache;
	struct page *page, *pages[100] = { NULL };
	void *object;
	bool ok = true;

	switch (number % 8) {
	case 0:
		page = alloc_page(GFP_KERNEL);
		if (page)
			__free_page(page);
		return page != NULL;
	case 1:
		object = kmalloc(100, GFP_KERNEL);
		kfree(object);
		return object != NULL;
	case 2:
		cache = kmem_cache_create("first", 48, 0, 0, NULL);
		object = cache ? kmem_cache_alloc(cache, GFP_KERNEL) : NULL;
		if (object)
			kmem_cache_free(cache, object);
		kmem_cache_destroy(cache);
		return object != NULL;
	case 3:
		object = quicklist_alloc(1, GFP_KERNEL, NULL);
		if (!object || !shadow_all_bytes(object, PAGE_SIZE, 0))
			return false;
		quicklist_free(1, NULL, object);
		return true;
	case 4:
		ok = alloc_pages_bulk_array(GFP_KERNEL, 100, pages) == 100;
		free_pages_bulk(pages, 100);
		return ok;
	case 5:
		object = kzalloc(100000, GFP_KERNEL);
		ok = object && shadow_all_bytes(object, 100000, 0);
		kfree(object);
		return ok;
	case 6:
		usermm_stats_read(&stats);
		drain_local_pages(NULL);
		return quicklist_total_size() <= 1000000;
	default:
		object = krealloc(NULL, 5000, GFP_KERNEL);
		kfree(object);
		return object != NULL;
	}
}

static void be_first(struct test_thread *thread)
{
	/* Each thread begins with another one. */
	for (unsigned int i = 0; i < 16; i++)
		KUNIT_EXPECT_TRUE_MSG(thread->test, use_one(thread->index + i), "number %u",
				      (thread->index + i) % 8);
}

static void start_threads(struct kunit *test, void *arg)
{
	(void)arg;
	test_threads_run(test, 8, be_first, NULL);
}

/* The parent never uses the library, so every child's call is a first use. */
static void test_process_first_use(struct kunit *test)
{
	for (unsigned int round = 0; round < 100; round++)
		CHILD_EXPECT_SUCCESS(test, start_threads, NULL);
}

static void use_alone(struct kunit *test, void *arg)
{
	unsigned int first = *(unsigned int *)arg;

	for (unsigned int i = 0; i < 8; i++)
		KUNIT_EXPECT_TRUE_MSG(test, use_one(first + i), "%u after %u", (first + i) % 8,
				      first);
}

/* Whichever call comes first brings up what it needs. */
static void test_process_any_call_first(struct kunit *test)
{
	for (unsigned int first = 0; first < 8; first++)
		CHILD_EXPECT_SUCCESS(test, use_alone, &first);
}

struct forks {
	unsigned int stop;	/* Sync: atomic relaxed */
};

static void work_in_child(void)
{
	child_alarm();
	for (unsigned int round = 0; round < 5; round++)
		for (unsigned int i = 0; i < 8; i++)
			if (!use_one(i))
				_exit(10 + (int)i);
	_exit(0);
}

static void fork_or_work(struct test_thread *thread)
{
	struct forks *forks = thread->arg;

	while (thread->index && !__atomic_load_n(&forks->stop, __ATOMIC_RELAXED))
		KUNIT_EXPECT_TRUE(thread->test, use_one(prng_below(&thread->prng, 8)));
	for (unsigned int i = 0; !thread->index && i < 60; i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid)
			work_in_child();
		waitpid(pid, &status, 0);
		KUNIT_EXPECT_EQ_MSG(thread->test, status, 0, "fork %u", i);
	}
	if (!thread->index)
		__atomic_store_n(&forks->stop, 1, __ATOMIC_RELAXED);
}

static void fork_among_threads(struct kunit *test, void *arg)
{
	struct forks forks = { 0 };

	(void)arg;
	test_threads_run(test, 6, fork_or_work, &forks);
}

static void test_process_fork(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, fork_among_threads, NULL);
}

static struct kunit_case process_cases[] = {
	KUNIT_CASE(test_process_any_call_first),
	KUNIT_CASE_SLOW(test_process_first_use),
	KUNIT_CASE_SLOW(test_process_fork),
	{ 0 },
};

static struct kunit_suite process_suite = { .name = "process", .test_cases = process_cases };

kunit_test_suite(process_suite);
