/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers ask for memory while their thread's own request finds none: they get memory or
 * NULL, and return.
 */
#include <signal.h>
#include <unistd.h>

#include "support/kernel.h"
#include "support/threads.h"
#include "support/zones.h"
#include "usermm/reclaim.h"

#define SECONDS_MAX 200
#define STORM_USEC 67

static void ask_and_give(void *unused)
{
	struct page *page = alloc_page(GFP_KERNEL | __GFP_NOWARN);

	(void)unused;
	if (page)
		__free_page(page);
}

/* Every request passes all steps of the slow path, and is interrupted anywhere. */
static void fail_under_storm(struct kunit *test)
{
	struct hoard hoard;
	unsigned long signals;

	hoard_init(&hoard);
	alarm(SECONDS_MAX);	/* a handler that never comes back ends the process */
	hoard_take_all(&hoard, GFP_ATOMIC | __GFP_MEMALLOC, 0);
	KUNIT_ASSERT_NULL(test, alloc_page(GFP_KERNEL));
	test_storm_start(test, STORM_USEC, ask_and_give, NULL);
	for (unsigned int i = 0; i < TEST_STEPS(100000); i++)
		KUNIT_ASSERT_NULL(test, alloc_page(GFP_KERNEL));
	signals = test_storm_stop();
	KUNIT_EXPECT_GT(test, signals, 0);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_signal_short_end_of_road(struct kunit *test)
{
	zones_run(test, "zone_normal=8M", fail_under_storm);
}

static int nothing_to_free(struct notifier_block *nb, unsigned long action, void *freed)
{
	(void)nb;
	(void)action;
	(void)freed;
	return NOTIFY_OK;
}

/* The same for a thread that registers a notifier. */
static void register_under_storm(struct kunit *test)
{
	static struct notifier_block block = { .notifier_call = nothing_to_free };
	struct hoard hoard;

	hoard_init(&hoard);
	alarm(SECONDS_MAX);
	hoard_take_all(&hoard, GFP_ATOMIC | __GFP_MEMALLOC, 0);
	KUNIT_ASSERT_NULL(test, alloc_page(GFP_KERNEL));
	test_storm_start(test, STORM_USEC, ask_and_give, NULL);
	for (unsigned int i = 0; i < TEST_STEPS(400000); i++) {
		KUNIT_ASSERT_EQ(test, register_oom_notifier(&block), 0);
		KUNIT_ASSERT_EQ(test, unregister_oom_notifier(&block), 0);
	}
	KUNIT_EXPECT_GT(test, test_storm_stop(), 0);
	hoard_give_all(&hoard);
}

static void test_signal_short_notifiers(struct kunit *test)
{
	zones_run(test, "zone_normal=8M", register_under_storm);
}

static struct kunit_case signal_short_cases[] = {
	KUNIT_CASE(test_signal_short_end_of_road),
	KUNIT_CASE(test_signal_short_notifiers),
	{ 0 },
};

static struct kunit_suite signal_short_suite = {
	.name = "signal_short",
	.test_cases = signal_short_cases,
};

kunit_test_suite(signal_short_suite);
