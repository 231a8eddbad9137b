/* SPDX-License-Identifier: MIT */
/*
 * The budget of all barns follows the memory that the process may have, which others change while
 * it runs. Which barns give way: slab/test_barn.
 */
#include "page/reclaim/limits.h"
#include "slab/cache.h"
#include "slab/sheaf/barn_budget.h"
#include "support/child.h"
#include "support/system/group.h"
#include "support/kernel.h"

#define LIMIT_FILE GROUP_V2 "/job/memory.max"

static bool has_room(size_t bytes)
{
	bool granted = barn_budget_reserve(bytes);

	if (granted)
		barn_budget_unreserve(bytes);
	return granted;
}

static void set_limit(struct kunit *test, size_t bytes)
{
	group_write_number(test, LIMIT_FILE, bytes);
	limits_refresh();
}

/* A 64th of memory: from 1 MiB to 16 MiB and back. */
static void follows(struct kunit *test, void *arg)
{
	const char *option = arg, *error;

	KUNIT_ASSERT_EQ(test, usermm_set_options(option, &error), 0);
	limits_known_ms = 0;
	group_begin(test, "0::/job\n");
	group_write_number(test, LIMIT_FILE, 64 * MIB);
	KUNIT_ASSERT_EQ(test, slab_init(), 0);
	KUNIT_EXPECT_TRUE(test, has_room(MIB / 2));
	KUNIT_EXPECT_EQ(test, has_room(6 * MIB), *option != 0);
	set_limit(test, GIB);
	KUNIT_EXPECT_TRUE(test, has_room(6 * MIB));
	KUNIT_EXPECT_EQ(test, has_room(12 * MIB), !*option);
	set_limit(test, 64 * MIB);
	KUNIT_EXPECT_EQ(test, has_room(6 * MIB), *option != 0);
	group_end(test);
}

static void test_budget_follows_limit(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, follows, "");
	CHILD_EXPECT_SUCCESS(test, follows, "slab_cache_bytes=8M");
}

static struct kunit_case barn_budget_cases[] = {
	KUNIT_CASE(test_budget_follows_limit),
	{ 0 },
};

static struct kunit_suite barn_budget_suite = {
	.name = "slab-barn-budget",
	.test_cases = barn_budget_cases,
};

kunit_test_suite(barn_budget_suite);
