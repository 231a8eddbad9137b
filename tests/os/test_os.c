/* SPDX-License-Identifier: MIT */
/* The contract with the operating system, as os/os.h writes it down. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/os.h"
#include "os/report/process.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/shadow.h"
#include "support/threads.h"

/* Can the kernel read a byte there? Asked without touching it. */
static bool readable(const void *addr)
{
	int fds[2], saved_errno = errno;
	bool ok;

	if (pipe(fds))
		return false;
	ok = write(fds[1], addr, 1) == 1;
	close(fds[0]);
	close(fds[1]);
	errno = saved_errno;
	return ok;
}

static void test_os_page_bytes(struct kunit *test)
{
	size_t bytes = os_page_bytes();

	KUNIT_EXPECT_EQ(test, bytes, (size_t)sysconf(_SC_PAGESIZE));
	KUNIT_EXPECT_GE(test, bytes, 4096);
	KUNIT_EXPECT_EQ(test, bytes & (bytes - 1), 0);
}

static void test_os_reserve_and_commit(struct kunit *test)
{
	size_t page = os_page_bytes(), bytes = 64 * MIB;
	char *addr = NULL;

	errno = 55;
	KUNIT_ASSERT_EQ(test, os_reserve(bytes, 4 * MIB, (void **)&addr), 0);
	KUNIT_ASSERT_NOT_NULL(test, addr);
	KUNIT_EXPECT_EQ(test, (unsigned long)addr % (4 * MIB), 0);
	KUNIT_EXPECT_FALSE(test, readable(addr));
	KUNIT_EXPECT_FALSE(test, readable(addr + bytes - 1));
	KUNIT_EXPECT_EQ(test, os_commit(addr + MIB, 2 * MIB), 0);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(addr + MIB, 2 * MIB, 0));
	memset(addr + MIB, 0xff, 2 * MIB);
	KUNIT_EXPECT_FALSE(test, readable(addr + MIB - 1));
	KUNIT_EXPECT_FALSE(test, readable(addr + 3 * MIB));
	KUNIT_EXPECT_EQ(test, os_discard(addr + MIB, page), 0);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(addr + MIB, page, 0));
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(addr + MIB + page, page, 0xff));
	KUNIT_EXPECT_EQ(test, os_unmap(addr, bytes), 0);
	KUNIT_EXPECT_EQ_MSG(test, errno, 55, "errno is the caller's");
}

static void test_os_map(struct kunit *test)
{
	static const size_t aligns[] = { 4096, 65536, 1UL << 20, 1UL << 24, 1UL << 30 };

	for (unsigned int i = 0; i < ARRAY_SIZE(aligns); i++)
		for (unsigned int lazily = 0; lazily < 2; lazily++) {
			size_t bytes = 3 * MIB;
			char *addr = NULL;
			int error = lazily ? os_map_lazily(bytes, aligns[i], (void **)&addr) :
				    os_map(bytes, aligns[i], (void **)&addr);

			KUNIT_ASSERT_EQ(test, error, 0);
			KUNIT_EXPECT_EQ(test, (unsigned long)addr % aligns[i], 0);
			KUNIT_EXPECT_TRUE(test, shadow_all_bytes(addr, bytes, 0));
			memset(addr, 1, bytes);
			/* The parts cut off for the alignment are gone. */
			KUNIT_EXPECT_EQ(test, os_unmap(addr, bytes), 0);
			KUNIT_EXPECT_FALSE(test, readable(addr));
		}
}

static void test_os_remap(struct kunit *test)
{
	char *addr = NULL, *moved = NULL;

	KUNIT_ASSERT_EQ(test, os_map(MIB, os_page_bytes(), (void **)&addr), 0);
	memset(addr, 0x21, MIB);
	KUNIT_ASSERT_EQ(test, os_remap(addr, MIB, 8 * MIB, (void **)&moved), 0);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(moved, MIB, 0x21));
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(moved + MIB, 7 * MIB, 0));
	KUNIT_ASSERT_EQ(test, os_remap(moved, 8 * MIB, MIB / 2, (void **)&addr), 0);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(addr, MIB / 2, 0x21));
	KUNIT_EXPECT_EQ(test, os_unmap(addr, MIB / 2), 0);
}

static void test_os_remap_in_place(struct kunit *test)
{
	unsigned char *addr;

	/* Behind a part is the rest. */
	KUNIT_ASSERT_EQ(test, os_map(8 * MIB, MIB, (void **)&addr), 0);
	addr[0] = 7;
	addr[4 * MIB] = 8;
	errno = 77;
	KUNIT_EXPECT_NE(test, os_remap_in_place(addr, MIB, 2 * MIB), 0);
	KUNIT_EXPECT_EQ(test, addr[4 * MIB], 8);
	KUNIT_ASSERT_EQ(test, os_remap_in_place(addr, 8 * MIB, MIB), 0);
	KUNIT_ASSERT_EQ(test, os_remap_in_place(addr, MIB, 8 * MIB), 0);
	KUNIT_EXPECT_EQ(test, addr[0], 7);
	KUNIT_EXPECT_EQ(test, addr[4 * MIB], 0);
	KUNIT_EXPECT_EQ(test, errno, 77);
	KUNIT_EXPECT_EQ(test, os_unmap(addr, 8 * MIB), 0);
}

