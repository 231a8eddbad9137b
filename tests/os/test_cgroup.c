/* SPDX-License-Identifier: MIT */
/*
 * Reading the files of memory cgroups, which are made up here: limits and room at all levels,
 * unusable files, and a process that changes its cgroup.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/machine/cgroup.h"
#include "os/os.h"
#include "support/child.h"
#include "support/system/group.h"
#include "support/kernel.h"
#include "support/system/take_number.h"

#define JOB GROUP_V2 "/job"

static uint64_t read_limit(struct kunit *test, const char *source)
{
	struct os_limit limit = { UINT64_MAX, "none" };

	os_cgroup_take_limit(&limit, true);
	KUNIT_EXPECT_STREQ(test, limit.source, source);
	return limit.bytes;
}

static void expect_room(struct kunit *test, uint64_t bytes, uint64_t limit)
{
	struct os_cgroup_room room;

	os_cgroup_read_room(0, &room);
	KUNIT_EXPECT_EQ(test, room.bytes, bytes);
	KUNIT_EXPECT_EQ(test, room.limit, limit);
}

static void no_groups(struct kunit *test, void *arg)
{
	group_begin(test, arg);
	KUNIT_EXPECT_EQ(test, read_limit(test, "none"), UINT64_MAX);
	expect_room(test, UINT64_MAX, UINT64_MAX);
	KUNIT_EXPECT_NULL(test, os_cgroup_complaint());
	group_end(test);
}

/* The level with least room counts, not the one with the lowest limit. */
static void levels(struct kunit *test, void *arg)
{
	(void)arg;
	group_begin(test, "0::/a/job\n");
	group_write(test, GROUP_V2 "/a/job/memory.max", "max\n");
	group_write(test, GROUP_V2 "/a/job/memory.high", "max\n");
	group_write_number(test, GROUP_V2 "/a/job/memory.current", 90 * MIB);
	group_write_number(test, GROUP_V2 "/a/memory.max", 100 * MIB);
	group_write_number(test, GROUP_V2 "/a/memory.current", 40 * MIB);
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 100 * MIB);
	expect_room(test, 60 * MIB, 100 * MIB);

	group_write_number(test, GROUP_V2 "/a/job/memory.max", 120 * MIB);
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 100 * MIB);
	expect_room(test, 30 * MIB, 120 * MIB);
	/* memory.high restricts the room, and is no limit. */
	group_write_number(test, GROUP_V2 "/a/memory.high", 64 * MIB);
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 100 * MIB);
	expect_room(test, 24 * MIB, 64 * MIB);
	/* More is used than the limit allows: it has just been lowered. */
	group_write_number(test, GROUP_V2 "/a/memory.max", 30 * MIB);
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 30 * MIB);
	expect_room(test, 0, 30 * MIB);
	group_end(test);
}

/* Cached files that nobody uses make room where it is short. */
static void cached_files(struct kunit *test, void *arg)
{
	(void)arg;
	group_begin(test, "0::/job\n");
	group_write_number(test, JOB "/memory.max", 80 * MIB);
	group_write_number(test, JOB "/memory.current", 79 * MIB);
	group_write(test, JOB "/memory.stat", "anon 100\nfile 20971520\ninactive_anon 5\n"
		    "active_file 7\ninactive_file 16777216\n");
	read_limit(test, "memory cgroup v2");
	expect_room(test, 17 * MIB, 80 * MIB);
	group_write_number(test, JOB "/memory.current", 10 * MIB);
	expect_room(test, 70 * MIB, 80 * MIB);
	group_end(test);
}

static void version_1(struct kunit *test, void *arg)
{
	(void)arg;
	group_begin(test, "4:cpu,memory:/docker/1\n3:memory2:/other\n0::/\n");
	group_write(test, GROUP_V1 "/memory.limit_in_bytes", "67108864\n");
	group_write(test, GROUP_V1 "/memory.usage_in_bytes", "66060288\n");
	group_write(test, GROUP_V1 "/memory.stat", "inactive_file 1\n"
		    "total_inactive_file 2097152\n");
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v1"), 64 * MIB);
	expect_room(test, 3 * MIB, 64 * MIB);
	group_write(test, GROUP_V1 "/memory.limit_in_bytes", "9223372036854771712\n");
	KUNIT_EXPECT_EQ(test, read_limit(test, "none"), UINT64_MAX);
	expect_room(test, UINT64_MAX, UINT64_MAX);
	group_end(test);
}

