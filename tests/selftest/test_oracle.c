/* SPDX-License-Identifier: MIT */
/* The oracle of the proofs notices each kind of mistake. */
#include "selftest/oracle.h"
#include "support/kernel.h"
#include "support/threads.h"

#define NR 200
#define THREADS 4

static struct oracle oracle;

static int reset(struct kunit *test)
{
	(void)test;
	oracle_reset(&oracle);
	return 0;
}

static void test_oracle_take_and_give(struct kunit *test)
{
	for (unsigned int i = 0; i < NR; i++)
		KUNIT_EXPECT_TRUE(test, oracle_take(&oracle, oracle_object(&oracle, i)));
	for (unsigned int i = 0; i < NR; i++)
		KUNIT_EXPECT_TRUE(test, oracle_give(&oracle, oracle_object(&oracle, i)));
	KUNIT_EXPECT_TRUE(test, oracle_take(&oracle, oracle_object(&oracle, 7)));
	KUNIT_EXPECT_EQ(test, oracle.duplicated, 0);
}

static void test_oracle_handed_out_twice(struct kunit *test)
{
	void *object = oracle_object(&oracle, 64);

	KUNIT_EXPECT_TRUE(test, oracle_take(&oracle, object));
	KUNIT_EXPECT_FALSE(test, oracle_take(&oracle, object));
	KUNIT_EXPECT_EQ(test, oracle.duplicated, 1);
	KUNIT_EXPECT_TRUE(test, oracle_give(&oracle, object));
	KUNIT_EXPECT_FALSE(test, oracle_give(&oracle, object));
	KUNIT_EXPECT_EQ(test, oracle.duplicated, 2);
}

static void test_oracle_foreign(struct kunit *test)
{
	char *object = oracle_object(&oracle, 3);

	KUNIT_EXPECT_FALSE(test, oracle_take(&oracle, NULL));
	KUNIT_EXPECT_FALSE(test, oracle_take(&oracle, object + 8));
	KUNIT_EXPECT_FALSE(test, oracle_take(&oracle, oracle.objects + ORACLE_OBJECTS));
	KUNIT_EXPECT_FALSE(test, oracle_see(&oracle, object + 1));
	KUNIT_EXPECT_EQ(test, oracle.duplicated, 4);
}

static void test_oracle_count(struct kunit *test)
{
	for (unsigned int i = 0; i < NR; i++)
		if (i != 5 && i != 64)
			KUNIT_EXPECT_TRUE(test, oracle_see(&oracle, oracle_object(&oracle, i)));
	KUNIT_EXPECT_EQ(test, oracle_lost(&oracle, 0, NR), 2);
	KUNIT_EXPECT_EQ(test, oracle_lost(&oracle, 6, NR - 6), 1);
	KUNIT_EXPECT_EQ(test, oracle.duplicated, 0);
	KUNIT_EXPECT_FALSE(test, oracle_see(&oracle, oracle_object(&oracle, 8)));
	KUNIT_EXPECT_EQ(test, oracle.duplicated, 1);
}

/*
 * All threads try to take all objects: each is granted to one thread, and every refusal is counted.
 */
static void want_all(struct test_thread *thread)
{
	unsigned long *granted = thread->arg;

	for (unsigned int i = 0; i < NR; i++)
		if (oracle_take(&oracle, oracle_object(&oracle, i)))
			__atomic_fetch_add(granted, 1, __ATOMIC_RELAXED);
}

static void test_oracle_threads(struct kunit *test)
{
	unsigned long granted = 0;

	test_threads_run(test, THREADS, want_all, &granted);
	KUNIT_EXPECT_EQ(test, granted, NR);
	KUNIT_EXPECT_EQ(test, oracle.duplicated, (THREADS - 1) * NR);
}

static struct kunit_case oracle_cases[] = {
	KUNIT_CASE(test_oracle_take_and_give),
	KUNIT_CASE(test_oracle_handed_out_twice),
	KUNIT_CASE(test_oracle_foreign),
	KUNIT_CASE(test_oracle_count),
	KUNIT_CASE(test_oracle_threads),
	{ 0 },
};

static struct kunit_suite oracle_suite = {
	.name = "selftest_oracle",
	.init = reset,
	.test_cases = oracle_cases,
};

kunit_test_suite(oracle_suite);
