/* SPDX-License-Identifier: MIT */
/* The process's name and addresses in reports. */
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/memory.h"
#include "os/report/process.h"
#include "support/kernel.h"

static void test_os_describe_address(struct kunit *test)
{
	const void *address = (const void *)os_page_bytes;
	struct rlimit files, none;
	char text[300], number[32];

	os_describe_address(address, text, sizeof(text));
	KUNIT_EXPECT_EQ(test, text[0], '/');
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "+0x"));
	/* Without a file to read it is a number, and errno is the caller's. */
	KUNIT_ASSERT_EQ(test, getrlimit(RLIMIT_NOFILE, &files), 0);
	none = files;
	none.rlim_cur = 0;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_NOFILE, &none), 0);
	errno = 44;
	os_describe_address(address, text, sizeof(text));
	KUNIT_EXPECT_EQ(test, errno, 44);
	setrlimit(RLIMIT_NOFILE, &files);
	snprintf(number, sizeof(number), "%p", address);
	KUNIT_EXPECT_STREQ(test, text, number);
}

/* The text for this process. */
static void test_os_process(struct kunit *test)
{
	static const char *const own = "test_process";
	static struct process_facts facts;
	char path[OS_PROGRAM_PATH_BYTES], pid[16];
	struct stat running, named;
	char *last;

	errno = 44;
	process_facts_read(&facts);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	KUNIT_EXPECT_STREQ(test, facts.pid, pid);
	KUNIT_EXPECT_TRUE(test, *facts.command);
	KUNIT_ASSERT_TRUE(test, os_program_path(path));
	last = strrchr(path, '/');
	KUNIT_ASSERT_NOT_NULL(test, last);
	KUNIT_EXPECT_STREQ(test, last + 1, own);
	KUNIT_EXPECT_STREQ(test, facts.executable, path);
	KUNIT_EXPECT_EQ(test, stat(path, &named), 0);
	os_program_file(path);
	KUNIT_EXPECT_EQ(test, stat(path, &running), 0);
	KUNIT_EXPECT_EQ(test, running.st_ino, named.st_ino);
	KUNIT_EXPECT_GE(test, os_resident_bytes(), os_page_bytes());
	KUNIT_EXPECT_LE(test, facts.start_time_seconds, (unsigned long)time(NULL) + 1);
	KUNIT_EXPECT_GT(test, facts.start_time_seconds + 3600, (unsigned long)time(NULL));
	KUNIT_EXPECT_EQ(test, errno, 44);
}

static struct kunit_case process_cases[] = {
	KUNIT_CASE(test_os_describe_address),
	KUNIT_CASE(test_os_process),
	{ 0 },
};

static struct kunit_suite process_suite = { .name = "process", .test_cases = process_cases };

kunit_test_suite(process_suite);