static void test_cgroup_limits(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, no_groups, "");
	CHILD_EXPECT_SUCCESS(test, no_groups, "0::/job\n");
	CHILD_EXPECT_SUCCESS(test, no_groups, "4:memory:/x\n");
	CHILD_EXPECT_SUCCESS(test, levels, NULL);
	CHILD_EXPECT_SUCCESS(test, cached_files, NULL);
	CHILD_EXPECT_SUCCESS(test, version_1, NULL);
}

/* --- Files that cannot be used ------------------------------------------------------------ */

struct bad {
	const char *file, *text, *why;
};

/* The limit that was known stays in force, and one line says why. */
static void bad_file(struct kunit *test, void *arg)
{
	const struct bad *bad = arg;
	const char *complaint;
	uint64_t limit;

	group_begin(test, "0::/job\n");
	group_write_number(test, JOB "/memory.max", 80 * MIB);
	group_write_number(test, JOB "/memory.current", 20 * MIB);
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 80 * MIB);
	expect_room(test, 60 * MIB, 80 * MIB);
	KUNIT_EXPECT_NULL(test, os_cgroup_complaint());

	group_write(test, bad->file, bad->text);
	limit = read_limit(test, "memory cgroup v2");
	KUNIT_EXPECT_EQ(test, limit, 80 * MIB);
	if (strstr(bad->file, "current"))
		expect_room(test, UINT64_MAX, UINT64_MAX);
	else
		expect_room(test, 60 * MIB, 80 * MIB);
	complaint = os_cgroup_complaint();
	KUNIT_ASSERT_NOT_NULL_MSG(test, complaint, "%s", bad->text);
	KUNIT_EXPECT_NOT_NULL(test, strstr(complaint, bad->file));
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(complaint, bad->why), "%s", complaint);
	KUNIT_EXPECT_NULL(test, strchr(complaint, '\n'));
	group_end(test);
}

