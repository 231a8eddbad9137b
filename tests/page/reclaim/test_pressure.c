/* SPDX-License-Identifier: MIT */
/*
 * The background thread gives memory back while the memory cgroup stalls. The file that shows the
 * stall is open only as long as the thread has work. The cgroup is made up of files, but for one
 * case, which needs a real one of version 2 (make test-groups).
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "base/upward_hooks.h"
#include "os/background.h"
#include "os/os.h"
#include "os/report/process.h"
#include "page/reclaim/decay.h"
#include "page/reclaim/limits.h"
#include "page/reclaim/pressure.h"
#include "page/reclaim/release.h"
#include "page/zone.h"
#include "support/child.h"
#include "support/system/group.h"
#include "support/kernel.h"
#include "support/zones.h"

#define JOB GROUP_V2 "/job"
#define FDS 1024
/* In steps of a millisecond. */
#define PATIENCE 20000

static unsigned int nr_given_back;	/* Sync: atomic */

static unsigned long give_back(void)
{
	__atomic_add_fetch(&nr_given_back, 1, __ATOMIC_RELAXED);
	return 0;
}

static size_t decay(void)
{
	return 0;
}

static unsigned int given_back(void)
{
	return __atomic_load_n(&nr_given_back, __ATOMIC_RELAXED);
}

static void set_stall(struct kunit *test, unsigned long microseconds)
{
	char text[160];

	snprintf(text, sizeof(text), "some avg10=0.00 avg60=0.00 avg300=0.00 total=%lu\n"
		 "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", microseconds);
	group_write(test, JOB "/memory.pressure", text);
}

static void begin(struct kunit *test, const char *option)
{
	const char *error;

	KUNIT_ASSERT_EQ(test, usermm_set_options(option, &error), 0);
	group_begin(test, "0::/job\n");
	set_stall(test, 1000);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	release_set_keeper(give_back, decay);
}

static unsigned int nr_open_files(void)
{
	unsigned int nr = 0;

	for (int fd = 0; fd < FDS; fd++)
		nr += fcntl(fd, F_GETFD) != -1;
	return nr;
}

/* One turn of the background thread, after a while: is memory given back? */
static bool gives_back(void)
{
	unsigned int before = given_back();
	uint64_t start = os_time_ms();

	while (os_time_ms() - start < 10)
		os_sleep_us(1000);
	pressure_work(1000);
	return given_back() != before;
}

static void stalls(struct kunit *test, void *arg)
{
	unsigned int files;

	(void)arg;
	begin(test, "");
	files = nr_open_files();
	pressure_watch();
	pressure_watch();
	KUNIT_EXPECT_EQ(test, nr_open_files(), files + 1);
	KUNIT_EXPECT_EQ(test, pressure_work(1000), 250);
	KUNIT_EXPECT_EQ(test, pressure_work(10), 10);
	pressure_look_ms = 2;
	KUNIT_EXPECT_FALSE_MSG(test, gives_back(), "nothing has stalled");
	set_stall(test, 1100);
	KUNIT_EXPECT_FALSE_MSG(test, gives_back(), "it stalled for a moment");
	set_stall(test, 10000000);
	KUNIT_EXPECT_TRUE(test, gives_back());
	KUNIT_EXPECT_EQ(test, limits_counts.stalled, 1);
	set_stall(test, 20000000);
	KUNIT_EXPECT_FALSE_MSG(test, gives_back(), "once a second is enough");
	/* The thread ends. */
	KUNIT_EXPECT_EQ(test, pressure_work(0), 0);
	KUNIT_EXPECT_EQ(test, nr_open_files(), files);
	KUNIT_EXPECT_EQ(test, pressure_work(1000), 1000);
	pressure_watch();
	KUNIT_EXPECT_EQ(test, nr_open_files(), files + 1);
	pressure_forget();
	KUNIT_EXPECT_EQ(test, nr_open_files(), files);
	group_end(test);
}

static unsigned int nothing_to_do(void)
{
	return 1000;
}

static void look_at_limits(void)
{
	uint64_t start = os_time_ms();

	limits_known_ms = 1;
	while (os_time_ms() - start < 10)
		os_sleep_us(1000);
	limits_look(1);
}

