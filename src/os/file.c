/* SPDX-License-Identifier: MIT */
/*
 * The system calls are made without libc's functions, which are cancellation points: a thread that
 * ended in one would leave usermm's locks locked.
 */
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fmt.h"
#include "os/clock.h"

#define PATH_BYTES 512

int os_open_file(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

static int open_for_writing(const char *path, int how, unsigned int permissions)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path,
			    O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | how, permissions);
}

/*
 * Opens without waiting for a pipe's reader. Later writes wait as usual: O_NONBLOCK is taken away.
 */
static int open_at_once(const char *path, int how, unsigned int permissions)
{
	int fd = open_for_writing(path, how | O_NONBLOCK, permissions);

	if (fd >= 0)
		syscall(SYS_fcntl, fd, F_SETFL, how & O_APPEND);
	return fd;
}

int os_create_file(const char *path, unsigned int permissions)
{
	return open_at_once(path, O_TRUNC, permissions);
}

int os_append_to_file(const char *path, unsigned int permissions)
{
	return open_at_once(path, O_APPEND, permissions);
}

int os_create_new_file(const char *path, unsigned int permissions)
{
	return open_for_writing(path, O_EXCL, permissions);
}

void os_set_permissions(int fd, unsigned int permissions)
{
	int saved_errno = errno;

	syscall(SYS_fchmod, fd, permissions);
	errno = saved_errno;
}

static bool set_lock(int fd, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = LONG_MAX,
			      .l_len = 1 };

	return !syscall(SYS_fcntl, fd, F_SETLK, &lock);
}

bool os_lock_file(int fd, unsigned int wait_ms)
{
	int saved_errno = errno;
	bool locked;

	while (!(locked = set_lock(fd, F_WRLCK)) && (errno == EAGAIN || errno == EACCES) &&
	       wait_ms--)
		os_sleep_us(1000);
	errno = saved_errno;
	return locked;
}

void os_unlock_file(int fd)
{
	int saved_errno = errno;

	set_lock(fd, F_UNLCK);
	errno = saved_errno;
}

long os_file_size(int fd)
{
	int saved_errno = errno;
	struct stat status;
	long size = -1;

	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		size = (long)status.st_size;
	errno = saved_errno;
	return size;
}

void os_cut_file(int fd, long size)
{
	int saved_errno = errno;

	syscall(SYS_ftruncate, fd, size);
	errno = saved_errno;
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

const char *os_root = "";

long os_read_fact(const char *path, char *buffer, size_t size)
{
	char below_root[PATH_BYTES];

	if (!*os_root)
		return os_read_file(path, buffer, size);
	fmt_format(below_root, sizeof(below_root), "%s%s", os_root, path);
	return os_read_file(below_root, buffer, size);
}
