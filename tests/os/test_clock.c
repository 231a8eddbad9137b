/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "os/clock.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "support/child.h"
#include "support/kernel.h"

static void test_os_time_goes_on(struct kunit *test)
{
	uint64_t ns = os_time_ns(), ms = os_time_ms();

	KUNIT_EXPECT_LE(test, ms, os_time_ns() / 1000000);
	os_sleep_us(30000);
	KUNIT_EXPECT_GE(test, os_time_ns(), ns + 30000000);
	KUNIT_EXPECT_GT(test, os_time_ms(), ms);
}

/* Children of this process are in a time namespace, where the clock is ahead by as much. */
static bool begin_time_namespace(const char *offset)
{
	bool good;
	int fd;

	if (unshare(CLONE_NEWTIME))
		return false;
	fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	good = fd >= 0 && write(fd, offset, strlen(offset)) == (ssize_t)strlen(offset);
	close(fd);
	return good;
}

static void live_in_the_past(struct kunit *test, void *arg)
{
	uint64_t before = *(uint64_t *)arg, now = os_time_ms();

	KUNIT_EXPECT_LT(test, os_time_ns() / 1000000 + 5 * 86400000UL, before);
	KUNIT_EXPECT_GE(test, now, before);
	KUNIT_EXPECT_LT(test, now, before + 100000);
	os_sleep_us(30000);
	KUNIT_EXPECT_GT(test, os_time_ms(), now);
}

static void live_ahead(struct kunit *test, void *unused)
{
	uint64_t before = os_time_ms();

	(void)unused;
	KUNIT_EXPECT_GE(test, os_time_ns() / 1000000 + 1, before);
	KUNIT_ASSERT_TRUE(test, begin_time_namespace("monotonic 0 0\n"));
	CHILD_EXPECT_SUCCESS(test, live_in_the_past, &before);
}

static void set_clock_ahead(struct kunit *test, void *unused)
{
	(void)unused;
	if (!begin_time_namespace("monotonic 864000 0\n"))
		return;		/* this needs a right that the process may lack */
	CHILD_EXPECT_SUCCESS(test, live_ahead, NULL);
}

static void test_os_time_never_goes_back(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, set_clock_ahead, NULL);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(test_os_time_goes_on),
	KUNIT_CASE(test_os_time_never_goes_back),
	{ 0 },
};

static struct kunit_suite clock_suite = { .name = "clock", .test_cases = clock_cases };

kunit_test_suite(clock_suite);
