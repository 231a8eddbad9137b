/* SPDX-License-Identifier: MIT */
/* An index without a slot: all of one process, or a CPU that came too late. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "percpu/percpu.h"
#include "percpu/tagged_list.h"
#include "percpu/vfork.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"
#include "usermm/quicklist.h"

#define LIMIT 8
#define ARRAY_BYTES (sizeof(struct percpu_array) + LIMIT * sizeof(void *))

static struct percpu_array *array;
static struct percpu_list *list;
static struct percpu_tagged_list *tagged;
static char block[64] __aligned(64);

static int start_library(struct kunit_suite *suite)
{
	if (test_warm_up(suite))
		return -1;
	array = percpu_alloc(ARRAY_BYTES, 64);
	list = percpu_alloc(sizeof(*list), 64);
	tagged = percpu_alloc(sizeof(*tagged), 64);
	return array && list && tagged ? 0 : -1;
}

static int need_sequences(struct kunit *test)
{
	if (percpu_mode() == PERCPU_LOCKED)
		kunit_skip(test, "locked slots need no bound: they have locks");
	return 0;
}

/* Every operation finds nothing and changes nothing. */
static void expect_no_slot(struct kunit *test)
{
	void *two[2] = { test, test };
	unsigned long head;
	long thing[2];

	KUNIT_EXPECT_EQ(test, percpu_current_slot(), -1);
	KUNIT_EXPECT_NULL(test, percpu_pop(array));
	KUNIT_EXPECT_FALSE(test, percpu_push(array, thing));
	KUNIT_EXPECT_EQ(test, percpu_pop_n(array, two, 2), 0);
	KUNIT_EXPECT_EQ(test, percpu_push_n(array, two, 2), 0);
	KUNIT_EXPECT_NULL(test, percpu_list_pop(list));
	KUNIT_EXPECT_FALSE(test, percpu_list_push(list, thing));
	KUNIT_EXPECT_NULL(test, percpu_tagged_pop(tagged, 0));
	KUNIT_EXPECT_FALSE(test, percpu_tagged_push(tagged, block, 0, sizeof(block) - 1));
	KUNIT_EXPECT_FALSE(test, percpu_tagged_cas(tagged, 0, percpu_tagged_token(block)));
	KUNIT_EXPECT_FALSE(test, percpu_tagged_read(tagged, &head));
	percpu_array_prepare(array, LIMIT);
}

static void expect_slot(struct kunit *test)
{
	long thing[2];

	KUNIT_EXPECT_GE(test, percpu_current_slot(), 0);
	percpu_array_prepare(array, LIMIT);
	KUNIT_EXPECT_TRUE(test, percpu_push(array, thing));
	KUNIT_EXPECT_PTR_EQ(test, percpu_pop(array), thing);
	KUNIT_EXPECT_TRUE(test, percpu_list_push(list, thing));
	KUNIT_EXPECT_PTR_EQ(test, percpu_list_pop(list), thing);
	KUNIT_EXPECT_TRUE(test, percpu_tagged_cas(tagged, 0, percpu_tagged_token(block)));
	KUNIT_EXPECT_TRUE(test, percpu_tagged_push(tagged, block, 0, sizeof(block) - 1));
	KUNIT_EXPECT_PTR_EQ(test, percpu_tagged_pop(tagged, 0), (void *)block);
	KUNIT_EXPECT_TRUE(test, percpu_tagged_cas(tagged, percpu_tagged_token(block), 0));
}

/* The layers above work without slots, and the objects in their slots are not lost. */
static void expect_allocations(struct kunit *test)
{
	void *objects[100];

	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
		objects[i] = kmalloc(8 << i % 10, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		memset(objects[i], (int)i, 8 << i % 10);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
		KUNIT_EXPECT_EQ(test, ((u8 *)objects[i])[(8 << i % 10) - 1], i);
		kfree(objects[i]);
	}
	for (unsigned int order = 0; order < 5; order++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);

		KUNIT_ASSERT_NOT_NULL(test, page);
		__free_pages(page, order);
	}
	for (unsigned int i = 0; i < 3; i++) {
		void *page = quicklist_alloc(0, GFP_KERNEL, NULL);

		KUNIT_ASSERT_NOT_NULL(test, page);
		quicklist_free(0, NULL, page);
	}
}

