// SPDX-License-Identifier: MIT
/* Calls for open files. A descriptor of a module's file is a connection to its process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload.h"

int open_module_file(const char *path, int flags)
{
	int fd = connect_to_module(flags & O_CLOEXEC);
	int error;

	if (fd < 0)
		return -1;
	if (call_module(fd, WIRE_OPEN, path, (const int64_t[4]){ flags }) >= 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* True if the path is the module's; then *fd is the result. */
static bool open_here(int folder, const char *path, int flags, int *fd)
{
	char place[PATH_MAX], in_module[WIRE_PATH];

	if (!find_place(folder, path, place)) {
		*fd = -1;
		return flags & O_CREAT && refuses_change(folder, path, EACCES);
	}
	if (path_in_module(place, in_module) && !(flags & O_PATH)) {
		if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) {
			errno = EEXIST;
			*fd = -1;
		} else if (flags & O_DIRECTORY) {
			errno = ENOTDIR;
			*fd = -1;
		} else {
			*fd = open_module_file(in_module, flags);
		}
	} else {
		*fd = NEXT(open)(place, flags & ~O_CREAT);
	}
	return true;
}

static mode_t mode_argument(int flags, va_list args)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
}

#define OPEN(name)								\
EXPORTED int (name)(const char *path, int flags, ...)				\
{										\
	va_list args;								\
	mode_t mode;								\
	int fd;									\
										\
	va_start(args, flags);							\
	mode = mode_argument(flags, args);					\
	va_end(args);								\
	return open_here(AT_FDCWD, path, flags, &fd) ? fd : NEXT(name)(path, flags, mode); \
}
#define OPENAT(name)								\
EXPORTED int (name)(int folder, const char *path, int flags, ...)		\
{										\
	va_list args;								\
	mode_t mode;								\
	int fd;									\
										\
	va_start(args, flags);							\
	mode = mode_argument(flags, args);					\
	va_end(args);								\
	return open_here(folder, path, flags, &fd) ? fd : NEXT(name)(folder, path, flags, mode); \
}
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

#define CREAT(name)								\
EXPORTED int (name)(const char *path, mode_t mode)				\
{										\
	int fd;									\
										\
	return open_here(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, &fd) ? fd :	\
	       NEXT(name)(path, mode);						\
}
CREAT(creat)
CREAT(creat64)

/* What programs built with _FORTIFY_SOURCE call. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

EXPORTED int __open_2(const char *path, int flags)
{
	return open(path, flags, 0);
}

EXPORTED int __open64_2(const char *path, int flags)
{
	return open64(path, flags, 0);
}

EXPORTED int __openat_2(int folder, const char *path, int flags)
{
	return openat(folder, path, flags, 0);
}

EXPORTED int __openat64_2(int folder, const char *path, int flags)
{
	return openat64(folder, path, flags, 0);
}

static ssize_t transfer(int fd, bool reads, const void *buffer, size_t n, int64_t pos)
{
	return CALL(fd, reads ? WIRE_TRANSFER_READ : WIRE_TRANSFER_WRITE, (intptr_t)buffer,
		    (int64_t)n, pos);
}

EXPORTED ssize_t (read)(int fd, void *buffer, size_t n)
{
	return is_module_file(fd) ? transfer(fd, true, buffer, n, -1) : NEXT(read)(fd, buffer, n);
}

EXPORTED ssize_t (write)(int fd, const void *buffer, size_t n)
{
	return is_module_file(fd) ? transfer(fd, false, buffer, n, -1) :
				    NEXT(write)(fd, buffer, n);
}

#define AT_POSITION(name, constant, offset_type, reads)				\
EXPORTED ssize_t (name)(int fd, constant void *buffer, size_t n, offset_type pos) \
{										\
	if (!is_module_file(fd))						\
		return NEXT(name)(fd, buffer, n, pos);				\
	if (pos < 0) {								\
		errno = EINVAL;							\
		return -1;							\
	}									\
	return transfer(fd, reads, buffer, n, pos);				\
}
AT_POSITION(pread, , off_t, true)
AT_POSITION(pread64, , off64_t, true)
AT_POSITION(pwrite, const, off_t, false)
AT_POSITION(pwrite64, const, off64_t, false)

ssize_t __read_chk(int fd, void *buffer, size_t n, size_t size);
ssize_t __pread_chk(int fd, void *buffer, size_t n, off_t pos, size_t size);
ssize_t __pread64_chk(int fd, void *buffer, size_t n, off64_t pos, size_t size);

EXPORTED ssize_t __read_chk(int fd, void *buffer, size_t n, size_t size)
{
	return n <= size && is_module_file(fd) ? transfer(fd, true, buffer, n, -1) :
						 NEXT(__read_chk)(fd, buffer, n, size);
}

EXPORTED ssize_t __pread_chk(int fd, void *buffer, size_t n, off_t pos, size_t size)
{
	return n <= size && is_module_file(fd) ? pread(fd, buffer, n, pos) :
						 NEXT(__pread_chk)(fd, buffer, n, pos, size);
}

EXPORTED ssize_t __pread64_chk(int fd, void *buffer, size_t n, off64_t pos, size_t size)
{
	return n <= size && is_module_file(fd) ? pread64(fd, buffer, n, pos) :
						 NEXT(__pread64_chk)(fd, buffer, n, pos, size);
}

/* As Linux does for a file without an iterator: one piece after the other, until one is short. */
static ssize_t vector(int fd, bool reads, const struct iovec *pieces, int nr, int64_t pos)
{
	ssize_t total = 0;

	for (int i = 0; i < nr; i++) {
		ssize_t done = transfer(fd, reads, pieces[i].iov_base, pieces[i].iov_len,
					pos < 0 ? pos : pos + total);

		if (done < 0)
			return total ? total : -1;
		total += done;
		if ((size_t)done < pieces[i].iov_len)
			break;
	}
	return total;
}

