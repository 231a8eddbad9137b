/* SPDX-License-Identifier: MIT */
/*
 * Files. The system calls are made without libc's functions, which are
 * cancellation points: a thread that ended in one would leave our locks locked.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/os.h"

int os_open_file(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

#define WRITING (O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY)

int os_create_file(const char *path)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, WRITING | O_TRUNC | O_NONBLOCK, 0600);

	if (fd >= 0)
		syscall(SYS_fcntl, fd, F_SETFL, 0);	/* without O_NONBLOCK */
	return fd;
}

int os_create_new_file(const char *path, unsigned int permissions)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, WRITING | O_EXCL, 0600);

	if (fd >= 0 && permissions != 0600)
		syscall(SYS_fchmod, fd, permissions);
	return fd;
}

unsigned int os_file_mode(const char *path)
{
	int saved_errno = errno;
	struct stat status;
	unsigned int mode = 0;

	if (!fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW))
		mode = status.st_mode;
	errno = saved_errno;
	return mode;
}

int os_rename_file(const char *from, const char *to)
{
	int saved_errno = errno, error = 0;

	if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0))
		error = -errno;
	errno = saved_errno;
	return error;
}

void os_remove_file(const char *path)
{
	int saved_errno = errno;

	syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	errno = saved_errno;
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
