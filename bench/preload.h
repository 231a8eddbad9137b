/* SPDX-License-Identifier: MIT */
/* The environment variables that preload a library. */
#ifndef BENCH_PRELOAD_H
#define BENCH_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

struct preload {
	const char *name;	/* for LD_PRELOAD */
	char folder[PATH_MAX];	/* for LD_LIBRARY_PATH, or empty */
};

/*
 * Finds the variables' values for a library. The dynamic linker splits LD_PRELOAD at spaces and
 * colons, but LD_LIBRARY_PATH at colons and semicolons. So a path with a space is split into a name
 * and a folder. False if the path cannot be expressed. The path must be absolute, and must outlive
 * the result.
 */
bool preload_by_environment(struct preload *preload, const char *path);

#endif
