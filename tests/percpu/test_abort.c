/* SPDX-License-Identifier: MIT */
/*
 * Every primitive, interrupted at every one of its instructions: the proofs of
 * `usermm selftest percpu` but for the storm, in every flavour of the build.
 */
#include "selftest/boundaries.h"
#include "selftest/late.h"
#include "selftest/scene.h"
#include "selftest/stepping.h"
#include "support/kernel.h"
#include "support/sequences.h"

static void describe_primitive(const struct primitive *primitive, char *desc)
{
	strcpy(desc, primitive->name);
}

KUNIT_ARRAY_PARAM(primitive, primitives, describe_primitive);

static struct boundaries boundaries;

static void find(struct kunit *test)
{
	const char *problem = boundaries_find(&boundaries, test->param_value);

	KUNIT_ASSERT_NULL_MSG(test, problem, "%s", problem);
	KUNIT_EXPECT_GE(test, boundaries.nr, 10);
}

static void test_abort_at_each_instruction(struct kunit *test)
{
	struct boundaries_proof proof;

	find(test);
	boundaries_prove(&boundaries, &proof);
	KUNIT_EXPECT_STREQ(test, proof.failure, "");
	KUNIT_EXPECT_EQ(test, proof.forced, boundaries.nr);
	KUNIT_EXPECT_GE(test, proof.aborts, proof.cases);
	KUNIT_EXPECT_EQ(test, proof.lost + proof.duplicated, 0);
	kunit_info(test, "%u instructions, %lu cases", proof.forced, proof.cases);
}

static void test_abort_without_end(struct kunit *test)
{
	struct boundaries_proof proof = { 0 };

	if (!STEPPING_SINGLE)
		kunit_skip(test, "a program cannot step itself here");
	boundaries_prove_end(test->param_value, &proof);
	KUNIT_EXPECT_STREQ(test, proof.failure, "");
	KUNIT_EXPECT_GT(test, proof.steps, PERCPU_MAX_ABORTS);
}

static void expect_late(struct kunit *test, const struct late_proof *proof)
{
	if (*proof->skipped)
		kunit_skip(test, "%s", proof->skipped);
	KUNIT_EXPECT_STREQ(test, proof->failure, "");
	KUNIT_EXPECT_GT(test, proof->cases, 0);
	KUNIT_EXPECT_EQ(test, proof->lost + proof->duplicated, 0);
}

static void test_abort_preempted(struct kunit *test)
{
	struct late_proof proof = { 0 };

	find(test);
	late_prove_preempted(&boundaries, &proof);
	expect_late(test, &proof);
	KUNIT_EXPECT_GE(test, proof.aborts, proof.cases);
	/* In at least some cases the other thread used the same slot, as it must. */
	KUNIT_EXPECT_LT(test, proof.elsewhere, proof.cases);
}

static void test_abort_page_fault(struct kunit *test)
{
	struct late_proof proof = { 0 };

	late_prove_fault(test->param_value, &proof);
	expect_late(test, &proof);
}

static int start(struct kunit_suite *suite)
{
	(void)suite;
	return scene_begin() ? 0 : -1;
}

static int need_sequences(struct kunit *test)
{
	test_need_stepping(test);
	return 0;
}

static struct kunit_case abort_cases[] = {
	KUNIT_CASE_PARAM(test_abort_at_each_instruction, primitive_gen_params),
	KUNIT_CASE_PARAM(test_abort_without_end, primitive_gen_params),
	KUNIT_CASE_PARAM(test_abort_preempted, primitive_gen_params),
	KUNIT_CASE_PARAM(test_abort_page_fault, primitive_gen_params),
	{ 0 },
};

static struct kunit_suite abort_suite = {
	.name = "percpu_abort",
	.suite_init = start,
	.init = need_sequences,
	.test_cases = abort_cases,
};

kunit_test_suite(abort_suite);