/* The process is moved: the file of its new cgroup counts. */
static void is_moved(struct kunit *test, void *arg)
{
	unsigned int files;

	(void)arg;
	begin(test, "background=on");
	background_set_work(nothing_to_do, pressure_forget);
	limits_look(1);
	files = nr_open_files();
	pressure_look_ms = 2;
	pressure_watch();
	background_wake();
	KUNIT_EXPECT_EQ(test, nr_open_files(), files + 1);
	group_write(test, GROUP_V2 "/other/memory.pressure", "some avg10=0.00 total=5\n");
	group_write(test, "/proc/self/cgroup", "0::/other\n");
	look_at_limits();
	KUNIT_EXPECT_EQ_MSG(test, os_cgroup_moves, 1, "the move was not noticed");
	KUNIT_EXPECT_EQ(test, pressure_work(1000), 1000);
	KUNIT_EXPECT_EQ_MSG(test, nr_open_files(), files, "the old cgroup's file stays open");
	look_at_limits();
	KUNIT_EXPECT_EQ_MSG(test, nr_open_files(), files + 1, "nobody watches the new cgroup");
	set_stall(test, 10000000);
	KUNIT_EXPECT_FALSE_MSG(test, gives_back(), "the old cgroup has stalled");
	group_write(test, GROUP_V2 "/other/memory.pressure", "some avg10=0.00 total=9000000\n");
	KUNIT_EXPECT_TRUE(test, gives_back());
	pressure_forget();
	group_end(test);
}

static void is_off(struct kunit *test, void *arg)
{
	unsigned int files;

	(void)arg;
	begin(test, "pressure=off");
	files = nr_open_files();
	pressure_watch();
	KUNIT_EXPECT_EQ(test, nr_open_files(), files);
	KUNIT_EXPECT_EQ(test, pressure_work(1000), 1000);
	group_end(test);
}

/* Without a file, and in a process that has locked itself down, nothing is opened. */
static void has_no_file(struct kunit *test, void *arg)
{
	unsigned int files;

	begin(test, "");
	files = nr_open_files();
	if (arg)
		process_forbid_files();
	else
		group_remove(JOB "/memory.pressure");
	pressure_watch();
	set_stall(test, 2000);
	pressure_watch();
	KUNIT_EXPECT_EQ(test, nr_open_files(), files);
	KUNIT_EXPECT_EQ(test, pressure_work(1000), 1000);
	group_end(test);
}

static int highest_fd(void)
{
	int fd = FDS;

	while (fcntl(fd, F_GETFD) == -1)
		fd--;
	return fd;
}

/* The program has closed all files, and then opened one of its own under the same number. */
static void is_closed_by_others(struct kunit *test, void *arg)
{
	int fd, other;

	begin(test, "");
	pressure_watch();
	pressure_look_ms = 2;
	fd = highest_fd();
	KUNIT_ASSERT_GT_MSG(test, fd, 255, "out of the program's way");
	close(fd);
	if (arg) {
		other = open("/dev/null", O_RDONLY);
		KUNIT_ASSERT_EQ(test, dup2(other, fd), fd);
		close(other);
	}
	set_stall(test, 10000000);
	KUNIT_EXPECT_FALSE(test, gives_back());
	KUNIT_EXPECT_EQ(test, pressure_work(0), 0);
	KUNIT_EXPECT_EQ_MSG(test, fcntl(fd, F_GETFD) != -1, arg != NULL, "it is the program's");
	/* The next time it is opened anew. */
	close(fd);
	pressure_watch();
	KUNIT_EXPECT_EQ(test, highest_fd(), fd);
	set_stall(test, 20000000);
	KUNIT_EXPECT_TRUE(test, gives_back());
	group_end(test);
}

/*
 * A process with a small limit of open files: the file's number is not among the next ones that the
 * program gets. If no number is free, the file is opened as soon as one is.
 */
static void few_files(struct kunit *test, void *arg)
{
	static const rlim_t few[] = { 256, 100, 20 };
	struct rlimit limit;
	unsigned int files;
	int before, after;

	(void)arg;
	begin(test, "");
	files = nr_open_files();
	KUNIT_ASSERT_EQ(test, getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(few); i++) {
		limit.rlim_cur = few[i];
		KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_NOFILE, &limit), 0);
		before = dup(0);
		close(before);
		pressure_watch();
		KUNIT_EXPECT_EQ(test, nr_open_files(), files + (few[i] > 64));
		after = dup(0);
		close(after);
		KUNIT_EXPECT_EQ(test, after, before);
		KUNIT_EXPECT_EQ(test, pressure_work(0), 0);
		KUNIT_EXPECT_EQ(test, nr_open_files(), files);
	}
	limit.rlim_cur = 256;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_NOFILE, &limit), 0);
	pressure_watch();
	KUNIT_EXPECT_EQ(test, nr_open_files(), files + 1);
	group_end(test);
}

static void in_fork_child(struct kunit *test, void *arg)
{
	KUNIT_EXPECT_EQ(test, nr_open_files() + 1, *(unsigned int *)arg);
}

