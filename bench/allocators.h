/* SPDX-License-Identifier: MIT */
/* The malloc implementations on this machine that can be preloaded. */
#ifndef BENCH_ALLOCATORS_H
#define BENCH_ALLOCATORS_H

#include <stdbool.h>

#define MAX_ALLOCATORS 12

struct allocator {
	const char *name;
	char path[512];		/* the library to preload; "" for libc's own malloc */
	const char *variable;	/* NAME=VALUE for its environment, or NULL */
};

/*
 * Fills allocators[MAX_ALLOCATORS] and returns how many there are: usermm (if preload is not NULL),
 * glibc, the other allocators that the system has, then those in the folder `peers` (or NULL),
 * which `make bench-peers` fills.
 */
unsigned int allocators_find(struct allocator *allocators, const char *preload,
			     const char *peers);

#define ALLOCATOR_VERSION_BYTES 48

/* The version of the file whose malloc() this child has, in `text`; "" if it cannot be found. */
const char *allocators_version(const char *path, char text[static ALLOCATOR_VERSION_BYTES]);

/* In a child: does malloc() come from this file ("": libc)? */
bool allocators_in_use(const char *path);

#endif