EXPORTED ssize_t (readv)(int fd, const struct iovec *pieces, int nr)
{
	return is_module_file(fd) ? vector(fd, true, pieces, nr, -1) : NEXT(readv)(fd, pieces, nr);
}

EXPORTED ssize_t (writev)(int fd, const struct iovec *pieces, int nr)
{
	return is_module_file(fd) ? vector(fd, false, pieces, nr, -1) :
				    NEXT(writev)(fd, pieces, nr);
}

#define VECTOR_AT(name, offset_type, reads)					\
EXPORTED ssize_t (name)(int fd, const struct iovec *pieces, int nr, offset_type pos) \
{										\
	if (!is_module_file(fd))						\
		return NEXT(name)(fd, pieces, nr, pos);				\
	if (pos < 0) {								\
		errno = EINVAL;							\
		return -1;							\
	}									\
	return vector(fd, reads, pieces, nr, pos);				\
}
VECTOR_AT(preadv, off_t, true)
VECTOR_AT(preadv64, off64_t, true)
VECTOR_AT(pwritev, off_t, false)
VECTOR_AT(pwritev64, off64_t, false)

/* With position -1 the file's own. No flag is supported. */
#define VECTOR_FLAGS(name, offset_type, reads)					\
ssize_t name(int fd, const struct iovec *pieces, int nr, offset_type pos, int flags); \
EXPORTED ssize_t (name)(int fd, const struct iovec *pieces, int nr,		\
			offset_type pos, int flags)				\
{										\
	if (!is_module_file(fd))						\
		return NEXT(name)(fd, pieces, nr, pos, flags);			\
	if (flags || pos < -1) {						\
		errno = flags ? EOPNOTSUPP : EINVAL;				\
		return -1;							\
	}									\
	return vector(fd, reads, pieces, nr, pos);				\
}
VECTOR_FLAGS(preadv2, off_t, true)
VECTOR_FLAGS(preadv64v2, off64_t, true)
VECTOR_FLAGS(pwritev2, off_t, false)
VECTOR_FLAGS(pwritev64v2, off64_t, false)

EXPORTED off_t (lseek)(int fd, off_t offset, int whence)
{
	return is_module_file(fd) ? CALL(fd, WIRE_SEEK, offset, whence) :
				    NEXT(lseek)(fd, offset, whence);
}

