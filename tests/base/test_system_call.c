/* SPDX-License-Identifier: MIT */
/* System calls by the library's own instruction: each argument arrives, and errno stays. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
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

/* mmap(2) uses all six: the second page of the file appears. */
static void test_system_call_six_arguments(struct kunit *test)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)system_call(SYS_memfd_create, "usermm_test", 0);
	const char *there;

	KUNIT_ASSERT_GE(test, fd, 0);
	KUNIT_ASSERT_EQ(test, system_call(SYS_pwrite64, fd, "text", 5, page), 5L);
	there = (const char *)system_call(SYS_mmap, NULL, page, PROT_READ, MAP_PRIVATE, fd, page);
	KUNIT_ASSERT_FALSE(test, (unsigned long)there >= -4096UL);
	KUNIT_EXPECT_STREQ(test, there, "text");
	KUNIT_EXPECT_EQ(test, system_call(SYS_munmap, there, page), 0L);
	close(fd);
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
