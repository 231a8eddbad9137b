/* SPDX-License-Identifier: MIT */
/* Reports: one line each, a bounded number of warnings, and a fatal one aborts. */
#include <errno.h>

#include "base/check.h"
#include "base/atomic.h"
#include "base/compiler.h"
#include "support/child.h"
#include "kunit/kunit_run.h"

static void fatal(struct kunit *test, void *arg)
{
	(void)test;
	report_fatal("object %p of %s, %d%%", arg, "somebody", 50);
}

static void failing_check(struct kunit *test, void *arg)
{
	(void)test;
	CHECK(arg == NULL, "the pointer is %p", arg);
}

static void holding_check(struct kunit *test, void *arg)
{
	CHECK(arg != NULL, "never");
	KUNIT_EXPECT_NOT_NULL(test, arg);
}

static void test_check_fatal(struct kunit *test)
{
	void *pointer = (void *)0x123450;

	CHILD_EXPECT_DEATH(test, fatal, pointer,
			   "usermm: object 0x123450 of somebody, 50%\n");
	CHILD_EXPECT_DEATH(test, failing_check, pointer,
			   "usermm: the pointer is 0x123450\n");
	CHILD_EXPECT_SUCCESS(test, holding_check, pointer);
}

static void warn_often(struct kunit *test, void *arg)
{
	(void)arg;
	errno = 77;
	for (unsigned int i = 0; i < 100; i++)
		report_warning("warning number %u", i);
	KUNIT_EXPECT_EQ(test, errno, 77);
}

static void test_check_warnings_are_bounded(struct kunit *test)
{
	struct child_result result;
	unsigned int nr = 0;

	child_run(test, warn_often, NULL, &result);
	KUNIT_EXPECT_EQ(test, result.status, 0);
	for (const char *line = result.err; (line = strstr(line, "warning number")); line++)
		nr++;
	KUNIT_EXPECT_EQ(test, nr, REPORT_WARNINGS_MAX);
	KUNIT_EXPECT_NOT_NULL(test, strstr(result.err, "usermm: warning number 0\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(result.err, "not shown"));
}

static void warn_long(struct kunit *test, void *arg)
{
	static char text[3000];

	(void)test;
	(void)arg;
	memset(text, 'z', sizeof(text) - 1);
	report_warning("%s", text);
	report_warning("behind");
}

static void test_check_long_line_is_cut(struct kunit *test)
{
	struct child_result result;
	const char *end;

	child_run(test, warn_long, NULL, &result);
	KUNIT_EXPECT_EQ(test, result.status, 0);
	end = strchr(result.err, '\n');
	KUNIT_ASSERT_NOT_NULL(test, end);
	KUNIT_EXPECT_GT(test, end - result.err, 200);
	KUNIT_EXPECT_LT(test, end - result.err, 2000);
	KUNIT_EXPECT_STREQ(test, end + 1, "usermm: behind\n");
}

static void failing_assert(struct kunit *test, void *arg)
{
	(void)test;
	(void)arg;
	ASSERT(arg == NULL);
}

static void test_check_assert_follows_the_build(struct kunit *test)
{
	if (USERMM_DEBUG)
		CHILD_EXPECT_DEATH(test, failing_assert, test, "usermm: ", "arg == NULL");
	else
		CHILD_EXPECT_SUCCESS(test, failing_assert, test);
}

static void test_check_helpers(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ALIGN(0UL, 8), 0);
	KUNIT_EXPECT_EQ(test, ALIGN(1UL, 8), 8);
	KUNIT_EXPECT_EQ(test, ALIGN(8UL, 8), 8);
	KUNIT_EXPECT_EQ(test, ALIGN_DOWN(15UL, 8), 8);
	KUNIT_EXPECT_EQ(test, DIV_ROUND_UP(7, 4), 2);
	KUNIT_EXPECT_EQ(test, min(3, 4), 3);
	KUNIT_EXPECT_EQ(test, max(3, 4), 4);
	KUNIT_EXPECT_EQ(test, clamp(9, 1, 5), 5);
	KUNIT_EXPECT_TRUE(test, is_power_of_2(64));
	KUNIT_EXPECT_FALSE(test, is_power_of_2(0));
	KUNIT_EXPECT_FALSE(test, is_power_of_2(65));
	for (unsigned int bit = 0; bit < 64; bit++) {
		unsigned long x = 1UL << bit;

		KUNIT_EXPECT_EQ(test, ilog2(x), bit);
		KUNIT_EXPECT_EQ(test, ilog2(x | (x - 1)), bit);
		KUNIT_EXPECT_EQ(test, roundup_pow_of_two(x), x);
		if (bit > 1 && bit < 63)
			KUNIT_EXPECT_EQ(test, roundup_pow_of_two(x + 1), 2 * x);
	}
}

static struct kunit_case check_cases[] = {
	KUNIT_CASE(test_check_fatal),
	KUNIT_CASE(test_check_warnings_are_bounded),
	KUNIT_CASE(test_check_long_line_is_cut),
	KUNIT_CASE(test_check_assert_follows_the_build),
	KUNIT_CASE(test_check_helpers),
	{ 0 },
};

static struct kunit_suite check_suite = { .name = "check", .test_cases = check_cases };

kunit_test_suite(check_suite);
