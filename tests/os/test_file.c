/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/system/take_number.h"

static void test_os_read_file(struct kunit *test)
{
	char path[] = "/tmp/usermm-test-XXXXXX", text[100];
	int fd = mkstemp(path);

	KUNIT_ASSERT_GE(test, fd, 0);
	KUNIT_ASSERT_EQ(test, write(fd, "0123456789", 10), 10);
	close(fd);
	errno = 44;
	memset(text, '!', sizeof(text));
	KUNIT_EXPECT_EQ(test, os_read_file(path, text, sizeof(text)), 10);
	KUNIT_EXPECT_STREQ(test, text, "0123456789");
	memset(text, '!', sizeof(text));
	KUNIT_EXPECT_EQ(test, os_read_file(path, text, 5), 4);
	KUNIT_EXPECT_STREQ(test, text, "0123");
	KUNIT_EXPECT_EQ(test, text[5], '!');
	unlink(path);
	errno = 44;
	KUNIT_EXPECT_EQ(test, os_read_file(path, text, sizeof(text)), -ENOENT);
	KUNIT_EXPECT_EQ(test, os_read_file("/tmp", text, sizeof(text)), -EISDIR);
	KUNIT_EXPECT_EQ(test, errno, 44);
}

/*
 * Another thread has closed the file, and now has its own file under the number: that file stays
 * open.
 */
static void number_is_taken(struct kunit *test, void *arg)
{
	char text[100];

	(void)arg;
	if (!take_number_begin())
		return;
	KUNIT_EXPECT_EQ(test, os_read_file("/proc/self/stat", text, sizeof(text)), -EBADF);
	KUNIT_EXPECT_TRUE(test, take_number_is_unharmed());
	KUNIT_EXPECT_GT(test, os_read_file("/proc/self/stat", text, sizeof(text)), 10);
}

static void test_os_number_is_taken(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, number_is_taken, NULL);
}

/* Opening a pipe does not wait for a writer. */
static void test_os_read_pipe(struct kunit *test)
{
	char folder[] = "/tmp/usermm-test-XXXXXX", path[64], text[100];

	KUNIT_ASSERT_NOT_NULL(test, mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/pipe", folder);
	KUNIT_ASSERT_EQ(test, mkfifo(path, 0600), 0);
	KUNIT_EXPECT_LE(test, os_read_file(path, text, sizeof(text)), 0);
	unlink(path);
	rmdir(folder);
}

static void lock_in_child(struct kunit *test, void *arg)
{
	int fd = *(int *)arg;

	KUNIT_EXPECT_FALSE(test, os_lock_file(fd, 20));
}

static void lock_after_parent(struct kunit *test, void *arg)
{
	int fd = *(int *)arg;

	KUNIT_EXPECT_TRUE(test, os_lock_file(fd, 0));
}

/* Is the pipe's open file the process's own? Children of fork() share it. */
static void test_os_lock_file(struct kunit *test)
{
	int fds[2];

	KUNIT_ASSERT_EQ(test, pipe(fds), 0);
	KUNIT_EXPECT_TRUE(test, os_lock_file(fds[1], 0));
	CHILD_EXPECT_SUCCESS(test, lock_in_child, &fds[1]);
	os_unlock_file(fds[1]);
	CHILD_EXPECT_SUCCESS(test, lock_after_parent, &fds[1]);
	KUNIT_EXPECT_EQ(test, os_file_size(fds[1]), -1);
	close(fds[0]);
	close(fds[1]);
	errno = 44;
	KUNIT_EXPECT_FALSE(test, os_lock_file(-1, 1000));
	KUNIT_EXPECT_EQ(test, errno, 44);
}

static struct kunit_case file_cases[] = {
	KUNIT_CASE(test_os_read_file),
	KUNIT_CASE(test_os_number_is_taken),
	KUNIT_CASE(test_os_read_pipe),
	KUNIT_CASE(test_os_lock_file),
	{ 0 },
};

static struct kunit_suite file_suite = { .name = "file", .test_cases = file_cases };

kunit_test_suite(file_suite);
