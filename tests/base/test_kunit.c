/* SPDX-License-Identifier: MIT */
/* The harness tests itself: a test that cannot fail proves nothing. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <kunit/test-bug.h>

#include "support/child.h"
#include "support/kernel.h"
#include "kunit/kunit_run.h"
#include "support/shadow.h"
#include "support/threads.h"

/* An inner suite whose results the outer one judges. */
static unsigned int inner_steps;

static void inner_passes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 1 + 1, 2);
	KUNIT_EXPECT_MEMEQ(test, "abc", "abc", 3);
	KUNIT_SUCCEED(test);
}

static void inner_expects(struct kunit *test)
{
	const char *name = "a";

	KUNIT_EXPECT_EQ_MSG(test, inner_steps + 40, 42, "told %d", 7);
	KUNIT_EXPECT_STREQ(test, "left", "right");
	KUNIT_EXPECT_MEMEQ(test, "abcd", "abXd", 4);
	KUNIT_EXPECT_TRUE(test, inner_steps > 5);
	KUNIT_EXPECT_FALSE_MSG(test, !inner_steps, "as told\n");
	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, ((char *)-12L));
	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, (void *)0);
	KUNIT_EXPECT_STREQ(test, name, "b");
	KUNIT_FAIL(test, "told %s", "alone");
	inner_steps++;
}

static void inner_asserts(struct kunit *test)
{
	KUNIT_ASSERT_NOT_NULL(test, NULL);
	inner_steps += 100;
}

static void inner_skips(struct kunit *test)
{
	kunit_skip(test, "no such %s", "thing");
	inner_steps += 100;
}

static int inner_params[] = { 1, 2, 3 };
KUNIT_ARRAY_PARAM(inner, inner_params, NULL);

static void inner_param(struct kunit *test)
{
	KUNIT_EXPECT_NE(test, *(const int *)test->param_value, 2);
}

static struct kunit_case inner_cases[] = {
	KUNIT_CASE(inner_passes),
	KUNIT_CASE(inner_expects),
	KUNIT_CASE(inner_asserts),
	KUNIT_CASE(inner_skips),
	KUNIT_CASE_PARAM(inner_param, inner_gen_params),
	{ 0 },
};

static struct kunit_suite inner_suite = { .name = "inner", .test_cases = inner_cases };