static void test_cgroup_bad_files(struct kunit *test)
{
	static const struct bad files[] = {
		{ JOB "/memory.max", "", "is empty" },
		{ JOB "/memory.max", "\n", "has no limit" },
		{ JOB "/memory.max", "a lot\n", "has no limit" },
		{ JOB "/memory.max", "-1\n", "has no limit" },
		{ JOB "/memory.max", "64M\n", "has no limit" },
		{ JOB "/memory.max", "1 2\n", "has no limit" },
		{ JOB "/memory.max", "73400320\n1\n", "has no limit" },
		{ JOB "/memory.max", "99999999999999999999999\n", "has no limit" },
		{ JOB "/memory.max", "max \n", "has no limit" },
		{ JOB "/memory.max", "max 5\n", "has no limit" },
		{ JOB "/memory.max", " max\n", "has no limit" },
		{ JOB "/memory.max", "maximum\n", "has no limit" },
		{ JOB "/memory.max", "0\n", "has a limit of 0" },
		{ JOB "/memory.high", "high\n", "has no limit" },
		{ JOB "/memory.current", "?\n", "has no usage" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		CHILD_EXPECT_SUCCESS(test, bad_file, (void *)&files[i]);
}

/* A folder in the file's place stands for any file that can be opened and not read. */
static void unreadable(struct kunit *test, void *arg)
{
	(void)arg;
	group_begin(test, "0::/job\n");
	group_write(test, JOB "/memory.max/nothing", "");
	KUNIT_EXPECT_EQ(test, read_limit(test, "none"), UINT64_MAX);
	KUNIT_ASSERT_NOT_NULL(test, os_cgroup_complaint());
	KUNIT_EXPECT_NOT_NULL(test, strstr(os_cgroup_complaint(), "memory.max cannot be read"));
	group_end(test);
}

/* After chroot(2) the files are gone. The limit still holds, but the room is unknown. */
static void out_of_sight(struct kunit *test, void *arg)
{
	(void)arg;
	group_begin(test, "0::/job\n");
	group_write_number(test, JOB "/memory.max", 80 * MIB);
	group_write_number(test, JOB "/memory.current", 20 * MIB);
	read_limit(test, "memory cgroup v2");
	group_remove(JOB "/memory.max");
	group_remove(JOB "/memory.current");
	group_remove("/proc/self/cgroup");
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 80 * MIB);
	expect_room(test, UINT64_MAX, UINT64_MAX);
	KUNIT_EXPECT_NULL(test, os_cgroup_complaint());
	group_end(test);
}

/* The new root has ordinary files of these names: they do not count. */
static void other_root(struct kunit *test, void *arg)
{
	struct os_limit before = { UINT64_MAX, "none" }, after = before;
	struct os_cgroup_room room;
	enum os_cgroup_stall kind;

	os_cgroup_take_limit(&before, true);
	if (chroot(arg))
		return;
	KUNIT_EXPECT_EQ(test, os_cgroup_open_stall(&kind), -ENOENT);
	os_cgroup_take_limit(&after, true);
	KUNIT_EXPECT_EQ(test, after.bytes, before.bytes);
	os_cgroup_read_room(0, &room);
	KUNIT_EXPECT_EQ(test, room.bytes, UINT64_MAX);
	KUNIT_EXPECT_NULL(test, os_cgroup_complaint());
}

static void test_cgroup_other_root(struct kunit *test)
{
	static const char *const files[] = {
		GROUP_V2 "/memory.max", GROUP_V2 "/memory.current",
		GROUP_V1 "/memory.limit_in_bytes", GROUP_V1 "/memory.usage_in_bytes",
	};
	char root[64];

	group_begin(test, "0::/\n1:memory:/\n");
	group_write(test, GROUP_V2 "/memory.events", "low 0\nhigh 3\nmax 4\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		group_write_number(test, files[i], 2 * MIB);
	snprintf(root, sizeof(root), "%s", os_root);
	os_root = "";
	CHILD_EXPECT_SUCCESS(test, other_root, root);
	group_end(test);
}

/* The process is moved; and then gets a namespace in which its old name is another one. */
static void moved(struct kunit *test, void *arg)
{
	(void)arg;
	group_begin(test, "0::/job\n");
	group_write_number(test, JOB "/memory.max", 80 * MIB);
	group_write_number(test, GROUP_V2 "/new/memory.max", 30 * MIB);
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 80 * MIB);
	group_write(test, "/proc/self/cgroup", "0::/new\n");
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 30 * MIB);
	os_cgroup_settle();
	group_write(test, "/proc/self/cgroup", "0::/\n");
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 30 * MIB);
	group_end(test);
}

/*
 * A cgroup deeper than the levels that are read, and a name that is too long: only the levels that
 * fit count.
 */
static void deep(struct kunit *test, void *arg)
{
	static char name[600];
	size_t used = 0;

	(void)arg;
	used += (size_t)snprintf(name, sizeof(name), "0::");
	for (unsigned int i = 0; i < 40; i++)
		used += (size_t)snprintf(name + used, sizeof(name) - used, "/d");
	snprintf(name + used, sizeof(name) - used, "\n");
	group_begin(test, name);
	group_write_number(test, GROUP_V2 "/d/d/memory.max", 30 * MIB);
	KUNIT_EXPECT_EQ(test, read_limit(test, "none"), UINT64_MAX);
	KUNIT_EXPECT_NULL(test, os_cgroup_complaint());
	memset(name + 5, 'x', sizeof(name) - 7);
	memcpy(name + 3, "/d/", 3);
	name[sizeof(name) - 2] = '\n';
	group_write(test, "/proc/self/cgroup", name);
	group_write_number(test, GROUP_V2 "/d/memory.max", 40 * MIB);
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 40 * MIB);
	KUNIT_ASSERT_NOT_NULL(test, os_cgroup_complaint());
	KUNIT_EXPECT_NOT_NULL(test, strstr(os_cgroup_complaint(), "too long"));
	group_end(test);
}

