/* SPDX-License-Identifier: MIT */
/* Which kernels' restartable sequences are not trusted. */
#include "percpu/rseq/known_bugs.h"
#include "support/kernel.h"

struct kernel {
	const char *machine, *release;
	bool bad;
};

static const struct kernel kernels[] = {
	{ "aarch64", "6.18.44", false },
	{ "aarch64", "6.19", true },
	{ "aarch64", "6.19.0-rc1", true },
	{ "aarch64", "6.19.7-arm64", true },
	{ "aarch64", "7.0", true },
	{ "aarch64", "7.0.9+deb14-cloud-arm64", true },
	{ "aarch64", "7.0.13", true },
	{ "aarch64", "7.0.14", false },
	{ "aarch64", "7.0.100", false },
	{ "aarch64", "7.1", false },
	{ "aarch64", "7.1.3+deb13-arm64", false },
	{ "aarch64", "7.1.7", false },
	{ "aarch64", "7.2", false },
	{ "aarch64", "10.0.1", false },
	{ "aarch64", "5.10.0-30-arm64", false },
	{ "x86_64", "6.19.3", false },
	{ "x86_64", "7.1.0", false },
	{ "riscv64", "6.19.3", false },
	{ "aarch64", "", false },
	{ "aarch64", "unknown", false },
};

static void describe_kernel(const struct kernel *kernel, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %s", kernel->machine, kernel->release);
}

KUNIT_ARRAY_PARAM(kernel, kernels, describe_kernel);

static void test_kernels_rseq_fault(struct kunit *test)
{
	const struct kernel *kernel = test->param_value;
	const char *fault = known_bugs_of_rseq(kernel->machine, kernel->release);

	KUNIT_EXPECT_EQ(test, fault != NULL, kernel->bad);
	if (!fault)
		return;
	/* One line says what happens instead, which kernels are sound, and how to overrule it. */
	KUNIT_EXPECT_NOT_NULL(test, strstr(fault, "locks"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(fault, "7.0.14"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(fault, "rseq=cpu_id"));
	KUNIT_EXPECT_NULL(test, strchr(fault, '\n'));
}

static struct kunit_case kernels_cases[] = {
	KUNIT_CASE_PARAM(test_kernels_rseq_fault, kernel_gen_params),
	{ 0 },
};

static struct kunit_suite kernels_suite = {
	.name = "percpu_kernels",
	.test_cases = kernels_cases,
};

kunit_test_suite(kernels_suite);