/* The report of the suite; freed with the case. */
static const char *report_of(struct kunit *test, struct kunit_suite *suite,
			     const char *filter, struct kunit_totals *totals)
{
	struct kunit_runner runner = { .filter = filter, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct kunit_suite *const suites[] = { suite };
	char *text = NULL;
	size_t size;

	runner.out = open_memstream(&text, &size);
	KUNIT_ASSERT_NOT_NULL(test, runner.out);
	kunit_run_suites(&runner, suites, 1);
	fclose(runner.out);
	kunit_add_action(test, free, text);
	*totals = runner.totals;
	return text;
}

static void expect_text(struct kunit *test, const char *report, const char *text)
{
	KUNIT_EXPECT_TRUE_MSG(test, strstr(report, text) != NULL, "no \"%s\" in:\n%s", text,
			      report);
}

static void test_kunit_reports_failures(struct kunit *test)
{
	struct kunit_totals totals;
	const char *report;

	inner_steps = 0;
	report = report_of(test, &inner_suite, NULL, &totals);
	KUNIT_EXPECT_EQ(test, totals.passed, 3);
	KUNIT_EXPECT_EQ(test, totals.failed, 3);
	KUNIT_EXPECT_EQ(test, totals.skipped, 1);
	KUNIT_EXPECT_EQ_MSG(test, inner_steps, 1, "EXPECT must go on, ASSERT and skip not");
	expect_text(test, report, "KTAP version 1\n1..1\n    KTAP version 1\n");
	expect_text(test, report, "    ok 1 inner_passes\n");
	expect_text(test, report, "EXPECTATION FAILED at ");
	expect_text(test, report, "Expected inner_steps + 40 == 42, but");
	expect_text(test, report, "inner_steps + 40 == 40 (0x28)");
	expect_text(test, report, "told 7");
	expect_text(test, report,
		    "    Expected \"left\" == \"right\", but\n    # inner_expects: EXP");
	expect_text(test, report, "        \"abcd\" ==\n         61  62 <63> 64 \n");
	expect_text(test, report, "    Expected inner_steps > 5 to be true, but is false\n");
	expect_text(test, report, "    Expected !inner_steps to be false, but is true\n\n"
		    "as told\n");
	expect_text(test, report, "    Expected ((char *)-12L) is not error, but is: -12\n");
	expect_text(test, report, "    Expected (void *)0 is not null, but is\n");
	expect_text(test, report, "    Expected name == \"b\", but\n        name == \"a\"\n    #");
	expect_text(test, report, "inner_expects: EXPECTATION FAILED at " __FILE__ ":");
	expect_text(test, report, "\ntold alone\n    not ok 2 inner_expects\n");
	expect_text(test, report, "    not ok 2 inner_expects\n");
	expect_text(test, report, "ASSERTION FAILED at ");
	expect_text(test, report, "    not ok 3 inner_asserts\n");
	expect_text(test, report, "    ok 4 inner_skips # SKIP no such thing\n");
	expect_text(test, report, "        not ok 2 param-2\n        ok 3 param-3\n"
		    "    # inner_param: pass:2 fail:1 skip:0 total:3\n");
	expect_text(test, report, "\n# inner: pass:1 fail:3 skip:1 total:5\n"
		    "# Totals: pass:3 fail:3 skip:1 total:7\nnot ok 1 inner\n");
}

static void test_kunit_filter(struct kunit *test)
{
	struct kunit_totals totals;

	report_of(test, &inner_suite, "inner.*passes", &totals);
	KUNIT_EXPECT_EQ(test, totals.passed, 1);
	KUNIT_EXPECT_EQ(test, totals.failed + totals.skipped, 0);
	report_of(test, &inner_suite, "inner_skips", &totals);
	KUNIT_EXPECT_EQ(test, totals.skipped, 1);
	report_of(test, &inner_suite, "outer", &totals);
	KUNIT_EXPECT_EQ(test, totals.passed + totals.failed + totals.skipped, 0);
}

static int inner_fails_init(struct kunit *test)
{
	(void)test;
	return -ENOMEM;
}

static void test_kunit_init_failure(struct kunit *test)
{
	static struct kunit_case cases[] = { KUNIT_CASE(inner_passes), { 0 } };
	struct kunit_suite suite = {
		.name = "inner", .init = inner_fails_init, .test_cases = cases,
	};
	struct kunit_totals totals;

	report_of(test, &suite, NULL, &totals);
	KUNIT_EXPECT_EQ(test, totals.passed, 0);
	KUNIT_EXPECT_EQ(test, totals.failed, 1);
}

static void inner_acts_not(struct kunit *test)
{
	KUNIT_FAIL(test, "must not run");
}

static const int squares[] = { 1, 4, 9 };
static unsigned int nr_left;

static void describe_square(struct kunit *test, const void *param, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s of %d", (char *)test->priv, *(const int *)param);
}

static int give_squares(struct kunit *test)
{
	test->priv = (void *)(uintptr_t)"root";
	kunit_register_params_array(test, squares, 3, describe_square);
	return 0;
}

static int give_nothing(struct kunit *test)
{
	(void)test;
	return -ENOMEM;
}

static void leave(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, (char *)test->priv, "root");
	nr_left++;
}

static void inner_square(struct kunit *test)
{
	int root = test->param_index, square = *(const int *)test->param_value;

	KUNIT_EXPECT_EQ(test, root * root, square);
	KUNIT_EXPECT_STREQ(test, (char *)test->parent->priv, "root");
}

/* Up to Linux 6.17 a generator has two arguments, and indices begin with 0. */
static const void *old_generator(const void *prev, char *desc)
{
	(void)desc;
	return !prev ? &squares[0] : prev == &squares[0] ? &squares[1] : NULL;
}

static void inner_of_old(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, test->param_value, (const void *)&squares[test->param_index]);
}

static const struct {
	int value;
	char name[8];
} named[] = { { 1, "one" }, { 2, "two" } };
KUNIT_ARRAY_PARAM_DESC(named, named, name);

static const void *no_params(struct kunit *test, const void *prev, char *desc)
{
	(void)test;
	(void)prev;
	(void)desc;
	return NULL;
}

static void test_kunit_params(struct kunit *test)
{
	static struct kunit_case cases[] = {
		KUNIT_CASE_PARAM_WITH_INIT(inner_square, kunit_array_gen_params, give_squares,
					   leave),
		KUNIT_CASE_PARAM(inner_of_old, old_generator),
		KUNIT_CASE_PARAM(inner_passes, named_gen_params),
		KUNIT_CASE_PARAM(inner_skips, no_params),
		KUNIT_CASE_PARAM_WITH_INIT(inner_acts_not, kunit_array_gen_params, give_nothing,
					   NULL),
		{ 0 },
	};
	struct kunit_suite suite = { .name = "inner", .test_cases = cases };
	struct kunit_totals totals;
	const char *report;

	nr_left = 0;
	report = report_of(test, &suite, NULL, &totals);
	KUNIT_EXPECT_EQ(test, nr_left, 1);
	expect_text(test, report, "        # Subtest: inner_square\n        1..3\n"
		    "        ok 1 root of 1\n        ok 2 root of 4\n        ok 3 root of 9\n");
	expect_text(test, report, "        ok 1 param-0\n        ok 2 param-1\n");
	expect_text(test, report, "        ok 1 one\n        ok 2 two\n");
	expect_text(test, report, "    ok 4 inner_skips # SKIP no parameters were generated\n");
	expect_text(test, report, "        # failed to initialize parent parameter test (-12)\n"
		    "    not ok 5 inner_acts_not\n");
	KUNIT_EXPECT_EQ(test, totals.passed, 7);
	KUNIT_EXPECT_EQ(test, totals.failed, 1);
}

