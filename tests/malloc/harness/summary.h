/* SPDX-License-Identifier: MIT */
/* The numbers that the library prints at exit with stats=1, read at any time. */
#ifndef MALLOC_SUMMARY_H
#define MALLOC_SUMMARY_H

#include <sys/mman.h>

#include "harness.h"

void usermm_print_summary(int fd) __attribute__((__weak__));

/* The first number behind the name. The case fails if there is none of this name. */
static inline unsigned long summary_number(const char *name)
{
	char text[4096] = "", *line;
	int fd = memfd_create("summary", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && usermm_print_summary);
	usermm_print_summary(fd);
	REQUIRE(pread(fd, text, sizeof(text) - 1, 0) > 0);
	close(fd);
	line = strstr(text, name);
	REQUIRE(line);
	line += strlen(name);
	return strtoul(line + strspn(line, ": "), NULL, 10);
}

#endif
