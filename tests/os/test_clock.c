/* SPDX-License-Identifier: MIT */
#include "os/clock.h"
#include "support/kernel.h"

static void test_os_is_over(struct kunit *test)
{
	const uint64_t now = 1000000, day = 86400000;

	KUNIT_EXPECT_FALSE(test, os_is_over(now, now, 1));
	KUNIT_EXPECT_TRUE(test, os_is_over(now, now, 0));
	KUNIT_EXPECT_FALSE(test, os_is_over(now - 999, now, 1000));
	KUNIT_EXPECT_TRUE(test, os_is_over(now - 1000, now, 1000));
	KUNIT_EXPECT_TRUE(test, os_is_over(0, day, 3600000));
	KUNIT_EXPECT_FALSE(test, os_is_over(now + 5, now, 1000));	/* another thread's look */
	KUNIT_EXPECT_FALSE(test, os_is_over(now + OS_CLOCK_APART_MS, now, 1000));
	KUNIT_EXPECT_TRUE(test, os_is_over(now + day, now, 1000));	/* the clock went back */
	KUNIT_EXPECT_TRUE(test, os_is_over(now + day, now, UINT32_MAX));
}

static void test_os_has_come(struct kunit *test)
{
	const uint64_t now = 1000000;

	KUNIT_EXPECT_TRUE(test, os_has_come(0, now));
	KUNIT_EXPECT_TRUE(test, os_has_come(now, now));
	KUNIT_EXPECT_FALSE(test, os_has_come(now + 1, now));
	KUNIT_EXPECT_FALSE(test, os_has_come(now + OS_CLOCK_APART_MS, now));
	KUNIT_EXPECT_TRUE(test, os_has_come(now + OS_CLOCK_APART_MS + 1, now));
}

/* Both go forward, and tell the same time; the one in milliseconds is at most a tick behind. */
static void test_os_time(struct kunit *test)
{
	uint64_t before = os_time_ms(), ns = os_time_ns(), after;

	os_sleep_us(20000);
	after = os_time_ms();
	KUNIT_EXPECT_GE(test, after, before + 5);
	KUNIT_EXPECT_GE(test, os_time_ns(), ns + 20000000);
	KUNIT_EXPECT_LE(test, before, ns / 1000000);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(test_os_is_over),
	KUNIT_CASE(test_os_has_come),
	KUNIT_CASE(test_os_time),
	{}
};

static struct kunit_suite clock_suite = {
	.name = "os_clock",
	.test_cases = clock_cases,
};

kunit_test_suite(clock_suite);