static int skip_all(struct kunit_suite *suite)
{
	kunit_mark_skipped(suite, "not %s", "here");
	return 0;
}

/* A suite in which no case ran says so. */
static void test_kunit_skipped_suites(struct kunit *test)
{
	static struct kunit_case cases[] = { KUNIT_CASE(inner_skips), { 0 } };
	struct kunit_suite suite = { .name = "inner", .test_cases = cases };
	struct kunit_totals totals;
	const char *report = report_of(test, &suite, NULL, &totals);

	expect_text(test, report, "\nok 1 inner # SKIP all 1 cases were skipped\n");
	suite.suite_init = skip_all;
	report = report_of(test, &suite, NULL, &totals);
	KUNIT_EXPECT_STREQ(test, report, "KTAP version 1\n1..1\nok 1 inner # SKIP not here\n");
}

static void test_kunit_suppressed_warnings(struct kunit *test)
{
	struct kunit_suppressed_warning *first;

	KUNIT_EXPECT_FALSE(test, kunit_is_suppressed_warning(true));
	kunit_warning_suppress(test) {
		KUNIT_EXPECT_TRUE(test, kunit_is_suppressed_warning(true));
		KUNIT_EXPECT_TRUE(test, kunit_is_suppressed_warning(false));
		KUNIT_EXPECT_TRUE(test, kunit_is_suppressed_warning(true));
		KUNIT_EXPECT_SUPPRESSED_WARNING_COUNT(test, 2);
	}
	KUNIT_EXPECT_FALSE(test, kunit_has_active_suppress_warning());
	first = kunit_start_suppress_warning(test);
	kunit_is_suppressed_warning(true);
	kunit_end_suppress_warning(test, first);
	KUNIT_EXPECT_EQ(test, kunit_suppressed_warning_count(first), 1);
	first = kunit_start_suppress_warning(test);	/* ends with the case */
	KUNIT_EXPECT_EQ(test, kunit_suppressed_warning_count(first), 0);
}

static char action_order[4];

static void note_action(void *context)
{
	strncat(action_order, context, 1);
}

static void inner_acts(struct kunit *test)
{
	static struct kunit_resource resource;
	static int data;

	KUNIT_ASSERT_EQ(test, kunit_add_named_resource(test, NULL, NULL, &resource, "r", &data), 0);
	KUNIT_EXPECT_PTR_EQ(test, kunit_find_named_resource(test, "r")->data, (void *)&data);
	kunit_add_action(test, note_action, "a");
	kunit_add_action(test, note_action, "b");
	kunit_add_action(test, note_action, "c");
	kunit_remove_action(test, note_action, "b");
	KUNIT_ASSERT_TRUE(test, false);
}

static void test_kunit_actions(struct kunit *test)
{
	static struct kunit_case cases[] = { KUNIT_CASE(inner_acts), { 0 } };
	struct kunit_suite suite = { .name = "inner", .test_cases = cases };
	struct kunit_totals totals;

	action_order[0] = '\0';
	report_of(test, &suite, NULL, &totals);
	KUNIT_EXPECT_STREQ(test, action_order, "ca");
}

static void dies(struct kunit *test, void *arg)
{
	(void)test;
	fprintf(stderr, "told: %s at 0xabc\n", (char *)arg);
	abort();
}

static void succeeds(struct kunit *test, void *arg)
{
	KUNIT_EXPECT_NOT_NULL(test, arg);
	fprintf(stderr, "a word\n");
}

static void asserts_in_child(struct kunit *test, void *arg)
{
	KUNIT_ASSERT_NULL(test, arg);
}

static void inner_expects_wrong_death(struct kunit *test)
{
	CHILD_EXPECT_DEATH(test, dies, "bad", "told: good");
	CHILD_EXPECT_DEATH(test, succeeds, "x", "a word");
	CHILD_EXPECT_SUCCESS(test, dies, "bad");
	CHILD_EXPECT_SUCCESS(test, asserts_in_child, "x");
}