static void forks(struct kunit *test, void *arg)
{
	unsigned int files;

	(void)arg;
	begin(test, "");
	pressure_watch();
	pressure_look_ms = 2;
	files = nr_open_files();
	CHILD_EXPECT_SUCCESS(test, in_fork_child, &files);
	set_stall(test, 10000000);
	KUNIT_EXPECT_TRUE_MSG(test, gives_back(), "the parent goes on");
	group_end(test);
}

static void test_pressure_file(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, stalls, NULL);
	CHILD_EXPECT_SUCCESS(test, is_moved, NULL);
	CHILD_EXPECT_SUCCESS(test, is_off, NULL);
	CHILD_EXPECT_SUCCESS(test, has_no_file, NULL);
	CHILD_EXPECT_SUCCESS(test, has_no_file, "forbidden");
	CHILD_EXPECT_SUCCESS(test, is_closed_by_others, NULL);
	CHILD_EXPECT_SUCCESS(test, is_closed_by_others, "and opened");
	CHILD_EXPECT_SUCCESS(test, few_files, NULL);
	CHILD_EXPECT_SUCCESS(test, forks, NULL);
}

/* The real thread, while it has other work. */
static void thread_looks(struct kunit *test, void *arg)
{
	unsigned long stall = 0;
	unsigned int files;

	(void)arg;
	begin(test, "background=on");
	files = nr_open_files();
	KUNIT_ASSERT_TRUE(test, decay_in_background(1));
	KUNIT_EXPECT_EQ(test, nr_open_files(), files + 1);
	for (unsigned int i = 0; i < PATIENCE && !given_back() && background_is_running(); i++) {
		stall += 1000000;
		set_stall(test, stall);
		os_sleep_us(1000);
	}
	KUNIT_EXPECT_GT(test, given_back(), 0);
	group_end(test);
}

static void test_pressure_thread(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, thread_looks, NULL);
}

/* --- With a cgroup of the kernel's own -------------------------------------------------------- */

#define HIGH (16 * MIB)

static bool write_real(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = write(fd, text, strlen(text));
		close(fd);
	}
	return n == (ssize_t)strlen(text);
}

/* The kernel makes a process wait if its cgroup is above memory.high. */
static void exceed_high(struct kunit *test)
{
	static char *mapping;
	static size_t at;

	if (!mapping)
		mapping = mmap(NULL, 4 * HIGH, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	KUNIT_ASSERT_NE(test, (long)mapping, (long)MAP_FAILED);
	if (at == 4 * HIGH) {
		madvise(mapping, 4 * HIGH, MADV_DONTNEED);
		at = 0;
	}
	memset(mapping + at, 1, MIB);
	at += MIB;
}

static void kernel_stalls(struct kunit *test, void *arg)
{
	const char *folder = arg;
	const char *error;
	bool gave_back = false;

	KUNIT_ASSERT_TRUE(test, write_real(folder, "cgroup.procs", "0"));
	KUNIT_ASSERT_EQ(test, usermm_set_options("pressure=auto", &error), 0);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	release_set_keeper(give_back, decay);
	pressure_look_ms = 2;
	pressure_watch();
	KUNIT_EXPECT_FALSE_MSG(test, gives_back(), "nothing has stalled");
	for (unsigned int i = 0; i < PATIENCE / 10 && !gave_back; i++) {
		exceed_high(test);
		gave_back = gives_back();
	}
	KUNIT_EXPECT_TRUE_MSG(test, gave_back, "the kernel's memory.pressure is not followed");
	KUNIT_EXPECT_EQ(test, limits_counts.stalled, 1);
}

static void test_pressure_of_kernel(struct kunit *test)
{
	char folder[] = GROUP_V2 "/usermm-pressure-0123456789", high[16];
	bool is_there;

	snprintf(folder, sizeof(folder), GROUP_V2 "/usermm-pressure-%d", (int)getpid());
	snprintf(high, sizeof(high), "%lu", HIGH);
	if (mkdir(folder, 0755))
		kunit_skip(test, "this process may not make memory cgroups");
	is_there = write_real(folder, "memory.high", high);
	if (is_there)
		CHILD_EXPECT_SUCCESS(test, kernel_stalls, folder);
	/* The kernel may still be busy with the child. */
	for (unsigned int i = 0; i < 100 && rmdir(folder); i++)
		os_sleep_us(10000);
	if (!is_there)
		kunit_skip(test, "there are no memory cgroups of version 2");
}

static struct kunit_case pressure_cases[] = {
	KUNIT_CASE(test_pressure_file),
	KUNIT_CASE(test_pressure_thread),
	KUNIT_CASE(test_pressure_of_kernel),
	{ 0 },
};

static struct kunit_suite pressure_suite = {
	.name = "pressure",
	.test_cases = pressure_cases,
};

kunit_test_suite(pressure_suite);
