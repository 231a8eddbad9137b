// SPDX-License-Identifier: MIT
/*
 * When something should fail: calls with random attributes against a model of the rules. The
 * same source is run with lib/fault-inject.c of the kernel and without it.
 */
#include <kunit/test.h>
#include <linux/fault-inject.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched.h>

enum { ROUNDS = 2000, CALLS = 60 };

/* Where /proc/self/make-it-fail and fail-nth would be written to. */
static void set_make_it_fail(bool may_fail)
{
	current->make_it_fail = may_fail;
	usermm_make_it_fail(may_fail);
}

static void set_fail_nth(unsigned int nth)
{
	current->fail_nth = nth;
	usermm_fail_nth(nth);
}

static bool model(struct fault_attr *attr, ssize_t size, bool chosen)
{
	if (!attr->probability || (attr->task_filter && !chosen) || !atomic_read(&attr->times))
		return false;
	if (atomic_read(&attr->space) > size) {
		atomic_sub((int)size, &attr->space);
		return false;
	}
	if (attr->interval > 1 && ++attr->count % attr->interval)
		return false;
	if (atomic_read(&attr->times) > 0)
		atomic_dec(&attr->times);
	return true;
}

static void random_attributes(struct kunit *test)
{
	unsigned int nr_failed = 0;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct fault_attr attr = FAULT_ATTR_INITIALIZER, expected;
		bool chosen = get_random_u32() % 2;

		attr.probability = get_random_u32() % 4 ? 100 : 0;
		attr.interval = get_random_u32() % 5;
		atomic_set(&attr.times, (int)(get_random_u32() % 12) - 1);
		atomic_set(&attr.space, (int)(get_random_u32() % 500));
		attr.task_filter = get_random_u32() % 2;
		attr.verbose = 0;
		expected = attr;
		set_make_it_fail(chosen);
		for (unsigned int call = 0; call < CALLS; call++) {
			ssize_t size = (ssize_t)(get_random_u32() % 40);
			bool fails = should_fail(&attr, size);

			KUNIT_ASSERT_EQ(test, fails, model(&expected, size, chosen));
			KUNIT_ASSERT_EQ(test, atomic_read(&attr.times),
					atomic_read(&expected.times));
			KUNIT_ASSERT_EQ(test, atomic_read(&attr.space),
					atomic_read(&expected.space));
			KUNIT_ASSERT_EQ(test, attr.count, expected.count);
			nr_failed += fails;
		}
	}
	set_make_it_fail(false);
	KUNIT_EXPECT_GT(test, nr_failed, (unsigned int)ROUNDS);
}

/* Percents: six standard deviations and more on both sides. */
static void probability(struct kunit *test)
{
	static const unsigned int percents[] = { 1, 30, 99 };

	for (unsigned int i = 0; i < ARRAY_SIZE(percents); i++) {
		struct fault_attr attr = FAULT_ATTR_INITIALIZER;
		unsigned int nr = 0, expected = percents[i] * 500;

		attr.probability = percents[i];
		attr.verbose = 0;
		atomic_set(&attr.times, -1);
		for (unsigned int call = 0; call < 50000; call++)
			nr += should_fail(&attr, 1);
		KUNIT_EXPECT_GT(test, nr, expected * 70 / 100);
		KUNIT_EXPECT_LT(test, nr, expected * 130 / 100);
	}
}

/* The nth request fails whatever the attributes say, once. */
static void nth(struct kunit *test)
{
	for (unsigned int n = 1; n < 20; n++) {
		struct fault_attr attr = FAULT_ATTR_INITIALIZER;

		attr.verbose = 0;
		atomic_set(&attr.times, 0);
		set_fail_nth(n);
		for (unsigned int call = 1; call < 40; call++)
			KUNIT_EXPECT_EQ(test, should_fail(&attr, 1), call == n);
	}
	set_fail_nth(0);
}

static void boot_option(struct kunit *test)
{
	struct fault_attr attr = FAULT_ATTR_INITIALIZER;
	char whole[] = "7,20,300,-1", part[] = "1,2", none[] = "often";

	KUNIT_EXPECT_EQ(test, setup_fault_attr(&attr, whole), 1);
	KUNIT_EXPECT_EQ(test, attr.interval, 7UL);
	KUNIT_EXPECT_EQ(test, attr.probability, 20UL);
	KUNIT_EXPECT_EQ(test, atomic_read(&attr.space), 300);
	KUNIT_EXPECT_EQ(test, atomic_read(&attr.times), -1);
	KUNIT_EXPECT_EQ(test, setup_fault_attr(&attr, part), 0);
	KUNIT_EXPECT_EQ(test, setup_fault_attr(&attr, none), 0);
	KUNIT_EXPECT_EQ(test, attr.interval, 7UL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(random_attributes),
	KUNIT_CASE(probability),
	KUNIT_CASE(nth),
	KUNIT_CASE(boot_option),
	{}
};

/* The first call seeds the random numbers of Linux 7.3. */
static int seed(struct kunit_suite *suite)
{
	struct fault_attr attr = FAULT_ATTR_INITIALIZER;
	char text[] = "1,1,0,1";

	return setup_fault_attr(&attr, text) ? 0 : -EINVAL;
}

static struct kunit_suite suite = {
	.name = "client_fault", .suite_init = seed, .test_cases = cases,
};
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
