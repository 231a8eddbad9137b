// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "control/mappings.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* If poll(2) says that a pipe is ready, the pipe takes this many bytes without a wait. */
#define PART_BYTES 4096

/* Older libcs' headers lack these numbers, which are the same on all machines. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

int mappings_open_file(pid_t pid, uint64_t fd)
{
	int process, file, error;

	if (fd > INT_MAX) {
		errno = EBADF;
		return -1;
	}
	process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (process < 0)
		return -1;
	file = (int)syscall(SYS_pidfd_getfd, process, (int)fd, 0);
	error = errno;
	close(process);
	errno = error;
	return file;
}

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Waits until the file takes bytes. 0 or an errno value. */
static int wait_for_room(int file, double end)
{
	struct pollfd room = { .fd = file, .events = POLLOUT };
	double left_ms = (end - now_seconds()) * 1000;
	int ready = poll(&room, 1, left_ms > 0 ? (int)left_ms : 0);

	if (ready < 0)
		return errno;
	return ready ? 0 : ETIMEDOUT;
}

static int write_part(int file, const char *text, size_t bytes, double end)
{
	while (bytes) {
		int error = wait_for_room(file, end);
		ssize_t written = error ? 0 : write(file, text, bytes);

		if (written < 0)
			error = errno;
		if (error && error != EINTR && error != EAGAIN)
			return error;
		if (written > 0) {
			text += written;
			bytes -= (size_t)written;
		}
	}
	return 0;
}

int mappings_write(pid_t pid, int file, double seconds)
{
	double end = now_seconds() + seconds;
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	char path[32], part[PART_BYTES];
	size_t bytes;
	FILE *maps;
	int error;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	error = maps ? 0 : errno;
	while (maps && !error && (bytes = fread(part, 1, sizeof(part), maps)))
		error = write_part(file, part, bytes, end);
	if (maps && !error && ferror(maps))
		error = EIO;
	if (maps)
		fclose(maps);
	signal(SIGPIPE, before);
	return error;
}