/* What cannot be had is an error, and *addr and errno stay as they were. */
static void test_os_failures(struct kunit *test)
{
	char *addr = NULL;
	void *untouched = &addr;

	errno = 66;
	KUNIT_EXPECT_EQ(test, os_reserve(1UL << 62, 4096, &untouched), -ENOMEM);
	KUNIT_EXPECT_EQ(test, os_map(1UL << 62, 4096, &untouched), -ENOMEM);
	KUNIT_EXPECT_EQ(test, os_map_lazily(1UL << 62, 4096, &untouched), -ENOMEM);
	KUNIT_ASSERT_EQ(test, os_map(MIB, os_page_bytes(), (void **)&addr), 0);
	KUNIT_EXPECT_LT(test, os_remap(addr, MIB, 1UL << 62, &untouched), 0);
	memset(addr, 1, MIB);
	KUNIT_EXPECT_EQ(test, os_unmap(addr, MIB), 0);
	KUNIT_EXPECT_LT(test, os_unmap(addr + 1, 4096), 0);
	KUNIT_EXPECT_LT(test, os_commit(addr, MIB), 0);
	KUNIT_EXPECT_EQ(test, errno, 66);
}

static void test_os_machine(struct kunit *test)
{
	struct os_limit limit = { 0 };

	KUNIT_EXPECT_GE(test, os_possible_cpus(), test_nr_cpus());
	KUNIT_EXPECT_LT(test, os_current_cpu(), os_possible_cpus());
	KUNIT_EXPECT_NE(test, os_nodes_with_memory(), 0);
	KUNIT_EXPECT_GT(test, os_memory_bytes(), 64 * MIB);
	os_memory_limit(&limit);
	KUNIT_EXPECT_LE(test, limit.bytes, os_memory_bytes());
	KUNIT_ASSERT_NOT_NULL(test, limit.source);
	KUNIT_EXPECT_GT(test, strlen(limit.source), 2);
	KUNIT_EXPECT_NE(test, os_random(), os_random());
}

static void limit_resources(struct kunit *test, void *arg)
{
	struct rlimit space = { 777 * MIB, RLIM_INFINITY }, data = { 333 * MIB, RLIM_INFINITY };
	struct os_limit limit;

	(void)arg;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &space), 0);
	KUNIT_EXPECT_EQ(test, os_address_space_limit(), 777 * MIB);
	os_memory_limit(&limit);
	KUNIT_EXPECT_LE(test, limit.bytes, 777 * MIB);
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_DATA, &data), 0);
	os_memory_limit(&limit);
	KUNIT_EXPECT_LE(test, limit.bytes, 333 * MIB);
	if (limit.bytes == 333 * MIB)
		KUNIT_EXPECT_STREQ(test, limit.source, "RLIMIT_DATA");
}

static void test_os_resource_limits(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, limit_resources, NULL);
}

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

static void test_os_environment(struct kunit *test)
{
	char value[32];

	setenv("USERMM_TEST_VALUE", "some:thing=1", 1);
	setenv("USERMM_TEST_VALUE_LONGER", "other", 1);
	KUNIT_EXPECT_EQ(test, os_environment("USERMM_TEST_VALUE", value, sizeof(value)), 12);
	KUNIT_EXPECT_STREQ(test, value, "some:thing=1");
	KUNIT_EXPECT_LT(test, os_environment("USERMM_TEST", value, sizeof(value)), 0);
	KUNIT_EXPECT_LT(test, os_environment("USERMM_TEST_ABSENT", value, sizeof(value)), 0);
	/* It needs 13 bytes; with fewer it says how long it is. */
	KUNIT_EXPECT_EQ(test, os_environment("USERMM_TEST_VALUE", value, 12), 12);
	KUNIT_EXPECT_LT(test, strlen(value), 12);
	KUNIT_EXPECT_EQ(test, os_environment("USERMM_TEST_VALUE", value, 13), 12);
	KUNIT_EXPECT_STREQ(test, value, "some:thing=1");
	setenv("USERMM_TEST_VALUE", "", 1);
	KUNIT_EXPECT_EQ(test, os_environment("USERMM_TEST_VALUE", value, sizeof(value)), 0);
	KUNIT_EXPECT_STREQ(test, value, "");
}

static void test_os_describe_address(struct kunit *test)
{
	const void *address = (const void *)test_os_page_bytes;
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

/* What it says of this process. */
static void test_os_process(struct kunit *test)
{
	static const char *const own = "test_os";
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

/* A pipe has no other process's open file: fork children have the same. */
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

static struct kunit_case os_cases[] = {
	KUNIT_CASE(test_os_page_bytes),
	KUNIT_CASE(test_os_reserve_and_commit),
	KUNIT_CASE(test_os_map),
	KUNIT_CASE(test_os_remap),
	KUNIT_CASE(test_os_remap_in_place),
	KUNIT_CASE(test_os_failures),
	KUNIT_CASE(test_os_machine),
	KUNIT_CASE(test_os_resource_limits),
	KUNIT_CASE(test_os_read_file),
	KUNIT_CASE(test_os_environment),
	KUNIT_CASE(test_os_describe_address),
	KUNIT_CASE(test_os_process),
	KUNIT_CASE(test_os_lock_file),
	{ 0 },
};

static struct kunit_suite os_suite = { .name = "os", .test_cases = os_cases };

kunit_test_suite(os_suite);
