/* SPDX-License-Identifier: MIT */
#include "os/kept_stderr.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"

/* Programs that count on the lowest free number do not meet it. */
#define KEPT_FD_MIN 100

/* Sync: written before there are threads */
static int kept_fd = -1;
static struct stat kept_file;

void kept_stderr_init(void)
{
	int saved_errno = errno;

	if (kept_fd < 0 && !fstat(STDERR_FILENO, &kept_file)) {
		kept_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, KEPT_FD_MIN);
		if (kept_fd < 0)	/* few descriptors allowed: the original must do */
			kept_fd = STDERR_FILENO;
	}
	errno = saved_errno;
}

static bool is_kept_file(int fd)
{
	struct stat now;

	return !fstat(fd, &now) && now.st_dev == kept_file.st_dev &&
	       now.st_ino == kept_file.st_ino;
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