/*
 * A process that is in many hierarchies. If the file is longer than the part that is read, the line
 * that is cut off does not count.
 */
static void many_lines(struct kunit *test, void *arg)
{
	static char lines[40000];
	size_t used = 0, cut = 0;

	(void)arg;
	while (used < 12000)
		used += (size_t)snprintf(lines + used, sizeof(lines) - used,
					 "9:name=%0100zu:/other\n", used);
	snprintf(lines + used, sizeof(lines) - used, "4:memory:/job\n");
	group_begin(test, lines);
	group_write_number(test, GROUP_V1 "/job/memory.limit_in_bytes", 30 * MIB);
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v1"), 30 * MIB);
	/* Wherever the cut is. */
	snprintf(lines + used, sizeof(lines) - used, "4:memory:");
	for (cut = used + strlen(lines + used); cut < sizeof(lines) - 2; cut += 2)
		memcpy(lines + cut, "/c", 2);
	group_write(test, "/proc/self/cgroup", lines);
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v1"), 30 * MIB);
	group_end(test);
}

/*
 * After chroot(2) anything may have these names. If it is a pipe, the library does not wait for a
 * writer.
 */
static void pipes(struct kunit *test, void *arg)
{
	char path[128];

	(void)arg;
	group_begin(test, "0::/job\n");
	group_write_number(test, JOB "/memory.current", 20 * MIB);
	snprintf(path, sizeof(path), "%s" JOB "/memory.max", os_root);
	KUNIT_ASSERT_EQ(test, mkfifo(path, 0600), 0);
	KUNIT_EXPECT_EQ(test, read_limit(test, "none"), UINT64_MAX);
	group_end(test);
}

/*
 * The program has as many files open as it may: the known limits stay, and no file is reported as
 * bad.
 */
static void no_more_files(struct kunit *test, void *arg)
{
	struct rlimit limit;
	enum os_cgroup_stall kind;

	(void)arg;
	group_begin(test, "0::/job\n");
	group_write_number(test, JOB "/memory.max", 80 * MIB);
	group_write_number(test, JOB "/memory.current", 20 * MIB);
	group_write(test, JOB "/memory.events", "low 0\nhigh 3\nmax 4\n");
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 80 * MIB);
	KUNIT_ASSERT_EQ(test, getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 100;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_NOFILE, &limit), 0);
	while (dup(0) >= 0)
		;
	KUNIT_EXPECT_EQ(test, read_limit(test, "memory cgroup v2"), 80 * MIB);
	expect_room(test, UINT64_MAX, UINT64_MAX);
	KUNIT_EXPECT_EQ(test, os_cgroup_open_stall(&kind), -EMFILE);
	KUNIT_EXPECT_NULL(test, os_cgroup_complaint());
	for (int fd = 50; fd < 100; fd++)
		close(fd);
	group_end(test);
}

static void test_cgroup_changes(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, unreadable, NULL);
	CHILD_EXPECT_SUCCESS(test, out_of_sight, NULL);
	CHILD_EXPECT_SUCCESS(test, moved, NULL);
	CHILD_EXPECT_SUCCESS(test, deep, NULL);
	CHILD_EXPECT_SUCCESS(test, many_lines, NULL);
	CHILD_EXPECT_SUCCESS(test, pipes, NULL);
	CHILD_EXPECT_SUCCESS(test, no_more_files, NULL);
}

/* --- Stalls ------------------------------------------------------------------------------- */

struct stall {
	const char *groups, *file, *before, *after;
	uint64_t value_before, value_after;
	enum os_cgroup_stall kind;
};

