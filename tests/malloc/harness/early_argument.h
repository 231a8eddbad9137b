/* SPDX-License-Identifier: MIT */
/*
 * The program's arguments before main() runs, for functions of the program that the library calls
 * in place of libc's.
 */
#ifndef MALLOC_EARLY_ARGUMENT_H
#define MALLOC_EARLY_ARGUMENT_H

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What stands behind the mode in "PROGRAM MODE ARGUMENT"; else NULL. Allocates nothing. */
static inline const char *early_argument(const char *mode, char *text, size_t text_size)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	long size = syscall(SYS_read, fd, text, text_size - 1);
	const char *p;

	syscall(SYS_close, fd);
	if (size <= 0)
		return NULL;
	text[size] = '\0';
	p = text + strlen(text) + 1;
	return p < text + size && !strcmp(p, mode) ? p + strlen(p) + 1 : NULL;
}

#endif
