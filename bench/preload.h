/* SPDX-License-Identifier: MIT */
/* What to say in the environment to have a library preloaded. */
#ifndef BENCH_PRELOAD_H
#define BENCH_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

struct preload {
	const char *name;	/* for LD_PRELOAD */
	char folder[PATH_MAX];	/* for LD_LIBRARY_PATH as well, or empty */
};

/*
 * The dynamic linker splits LD_PRELOAD at spaces and colons, but LD_LIBRARY_PATH at colons and
 * semicolons: so a path with a space goes into both, as a name and a folder. False if there is
 * no way to say it. The path is an absolute one and has to outlive the result.
 */
bool preload_by_environment(struct preload *preload, const char *path);

#endif