static void stalls(struct kunit *test, void *arg)
{
	const struct stall *stall = arg;
	enum os_cgroup_stall kind;
	struct os_limit limit = { UINT64_MAX, "none" };
	uint64_t value;
	int fd;

	group_begin(test, stall->groups);
	group_write(test, stall->file, stall->before);
	os_cgroup_take_limit(&limit, false);
	fd = os_cgroup_open_stall(&kind);
	KUNIT_ASSERT_GE(test, fd, 3);
	KUNIT_EXPECT_EQ(test, fcntl(fd, F_GETFD), FD_CLOEXEC);
	KUNIT_EXPECT_EQ(test, kind, stall->kind);
	KUNIT_EXPECT_TRUE(test, os_cgroup_read_stall(fd, kind, &value));
	KUNIT_EXPECT_EQ(test, value, stall->value_before);
	group_write(test, stall->file, stall->after);
	KUNIT_EXPECT_TRUE(test, os_cgroup_read_stall(fd, kind, &value));
	KUNIT_EXPECT_EQ(test, value, stall->value_after);
	group_write(test, stall->file, "");
	KUNIT_EXPECT_FALSE(test, os_cgroup_read_stall(fd, kind, &value));
	close(fd);
	KUNIT_EXPECT_FALSE(test, os_cgroup_read_stall(fd, kind, &value));
	group_end(test);
}

static void no_stalls(struct kunit *test, void *arg)
{
	enum os_cgroup_stall kind;

	(void)arg;
	group_begin(test, "0::/job\n");
	read_limit(test, "none");
	KUNIT_EXPECT_LT(test, os_cgroup_open_stall(&kind), 0);
	group_write(test, JOB "/memory.pressure", "nothing of use\n");
	KUNIT_EXPECT_LT(test, os_cgroup_open_stall(&kind), 0);
	group_end(test);
}

/*
 * The file is open for a moment; by then another thread has closed it and has a file of its own
 * under its number.
 */
static void number_is_taken(struct kunit *test, void *arg)
{
	enum os_cgroup_stall kind;

	(void)arg;
	group_begin(test, "0::/job\n");
	group_write_number(test, JOB "/memory.max", 80 * MIB);
	group_write(test, JOB "/memory.events", "low 0\nhigh 3\nmax 4\n");
	read_limit(test, "memory cgroup v2");
	if (take_number_begin()) {
		KUNIT_EXPECT_LT(test, os_cgroup_open_stall(&kind), 0);
		KUNIT_EXPECT_TRUE(test, take_number_is_unharmed());
		KUNIT_EXPECT_GT(test, os_cgroup_open_stall(&kind), 100);
	}
	group_end(test);
}

static void test_cgroup_stalls(struct kunit *test)
{
	static const struct stall files[] = {
		{ "0::/job\n", JOB "/memory.pressure",
		  "some avg10=0.00 avg60=0.00 avg300=0.00 total=17\n"
		  "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n",
		  "some avg10=1.00 avg60=0.00 avg300=0.00 total=90017\n"
		  "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n", 17, 90017, OS_STALL_TIME },
		{ "0::/job\n", JOB "/memory.events", "low 9\nhigh 3\nmax 4\noom 1\noom_kill 0\n",
		  "low 9\nhigh 5\nmax 4\noom 1\noom_kill 0\n", 7, 9, OS_STALL_EVENTS },
		{ "4:memory:/x\n", GROUP_V1 "/x/memory.failcnt", "0\n", "12\n", 0, 12,
		  OS_STALL_FAILURES },
		{ "0::/out/of/sight\n", GROUP_V2 "/memory.events", "low 0\nhigh 3\nmax 4\n",
		  "low 0\nhigh 3\nmax 5\n", 7, 8, OS_STALL_EVENTS },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		CHILD_EXPECT_SUCCESS(test, stalls, (void *)&files[i]);
	CHILD_EXPECT_SUCCESS(test, no_stalls, NULL);
	CHILD_EXPECT_SUCCESS(test, number_is_taken, NULL);
}

static struct kunit_case cgroup_cases[] = {
	KUNIT_CASE(test_cgroup_limits),
	KUNIT_CASE(test_cgroup_bad_files),
	KUNIT_CASE(test_cgroup_changes),
	KUNIT_CASE(test_cgroup_other_root),
	KUNIT_CASE(test_cgroup_stalls),
	{ 0 },
};

static struct kunit_suite cgroup_suite = {
	.name = "cgroup",
	.test_cases = cgroup_cases,
};

kunit_test_suite(cgroup_suite);
