/* SPDX-License-Identifier: MIT */
/*
 * No call of the library is a cancellation point: a cancelled thread returns from every call, and
 * ends in its own code. A thread that ended inside a call would keep a lock.
 */
#include <pthread.h>
#include <unistd.h>

#include "support/child.h"
#include "support/kernel.h"
#include "support/zones.h"

struct call {
	void (*fn)(void *arg);
	void *arg;
	bool came_back;
};

static void *call_when_cancelled(void *arg)
{
	struct call *call = arg;

	pthread_cancel(pthread_self());
	call->fn(call->arg);
	call->came_back = true;
	pthread_testcancel();
	return NULL;
}

static void start_cancelled(struct kunit *test, struct call *call, pthread_t *thread)
{
	KUNIT_ASSERT_EQ(test, pthread_create(thread, NULL, call_when_cancelled, call), 0);
}

static void expect_return(struct kunit *test, const struct call *call, pthread_t thread)
{
	void *result = NULL;

	KUNIT_ASSERT_EQ(test, pthread_join(thread, &result), 0);
	KUNIT_EXPECT_TRUE_MSG(test, result == PTHREAD_CANCELED, "it was not cancelled at all");
	KUNIT_EXPECT_TRUE_MSG(test, call->came_back, "it ended inside of the library");
}

static void take_page(void *arg)
{
	*(struct page **)arg = alloc_page(GFP_KERNEL | __GFP_NOFAIL);
}

static void come_up(struct kunit *test, void *arg)
{
	struct page *page = NULL;
	struct call call = { take_page, &page, false };
	pthread_t thread;

	(void)arg;
	start_cancelled(test, &call, &thread);
	expect_return(test, &call, thread);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
	/* The lock for bringing layers up is free: another layer can come up. */
	page = alloc_page(GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, page);
}

static void test_cancel_first_call(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, come_up, NULL);
}

static void ask_too_much(void *arg)
{
	*(struct page **)arg = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER + 1);
}

static void report(struct kunit *test)
{
	struct page *page = NULL;
	struct call call = { ask_too_much, &page, false };
	pthread_t thread;

	start_cancelled(test, &call, &thread);
	expect_return(test, &call, thread);
	KUNIT_EXPECT_NULL(test, page);
}

static void test_cancel_report(struct kunit *test)
{
	zones_run(test, "zone_normal=8M", report);
}

static void wait_for_memory(struct kunit *test)
{
	struct page *page = NULL;
	struct call call = { take_page, &page, false };
	struct hoard hoard;
	pthread_t thread;

	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_ATOMIC | __GFP_MEMALLOC, 0);
	start_cancelled(test, &call, &thread);
	usleep(20000);		/* it waits for memory by now, or is about to */
	hoard_give_all(&hoard);
	expect_return(test, &call, thread);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
}

static void test_cancel_waiting(struct kunit *test)
{
	zones_run(test, "zone_normal=8M", wait_for_memory);
}

static struct kunit_case cancel_cases[] = {
	KUNIT_CASE(test_cancel_first_call),
	KUNIT_CASE(test_cancel_report),
	KUNIT_CASE(test_cancel_waiting),
	{ 0 },
};

static struct kunit_suite cancel_suite = {
	.name = "cancel",
	.test_cases = cancel_cases,
};

kunit_test_suite(cancel_suite);
