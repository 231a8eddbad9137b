// SPDX-License-Identifier: MIT
#include <kunit/test.h>
#include <linux/module.h>

#include "name_table.h"

#define NR_NAMES 500

static void a_name_is_kept_once(struct kunit *test)
{
	struct name *first = name_get("first", GFP_KERNEL);
	struct name *again = name_get("first", GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_EXPECT_PTR_EQ(test, first, again);
	name_put(again);
	KUNIT_EXPECT_EQ(test, name_lookup("first"), (int)name_number(first));
	name_put(first);
	KUNIT_EXPECT_EQ(test, name_lookup("first"), -ENOENT);
}

static void names_have_numbers_of_their_own(struct kunit *test)
{
	struct name **held = kunit_kcalloc(test, NR_NAMES, sizeof(*held), GFP_KERNEL);
	char text[16];

	KUNIT_ASSERT_NOT_NULL(test, held);
	for (int i = 0; i < NR_NAMES; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		held[i] = name_get(text, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, held[i]);
		if (i)
			KUNIT_EXPECT_GT(test, name_number(held[i]), name_number(held[i - 1]));
	}
	for (int i = 0; i < NR_NAMES; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		KUNIT_EXPECT_EQ(test, name_lookup(text), (int)name_number(held[i]));
		name_put(held[i]);
	}
}

static int init_suite(struct kunit_suite *suite)
{
	return name_table_init();
}

static void exit_suite(struct kunit_suite *suite)
{
	name_table_exit();
}

static struct kunit_case name_table_cases[] = {
	KUNIT_CASE(a_name_is_kept_once),
	KUNIT_CASE(names_have_numbers_of_their_own),
	{}
};

static struct kunit_suite name_table_suite = {
	.name = "name_table",
	.suite_init = init_suite,
	.suite_exit = exit_suite,
	.test_cases = name_table_cases,
};
kunit_test_suite(name_table_suite);

MODULE_LICENSE("Dual MIT/GPL");