static void test_kunit_children(struct kunit *test)
{
	static struct kunit_case cases[] = { KUNIT_CASE(inner_expects_wrong_death), { 0 } };
	struct kunit_suite suite = { .name = "inner", .test_cases = cases };
	struct kunit_totals totals;
	const char *report, *failure;
	unsigned int nr = 0;

	CHILD_EXPECT_DEATH(test, dies, "bad", "told: bad", child_hex((void *)0xabc));
	CHILD_EXPECT_SUCCESS(test, succeeds, "x", "a word");
	report = report_of(test, &suite, NULL, &totals);
	KUNIT_EXPECT_EQ(test, totals.failed, 1);
	for (failure = report; (failure = strstr(failure, " FAILED at ")); failure++)
		nr++;
	KUNIT_EXPECT_EQ_MSG(test, nr, 5, "four in the case, one told by the child:\n%s",
			    report);
}

static void count_up(struct test_thread *thread)
{
	unsigned int *counts = thread->arg;

	counts[thread->index]++;
	KUNIT_EXPECT_PTR_EQ(thread->test, kunit_get_current_test(), thread->test);
	if (thread->index == 1)
		kunit_abort(thread->test);
	counts[thread->index]++;
}

static void test_kunit_threads(struct kunit *test)
{
	unsigned int counts[4] = { 0 };

	test_threads_run(test, 4, count_up, counts);
	KUNIT_EXPECT_EQ(test, counts[0], 2);
	KUNIT_EXPECT_EQ_MSG(test, counts[1], 1, "ASSERT must end the thread");
	KUNIT_EXPECT_EQ(test, counts[3], 2);
}

static void note_signal(void *context)
{
	++*(volatile unsigned int *)context;
}

static void test_kunit_storm(struct kunit *test)
{
	volatile unsigned int nr = 0;

	test_storm_start(test, 100, note_signal, (void *)&nr);
	/*
	 * The load is atomic, because ThreadSanitizer delivers signals there, but not everywhere.
	 */
	while (__atomic_load_n(&nr, __ATOMIC_RELAXED) < 10)
		;
	KUNIT_EXPECT_GE(test, test_storm_stop(), 10);
	nr = 0;
	usleep(10000);
	KUNIT_EXPECT_EQ(test, nr, 0);
}

static void test_shadow_finds_overlap(struct kunit *test)
{
	struct shadow shadow;
	char *base = (char *)0x7f0000001000UL;

	KUNIT_ASSERT_TRUE(test, shadow_init(&shadow, SHADOW_GRANULE_SHIFT, 100));
	KUNIT_EXPECT_EQ(test, shadow_claim(&shadow, base, 96), 0);
	KUNIT_EXPECT_EQ(test, shadow_claim(&shadow, base + 96, 8192), 0);
	KUNIT_EXPECT_EQ(test, shadow.nr_claimed, (96 + 8192) / 8);
	KUNIT_EXPECT_EQ(test, shadow_claim(&shadow, base - 16, 24), (unsigned long)base);
	KUNIT_EXPECT_EQ(test, shadow_release(&shadow, base + 96, 8192), 0);
	KUNIT_EXPECT_EQ(test, shadow_release(&shadow, base + 96, 8),
			(unsigned long)base + 96);
	KUNIT_EXPECT_EQ(test, shadow_claim(&shadow, base + 96, 8), 0);
	shadow_destroy(&shadow);
}

static void test_shadow_stamps(struct kunit *test)
{
	static const unsigned int sizes[] = { 1, 7, 8, 9, 15, 16, 17, 100 };
	unsigned char object[100];

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned int size = sizes[i];

		shadow_stamp(object, size, 42);
		KUNIT_EXPECT_TRUE(test, shadow_stamp_holds(object, size, 42));
		object[size - 1] ^= 0x10;
		KUNIT_EXPECT_FALSE(test, shadow_stamp_holds(object, size, 42));
	}
	memset(object, 5, sizeof(object));
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(object, 100, 5));
	object[99] = 4;
	KUNIT_EXPECT_FALSE(test, shadow_all_bytes(object, 100, 5));
}

static struct kunit_case kunit_cases[] = {
	KUNIT_CASE(test_kunit_reports_failures),
	KUNIT_CASE(test_kunit_filter),
	KUNIT_CASE(test_kunit_params),
	KUNIT_CASE(test_kunit_skipped_suites),
	KUNIT_CASE(test_kunit_suppressed_warnings),
	KUNIT_CASE(test_kunit_init_failure),
	KUNIT_CASE(test_kunit_actions),
	KUNIT_CASE(test_kunit_children),
	KUNIT_CASE(test_kunit_threads),
	KUNIT_CASE(test_kunit_storm),
	KUNIT_CASE(test_shadow_finds_overlap),
	KUNIT_CASE(test_shadow_stamps),
	{ 0 },
};

static struct kunit_suite kunit_suite = { .name = "kunit", .test_cases = kunit_cases };

kunit_test_suite(kunit_suite);
