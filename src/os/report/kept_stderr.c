/* SPDX-License-Identifier: MIT */
#include "os/report/kept_stderr.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "os/report/process.h"

/* High, so that programs that expect the lowest free number do not meet the copy. */
#define KEPT_FD_MIN 100

/* Sync: written before there are threads, and in a child of fork() */
static int kept_fd = -1;
static struct stat kept_file;

static bool is_kept_file(int fd)
{
	struct stat now;

	return !fstat(fd, &now) && now.st_dev == kept_file.st_dev &&
	       now.st_ino == kept_file.st_ino;
}

/*
 * Closes the copy in a fork child. Leaves it open if the program has given its number to another
 * file or to a copy of its own, or if a seccomp filter may kill the process for fcntl(2).
 */
static void let_go(void)
{
	int saved_errno = errno;

	if (!process_files_are_forbidden() && kept_fd != STDERR_FILENO && is_kept_file(kept_fd) &&
	    fcntl(kept_fd, F_GETFD) == FD_CLOEXEC) {
		os_close_file(kept_fd);
		kept_fd = STDERR_FILENO;
	}
	errno = saved_errno;
}

void kept_stderr_init(void)
{
	int saved_errno = errno;

	if (kept_fd < 0 && !fstat(STDERR_FILENO, &kept_file)) {
		kept_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, KEPT_FD_MIN);
		if (kept_fd < 0)	/* few descriptors are allowed: the original must do */
			kept_fd = STDERR_FILENO;
		pthread_atfork(NULL, NULL, let_go);
	}
	errno = saved_errno;
}

int kept_stderr(void)
{
	int saved_errno = errno, fd = -1;

	if (kept_fd >= 0 && is_kept_file(kept_fd))
		fd = kept_fd;
	else if (kept_fd >= 0 && is_kept_file(STDERR_FILENO))
		fd = STDERR_FILENO;
	errno = saved_errno;
	return fd;
}
