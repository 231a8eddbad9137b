/* SPDX-License-Identifier: MIT */
/* The malloc implementations on this machine that a process can be given. */
#ifndef BENCH_ALLOCATORS_H
#define BENCH_ALLOCATORS_H

#include <stdbool.h>

#define MAX_ALLOCATORS 12

struct allocator {
	const char *name;
	char path[512];		/* of the library to preload; "" for libc's own */
	const char *variable;	/* NAME=VALUE that it needs in the environment, or NULL */
};

/*
 * Fills allocators[MAX_ALLOCATORS]: usermm if preload is not NULL, glibc, then every peer
 * that the system has, then those of the folder peers, which `make bench-peers` fills (NULL
 * if there is none). Returns how many.
 */
unsigned int allocators_find(struct allocator *allocators, const char *preload,
			     const char *peers);

/* In a child: does malloc come from that file ("" = libc)? */
bool allocators_in_use(const char *path);

#endif