static void test_bound_closes_all_slots(struct kunit *test)
{
	expect_slot(test);
	percpu_share_begin();
	expect_no_slot(test);
	expect_allocations(test);
	percpu_share_end();
	expect_slot(test);
	expect_allocations(test);
}

static void test_bound_opens_with_the_last(struct kunit *test)
{
	percpu_share_begin();
	percpu_share_begin();
	percpu_share_end();
	expect_no_slot(test);
	percpu_share_begin();
	percpu_share_end();
	expect_no_slot(test);
	percpu_share_end();
	expect_slot(test);
}

/* As on a machine whose CPUs are more than were possible when it started. */
static void test_bound_below_the_index(struct kunit *test)
{
	uint32_t limit = percpu.bound.limit;
	int slot = percpu_current_slot();

	if (percpu_mode() != PERCPU_RSEQ_CPU_ID || test_nr_cpus() < 2)
		kunit_skip(test, "needs slots by CPU, and two CPUs");
	test_pin(1);
	slot = percpu_current_slot();
	KUNIT_ASSERT_GT(test, slot, 0);
	percpu.bound.limit = (uint32_t)slot;
	expect_no_slot(test);
	expect_allocations(test);
	test_pin(0);
	expect_slot(test);
	percpu.bound.limit = limit;
	test_pin(1);
	expect_slot(test);
	test_unpin();
}

static int child_has_slots(void)
{
	long thing;

	if (percpu_current_slot() < 0)
		return 1;
	percpu_array_prepare(array, LIMIT);
	return percpu_push(array, &thing) && percpu_pop(array) == &thing ? 0 : 2;
}

static void expect_status_0(struct kunit *test, pid_t pid)
{
	int status = -1;

	KUNIT_ASSERT_GT(test, pid, 0);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	KUNIT_EXPECT_EQ(test, status, 0);
}

/* A process that is forked while there is a vfork child has none of its own. */
static void test_bound_opens_in_a_fork_child(struct kunit *test)
{
	pid_t pid;

	percpu_share_begin();
	pid = fork();
	if (!pid)
		_exit(child_has_slots());
	expect_no_slot(test);
	percpu_share_end();
	expect_status_0(test, pid);
	expect_slot(test);
}

/* The kernel keeps no sequences for a vfork child, so its fork child asks for them. */
static void test_bound_fork_child_of_a_vfork_child(struct kunit *test)
{
	pid_t pid;

	if (RSEQ_IN_C || !RSEQ_SUPPORTED)
		kunit_skip(test, "the kernel has no part in it");
	pid = percpu_vfork();
	if (!pid) {
		int status = -1;
		pid_t inner = fork();

		if (!inner)
			/* The kernel can only give up what it keeps. */
			_exit(child_has_slots() || !percpu_end_registration());
		waitpid(inner, &status, 0);
		_exit(status ? 1 : 0);
	}
	expect_status_0(test, pid);
	expect_slot(test);
}

#define NR_ROUNDS 20000

/* Children may end at the same time: the slots open when the last one has ended. */
static void open_and_close(struct test_thread *thread)
{
	for (unsigned int i = 0; i < NR_ROUNDS; i++) {
		percpu_share_begin();
		if (percpu_current_slot() >= 0)
			KUNIT_FAIL(thread->test, "a slot while it has a child");
		percpu_share_end();
	}
}

static void test_bound_overlapping(struct kunit *test)
{
	test_threads_run(test, 4, open_and_close, NULL);
	KUNIT_EXPECT_EQ(test, percpu.bound.children, 0);
	expect_slot(test);
}

static struct kunit_case bound_cases[] = {
	KUNIT_CASE(test_bound_closes_all_slots),
	KUNIT_CASE(test_bound_opens_with_the_last),
	KUNIT_CASE(test_bound_below_the_index),
	KUNIT_CASE(test_bound_opens_in_a_fork_child),
	KUNIT_CASE(test_bound_fork_child_of_a_vfork_child),
	KUNIT_CASE(test_bound_overlapping),
	{ 0 },
};

static struct kunit_suite bound_suite = {
	.name = "percpu_bound",
	.suite_init = start_library,
	.init = need_sequences,
	.test_cases = bound_cases,
};

kunit_test_suite(bound_suite);
