// SPDX-License-Identifier: MIT
/*
 * Streams of stdio. A stream reads and writes inside libc, without a call of the functions that
 * this library replaces. So a stream of a module's file is made by fopencookie(), with functions
 * that call ours. If the descriptor of a standard stream becomes a file of the module, as by a
 * shell's redirection, such a stream replaces the standard one. It then serves whatever file the
 * descriptor is later.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload.h"

#define MAX_STREAMS 64

/*
 * Descriptors of streams, for fileno(). Sync: atomic; only the thread that makes or closes a stream
 * changes its entry.
 */
static struct {
	FILE *stream;
	int fd;
} streams[MAX_STREAMS];

static int *fd_of(void *cookie)
{
	return cookie;
}

static ssize_t stream_read(void *cookie, char *buffer, size_t n)
{
	return read(*fd_of(cookie), buffer, n);
}

/* A short write is an error for stdio: it goes on until all is written. */
static ssize_t stream_write(void *cookie, const char *buffer, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t more = write(*fd_of(cookie), buffer + done, n - done);

		if (more < 0)
			break;
		done += (size_t)more;
	}
	return (ssize_t)done;
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
	off64_t result = lseek64(*fd_of(cookie), *offset, whence);

	if (result < 0)
		return -1;
	*offset = result;
	return 0;
}

static void forget(const int *fd)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(streams); i++)
		if (&streams[i].fd == fd)
			__atomic_store_n(&streams[i].stream, NULL, __ATOMIC_RELEASE);
}

static int stream_close(void *cookie)
{
	int fd = *fd_of(cookie);

	forget(cookie);
	return close(fd);
}

/* A stream of this descriptor; NULL with errno if there are too many. */
static FILE *make_stream(int fd, const char *mode)
{
	static const cookie_io_functions_t functions = {
		.read = stream_read, .write = stream_write, .seek = stream_seek,
		.close = stream_close,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(streams); i++) {
		FILE *free = NULL, *taken = (FILE *)&streams[i], *stream;

		if (!__atomic_compare_exchange_n(&streams[i].stream, &free, taken, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		streams[i].fd = fd;
		stream = fopencookie(&streams[i].fd, mode, functions);
		__atomic_store_n(&streams[i].stream, stream, __ATOMIC_RELEASE);
		return stream;
	}
	errno = EMFILE;
	return NULL;
}

static int flags_of(const char *mode)
{
	int flags = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;

	if (*mode == 'a')
		flags |= O_APPEND;
	return flags | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

/* True if the path is the module's; then *stream is the result. */
static bool open_stream(const char *path, const char *mode, FILE **stream)
{
	char place[PATH_MAX], in_module[WIRE_PATH];
	int fd;

	if (!find_place(AT_FDCWD, path, place) || !path_in_module(place, in_module))
		return false;
	*stream = NULL;
	fd = open_module_file(in_module, flags_of(mode));
	if (fd >= 0) {
		*stream = make_stream(fd, mode);
		if (!*stream)
			close(fd);
	}
	return true;
}

#define FOPEN(name)								\
EXPORTED FILE *(name)(const char *restrict path, const char *restrict mode)	\
{										\
	FILE *stream;								\
										\
	return open_stream(path, mode, &stream) ? stream : NEXT(name)(path, mode); \
}
FOPEN(fopen)
FOPEN(fopen64)

EXPORTED FILE *(fdopen)(int fd, const char *mode)
{
	return is_module_file(fd) ? make_stream(fd, mode) : NEXT(fdopen)(fd, mode);
}

/*
 * A libc may declare that the stream is not NULL. So an entry that is NULL is passed over instead.
 */
#define FILENO(name)								\
EXPORTED int (name)(FILE *stream)						\
{										\
	for (unsigned int i = 0; i < ARRAY_SIZE(streams); i++) {		\
		FILE *entry = __atomic_load_n(&streams[i].stream, __ATOMIC_ACQUIRE); \
										\
		if (entry && entry == stream)					\
			return streams[i].fd;					\
	}									\
	return NEXT(name)(stream);						\
}
FILENO(fileno)
FILENO(fileno_unlocked)

static void replace(FILE **standard, int fd, const char *mode)
{
	FILE *stream;

	if (fileno(*standard) != fd || !is_module_file(fd))
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(streams); i++)
		if (streams[i].stream == *standard)
			return;
	stream = make_stream(fd, mode);
	if (!stream)
		return;
	fflush(*standard);
	if (standard == &stderr)
		setvbuf(stream, NULL, _IONBF, 0);
	*standard = stream;
}

void watch_standard_streams(int fd)
{
	int error = errno;

	if (fd == STDIN_FILENO)
		replace(&stdin, fd, "r");
	else if (fd == STDOUT_FILENO)
		replace(&stdout, fd, "w");
	else if (fd == STDERR_FILENO)
		replace(&stderr, fd, "w");
	errno = error;
}

/* Descriptors that the program was started with. */
static __attribute__((constructor)) void watch_all(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		watch_standard_streams(fd);
}
