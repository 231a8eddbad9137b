/* SPDX-License-Identifier: MIT */
/*
 * The barns' budget follows the limit of a cgroup that is resized. (test_barn.c has what barns do
 * with their budget.)
 */
#include "page/reclaim/limits.h"
#include "slab/cache.h"
#include "slab/sheaf/barn_budget.h"
#include "support/child.h"
#include "support/group.h"
#include "usermm/usermm.h"

#define JOB GROUP_V2 "/job"

static void set_limit(struct kunit *test, unsigned long bytes)
{
	group_write_number(test, JOB "/memory.max", bytes);
	limits_refresh();
	barn_budget_follow();
}

/* The barns' budget is a 64th of the cgroup's limit, unless an option or somebody else says. */
static void resized(struct kunit *test, void *arg)
{
	(void)arg;
	limits_known_ms = 0;
	group_begin(test, "0::/job\n");
	group_write_number(test, JOB "/memory.current", 0);
	group_write_number(test, JOB "/memory.max", 256UL << 20);
	KUNIT_ASSERT_EQ(test, slab_init(), 0);
	KUNIT_EXPECT_FALSE(test, barn_budget_reserve(5UL << 20));
	set_limit(test, 640UL << 20);
	KUNIT_EXPECT_TRUE(test, barn_budget_reserve(5UL << 20));
	set_limit(test, 128UL << 20);
	KUNIT_EXPECT_FALSE(test, barn_budget_reserve(1));
	barn_budget_unreserve(5UL << 20);
	KUNIT_EXPECT_FALSE(test, barn_budget_reserve(3UL << 20));
	/* What was set stays, until the limit changes again. */
	barn_budget_set_budget(8UL << 20, 0);
	set_limit(test, 128UL << 20);
	KUNIT_EXPECT_TRUE(test, barn_budget_reserve(7UL << 20));
	group_end(test);
}

static void fixed_by_option(struct kunit *test, void *arg)
{
	const char *error;

	(void)arg;
	KUNIT_ASSERT_EQ(test, usermm_set_options("slab_cache_bytes=1M", &error), 0);
	limits_known_ms = 0;
	group_begin(test, "0::/job\n");
	group_write_number(test, JOB "/memory.current", 0);
	group_write_number(test, JOB "/memory.max", 256UL << 20);
	KUNIT_ASSERT_EQ(test, slab_init(), 0);
	set_limit(test, 640UL << 20);
	KUNIT_EXPECT_FALSE(test, barn_budget_reserve(2UL << 20));
	group_end(test);
}

static void test_barn_budget_follows(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, resized, NULL);
	CHILD_EXPECT_SUCCESS(test, fixed_by_option, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_barn_budget_follows),
	{ 0 },
};

static struct kunit_suite suite = { .name = "slab-barn_budget", .test_cases = cases };

kunit_test_suite(suite);
