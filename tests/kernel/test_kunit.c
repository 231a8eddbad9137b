// SPDX-License-Identifier: MIT
/* A case's own messages, and those of checks that fail, use the kernel's formats. */
#include "kunit/kunit_run.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>

static char report[8192];

static void note_nothing(struct kunit *test)
{
	(void)test;
}

static void speak(struct kunit *test)
{
	static const u8 bytes[3] = { 1, 2, 0xab };

	kunit_info(test, "info %pe %ps\n", ERR_PTR(-ENOMEM), note_nothing);
	kunit_warn(test, "warn %3ph", bytes);
	kunit_err(test, "err %pS", note_nothing);
	kunit_log(KERN_INFO, test, "log %pI4", "\1\2\3\4");
	KUNIT_EXPECT_TRUE_MSG(test, false, "true %pe", ERR_PTR(-EINVAL));
	KUNIT_EXPECT_EQ_MSG(test, 1, 2, "equal %*phC", 3, bytes);
	KUNIT_EXPECT_PTR_EQ_MSG(test, bytes, NULL, "pointer %pe", ERR_PTR(-EBUSY));
	KUNIT_EXPECT_STREQ_MSG(test, "a", "b", "text %pe", ERR_PTR(-EPERM));
	KUNIT_EXPECT_MEMEQ_MSG(test, bytes, "\1\2\3", 3, "bytes %pe", ERR_PTR(-EIO));
	KUNIT_FAIL(test, "fail %pe", ERR_PTR(-ENODEV));
	KUNIT_ASSERT_NOT_NULL_MSG(test, NULL, "assert %pe", ERR_PTR(-ENOENT));
}

static void skip(struct kunit *test)
{
	kunit_skip(test, "skip %pe", ERR_PTR(-ENXIO));
}

static int begin(struct kunit_suite *suite)
{
	kunit_info(suite, "begin %pe\n", ERR_PTR(-EAGAIN));
	return 0;
}

static void end(struct kunit_suite *suite)
{
	kunit_warn(suite, "end\n");
	kunit_log(KERN_ERR, suite, "log");
}

static struct kunit_case inner_cases[] = { KUNIT_CASE(speak), KUNIT_CASE(skip), {} };
static struct kunit_suite inner_suite = {
	.name = "inner",
	.suite_init = begin,
	.suite_exit = end,
	.test_cases = inner_cases,
};

static void run_inner_suite(struct kunit *test)
{
	struct kunit_runner runner = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct kunit_suite *const suites[] = { &inner_suite };

	runner.out = fmemopen(report, sizeof(report), "w");
	KUNIT_ASSERT_NOT_NULL(test, runner.out);
	kunit_run_suites(&runner, suites, 1);
	fclose(runner.out);
}

static void test_kernel_formats(struct kunit *test)
{
	static const char *const texts[] = {
		"# speak: info -ENOMEM note_nothing\n", "# speak: warn 01 02 ab\n",
		"# speak: err note_nothing+0x0/", "# speak: log 1.2.3.4\n", "true -EINVAL\n",
		"equal 01:02:ab\n", "pointer -EBUSY\n", "text -EPERM\n", "bytes -EIO\n",
		"# inner: begin -EAGAIN\n", "# inner: end\n", "# inner: log\n",
		"fail -ENODEV\n", "assert -ENOENT\n", "ok 2 skip # SKIP skip -ENXIO\n",
	};

	run_inner_suite(test);
	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(report, texts[i]), "no \"%s\" in:\n%s",
					  texts[i], report);
}

static struct kunit_case kunit_cases[] = {
	KUNIT_CASE(test_kernel_formats),
	{}
};

static struct kunit_suite kunit_suite = {
	.name = "kunit_formats",
	.test_cases = kunit_cases,
};

kunit_test_suite(kunit_suite);
