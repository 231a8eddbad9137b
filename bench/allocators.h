/* SPDX-License-Identifier: MIT */
/* The malloc implementations on this machine that a process can be given. */
#ifndef BENCH_ALLOCATORS_H
#define BENCH_ALLOCATORS_H

#include <stdbool.h>

#define MAX_ALLOCATORS 8

struct allocator {
	const char *name;
	char path[512];		/* of the library to preload; "" for libc's own */
};

/*
 * Fills allocators[MAX_ALLOCATORS]: usermm if preload is not NULL, glibc, then
 * every peer that is found. Returns how many.
 */
unsigned int allocators_find(struct allocator *allocators, const char *preload);

/* In a child: does malloc come from that file ("" = libc)? */
bool allocators_in_use(const char *path);

#endif
