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

int kept_stderr(void)
{
	int saved_errno = errno;
	struct stat now;
	bool is_same = kept_fd >= 0 && !fstat(kept_fd, &now) &&
		       now.st_dev == kept_file.st_dev && now.st_ino == kept_file.st_ino;

	errno = saved_errno;
	return is_same ? kept_fd : -1;
}
