/* SPDX-License-Identifier: MIT */
#include "os/environment.h"
#include "support/kernel.h"

static void test_os_environment(struct kunit *test)
{
	char value[32];

	setenv("USERMM_TEST_VALUE", "some:thing=1", 1);
	setenv("USERMM_TEST_VALUE_LONGER", "other", 1);
	KUNIT_EXPECT_EQ(test, os_environment("USERMM_TEST_VALUE", value, sizeof(value)), 12);
	KUNIT_EXPECT_STREQ(test, value, "some:thing=1");
	KUNIT_EXPECT_LT(test, os_environment("USERMM_TEST", value, sizeof(value)), 0);
	KUNIT_EXPECT_LT(test, os_environment("USERMM_TEST_ABSENT", value, sizeof(value)), 0);
	/* It needs 13 bytes; with fewer it says how long it is. */
	KUNIT_EXPECT_EQ(test, os_environment("USERMM_TEST_VALUE", value, 12), 12);
	KUNIT_EXPECT_LT(test, strlen(value), 12);
	KUNIT_EXPECT_EQ(test, os_environment("USERMM_TEST_VALUE", value, 13), 12);
	KUNIT_EXPECT_STREQ(test, value, "some:thing=1");
	setenv("USERMM_TEST_VALUE", "", 1);
	KUNIT_EXPECT_EQ(test, os_environment("USERMM_TEST_VALUE", value, sizeof(value)), 0);
	KUNIT_EXPECT_STREQ(test, value, "");
}

static struct kunit_case environment_cases[] = {
	KUNIT_CASE(test_os_environment),
	{ 0 },
};

static struct kunit_suite environment_suite = {
	.name = "environment",
	.test_cases = environment_cases,
};

kunit_test_suite(environment_suite);