EXPORTED off64_t (lseek64)(int fd, off64_t offset, int whence)
{
	return is_module_file(fd) ? CALL(fd, WIRE_SEEK, offset, whence) :
				    NEXT(lseek64)(fd, offset, whence);
}

static int set_flag(int fd, int flag, bool on)
{
	long flags = CALL(fd, WIRE_GET_FLAGS, 0);

	if (flags < 0)
		return -1;
	return (int)CALL(fd, WIRE_SET_FLAGS, on ? flags | flag : flags & ~flag);
}

EXPORTED int (ioctl)(int fd, unsigned long command, ...)
{
	va_list args;
	void *argument;

	va_start(args, command);
	argument = va_arg(args, void *);
	va_end(args);
	if (!is_module_file(fd) || command == FIOCLEX || command == FIONCLEX)
		return NEXT(ioctl)(fd, command, argument);
	if (command == FIONBIO)
		return set_flag(fd, O_NONBLOCK, *(int *)argument);
	if (command == FIOASYNC)
		return set_flag(fd, O_ASYNC, *(int *)argument);
	return (int)CALL(fd, WIRE_IOCTL, (int64_t)command, (intptr_t)argument);
}

static int control(int fd, int command, long argument)
{
	switch (command) {
	case F_GETFL:
		return (int)CALL(fd, WIRE_GET_FLAGS, 0);
	case F_SETFL:
		return (int)CALL(fd, WIRE_SET_FLAGS, argument);
	case F_SETOWN:
		return (int)CALL(fd, WIRE_SET_OWNER, argument);
	case F_GETOWN:
		return (int)CALL(fd, WIRE_GET_OWNER, 0);
	}
	errno = EINVAL;
	return -1;
}

/* Commands about the descriptor alone are the system's. */
#define FCNTL(name)								\
EXPORTED int (name)(int fd, int command, ...)					\
{										\
	bool is_of_descriptor = command == F_DUPFD || command == F_DUPFD_CLOEXEC ||	\
				command == F_GETFD || command == F_SETFD;	\
	va_list args;								\
	long argument;								\
	int result;								\
										\
	va_start(args, command);						\
	argument = va_arg(args, long);						\
	va_end(args);								\
	if (!is_of_descriptor && is_module_file(fd))				\
		return control(fd, command, argument);				\
	result = NEXT(name)(fd, command, argument);				\
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)			\
		watch_standard_streams(result);					\
	return result;								\
}
FCNTL(fcntl)
FCNTL(fcntl64)

EXPORTED int (dup)(int fd)
{
	int result = NEXT(dup)(fd);

	watch_standard_streams(result);
	return result;
}

EXPORTED int (dup2)(int fd, int wanted)
{
	int result = NEXT(dup2)(fd, wanted);

	watch_standard_streams(result);
	return result;
}

EXPORTED int (dup3)(int fd, int wanted, int flags)
{
	int result = NEXT(dup3)(fd, wanted, flags);

	watch_standard_streams(result);
	return result;
}

EXPORTED int (fsync)(int fd)
{
	return is_module_file(fd) ? (int)CALL(fd, WIRE_FSYNC, 0) : NEXT(fsync)(fd);
}

EXPORTED int (fdatasync)(int fd)
{
	return is_module_file(fd) ? (int)CALL(fd, WIRE_FSYNC, 0) : NEXT(fdatasync)(fd);
}

/* Files of /proc and /sys take this as done, and devices refuse it. */
static int truncate_file(int fd, int64_t length)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return -1;
	if (S_ISREG(stat.st_mode) && length >= 0)
		return 0;
	errno = EINVAL;
	return -1;
}

#define TRUNCATE(name, offset_type)						\
EXPORTED int (name)(int fd, offset_type length)					\
{										\
	return is_module_file(fd) ? truncate_file(fd, length) : NEXT(name)(fd, length); \
}
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define MMAP(name, offset_type)							\
EXPORTED void *(name)(void *address, size_t length, int protection, int flags, int fd, \
		      offset_type offset)					\
{										\
	if (!(flags & MAP_ANONYMOUS) && is_module_file(fd))			\
		return map_module_file(address, length, protection, flags, fd, offset); \
	return NEXT(name)(address, length, protection, flags, fd, offset);	\
}
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)
