/* SPDX-License-Identifier: MIT */
/* The threads of this process, the library's among them. */
#ifndef MALLOC_TASKS_H
#define MALLOC_TASKS_H

#include <dirent.h>
#include <sys/syscall.h>

#include "harness.h"

static inline unsigned int nr_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned int nr = 0;
	struct dirent *task;

	REQUIRE(tasks);
	while ((task = readdir(tasks)))
		nr += task->d_name[0] != '.';
	closedir(tasks);
	return nr;
}

/* How long a thread was ready to run but had to wait for a processor. */
static inline double task_waited(const char *number)
{
	char path[300], text[128] = "", *second = text;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (n <= 0)
		return 0;
	strtoull(text, &second, 10);
	return (double)strtoull(second, NULL, 10) * 1e-9;
}

/* An entry of a directory, as getdents64(2) gives it. */
struct task_entry {
	uint64_t inode;
	int64_t next;
	unsigned short bytes;
	unsigned char type;
	char name[];
};

/*
 * The sum for all threads, or the first few hundred; 0 if the kernel does not count it. Allocates
 * nothing, because it is called while the program must be idle.
 */
static inline double seconds_waited(void)
{
	static char entries[8 * KIB] __attribute__((__aligned__(8)));
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct task_entry *entry;
	double sum = 0;
	long n;

	REQUIRE(fd >= 0);
	n = syscall(SYS_getdents64, fd, entries, sizeof(entries));
	close(fd);
	for (long at = 0; at < n; at += entry->bytes) {
		entry = (const struct task_entry *)&entries[at];
		if (entry->name[0] != '.')
			sum += task_waited(entry->name);
	}
	return sum;
}

/*
 * Does the condition become true within so many seconds of time in which the process could run?
 * Time in which its threads waited for a processor, on a busy machine, does not count.
 */
static inline bool comes_true(bool (*condition)(size_t argument), size_t argument, double seconds)
{
	double start = seconds_now(), before = seconds_waited(), waited = 0, now;

	while (!condition(argument)) {
		/* The waiting time of a thread that has ended is lost. */
		now = seconds_waited() - before;
		waited = now > waited ? now : waited;
		if (seconds_now() - start > seconds * slowness() + waited)
			return false;
		sleep_us(20000);
	}
	return true;
}

static inline bool has_threads(size_t nr)
{
	return nr_threads() == nr;
}

#endif
