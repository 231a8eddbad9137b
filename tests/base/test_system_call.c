/* SPDX-License-Identifier: MIT */
/* System calls by the library's own instruction: each argument arrives, and errno stays. */
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <unistd.h>

#include "base/system_call.h"
#include "support/kernel.h"

static void test_system_call_results(struct kunit *test)
{
	errno = 1234;
	KUNIT_EXPECT_EQ(test, system_call(SYS_getpid), (long)getpid());
	KUNIT_EXPECT_EQ(test, system_call(SYS_close, -1), (long)-EBADF);
	KUNIT_EXPECT_EQ(test, errno, 1234);
	KUNIT_EXPECT_EQ(test, system_call_set_errno(system_call(SYS_close, -1)), -1L);
	KUNIT_EXPECT_EQ(test, errno, EBADF);
}

/*
 * This operation of futex(2) takes six arguments on every processor, and refuses each wrong one
 * with an error. No thread waits at either of the two words.
 */
static void test_system_call_six_arguments(struct kunit *test)
{
	static uint32_t words[2] = { 5, 0 };
	const int requeue = FUTEX_CMP_REQUEUE_PRIVATE;
	uint32_t *to = &words[1], *odd = (uint32_t *)((char *)to + 1);

#define REQUEUE(...) system_call(SYS_futex, __VA_ARGS__)
	KUNIT_EXPECT_EQ(test, REQUEUE(words, requeue, 1, 2, to, 5), 0L);
	KUNIT_EXPECT_EQ(test, REQUEUE(to, requeue, 1, 2, words, 5), (long)-EAGAIN);
	KUNIT_EXPECT_EQ(test, REQUEUE(words, 127, 1, 2, to, 5), (long)-ENOSYS);
	KUNIT_EXPECT_EQ(test, REQUEUE(words, requeue, -1, 2, to, 5), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, REQUEUE(words, requeue, 1, -1, to, 5), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, REQUEUE(words, requeue, 1, 2, odd, 5), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, REQUEUE(words, requeue, 1, 2, to, 6), (long)-EAGAIN);
#undef REQUEUE
}

static struct kunit_case system_call_cases[] = {
	KUNIT_CASE(test_system_call_results),
	KUNIT_CASE(test_system_call_six_arguments),
	{ 0 },
};

static struct kunit_suite system_call_suite = {
	.name = "system_call",
	.test_cases = system_call_cases,
};

kunit_test_suite(system_call_suite);
