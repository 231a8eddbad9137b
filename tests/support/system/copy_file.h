/* SPDX-License-Identifier: MIT */
/* A copy of a program or library, for tests of what happens to one. */
#ifndef SUPPORT_COPY_FILE_H
#define SUPPORT_COPY_FILE_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes all that the file at the path holds to the descriptor, from its start on. */
static inline bool copy_file(const char *path, int to)
{
	int from = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	off_t done = 0;

	if (from < 0)
		return false;
	if (fstat(from, &status))
		status.st_size = -1;
	while (done < status.st_size && sendfile(to, from, &done, (size_t)status.st_size) > 0)
		;
	close(from);
	return done == status.st_size;
}

#endif
