/* SPDX-License-Identifier: MIT */
/*
 * Reading files. The system calls are made without libc's functions, which are
 * cancellation points: a thread that ended in one would leave our locks locked.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/os.h"

int os_open_file(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

int os_create_file(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path,
			    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600);
}

long os_read_some(int fd, void *buffer, size_t size)
{
	long n;

	do
		n = syscall(SYS_read, fd, buffer, size);
	while (n < 0 && errno == EINTR);
	return n;
}

void os_close_file(int fd)
{
	syscall(SYS_close, fd);
}

long os_read_file(const char *path, char *buffer, size_t size)
{
	int saved_errno = errno;
	int fd = os_open_file(path);
	size_t used = 0;
	long n = 0;

	if (fd < 0) {
		n = -errno;
		errno = saved_errno;
		return n;
	}
	while (used < size - 1) {
		n = os_read_some(fd, buffer + used, size - 1 - used);
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	if (n < 0)
		n = -errno;
	os_close_file(fd);
	errno = saved_errno;
	buffer[used] = '\0';
	return n < 0 ? n : (long)used;
}
