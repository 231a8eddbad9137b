/* SPDX-License-Identifier: MIT */
/* How much memory the machine has, and how much of it a process may use. */
#include <sys/resource.h>

#include "os/os.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

static void test_os_machine(struct kunit *test)
{
	struct os_limit limit = { 0 };

	KUNIT_EXPECT_GE(test, os_possible_cpus(), test_nr_cpus());
	KUNIT_EXPECT_LT(test, os_current_cpu(), os_possible_cpus());
	KUNIT_EXPECT_NE(test, os_nodes_with_memory(), 0);
	KUNIT_EXPECT_GT(test, os_memory_bytes(), 64 * MIB);
	os_constant_limit(&limit);
	os_take_changing_limits(&limit, false);
	KUNIT_EXPECT_LE(test, limit.bytes, os_memory_bytes());
	KUNIT_ASSERT_NOT_NULL(test, limit.source);
	KUNIT_EXPECT_GT(test, strlen(limit.source), 2);
	KUNIT_EXPECT_NE(test, os_random(), os_random());
}

static void limit_resources(struct kunit *test, void *arg)
{
	struct rlimit space = { 777 * MIB, RLIM_INFINITY }, data = { 333 * MIB, RLIM_INFINITY };
	struct os_limit limit;

	(void)arg;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &space), 0);
	KUNIT_EXPECT_EQ(test, os_address_space_limit(), 777 * MIB);
	os_constant_limit(&limit);
	os_take_changing_limits(&limit, false);
	KUNIT_EXPECT_LE(test, limit.bytes, 777 * MIB);
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_DATA, &data), 0);
	os_constant_limit(&limit);
	os_take_changing_limits(&limit, false);
	KUNIT_EXPECT_LE(test, limit.bytes, 333 * MIB);
	if (limit.bytes == 333 * MIB)
		KUNIT_EXPECT_STREQ(test, limit.source, "RLIMIT_DATA");
}

static void test_os_resource_limits(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, limit_resources, NULL);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(test_os_machine),
	KUNIT_CASE(test_os_resource_limits),
	{ 0 },
};

static struct kunit_suite limits_suite = { .name = "limits", .test_cases = limits_cases };

kunit_test_suite(limits_suite);
