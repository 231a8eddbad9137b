// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "allocators.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"

#define MAX_FILES 4

static const struct {
	const char *name;
	const char *files[MAX_FILES];	/* in order of preference */
} peers[] = {
	{ "jemalloc", { "libjemalloc.so.2", "libjemalloc.so" } },
	{ "mimalloc", { "libmimalloc.so.3", "libmimalloc.so.2", "libmimalloc.so.2.0",
			"libmimalloc.so" } },
	{ "tcmalloc", { "libtcmalloc_minimal.so.4", "libtcmalloc_minimal.so",
			"libtcmalloc.so.4", "libtcmalloc.so" } },
	{ "snmalloc", { "libsnmallocshim.so" } },
	{ "rpmalloc", { "librpmallocwrap.so", "librpmalloc.so" } },
};

/*
 * The allocators that bench/peers/CMakeLists.txt builds. tcmalloc uses restartable sequences for
 * its per-CPU caches only if libc has not registered them.
 */
static const struct {
	const char *name, *file, *variable;
} built_peers[] = {
	{ "jemalloc-new", "libjemalloc.so.2", NULL },
	{ "mimalloc-v2", "libmimalloc-v2.so", NULL },
	{ "mimalloc-v3", "libmimalloc-v3.so", NULL },
	{ "tcmalloc-new", "libtcmalloc-google.so", "GLIBC_TUNABLES=glibc.pthread.rseq=0" },
	{ "snmalloc-new", "libsnmallocshim.so", NULL },
};

static const char *const folders[] = {
	"/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
	"/usr/lib64", "/usr/lib",
};

static bool find_file(const char *file, char path[static 512])
{
	for (unsigned int i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, 512, "%s/%s", folders[i], file);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

static unsigned int find_system_peers(struct allocator *allocators, unsigned int nr)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(peers) && nr < MAX_ALLOCATORS; i++)
		for (unsigned int j = 0; j < MAX_FILES && peers[i].files[j]; j++) {
			if (!find_file(peers[i].files[j], allocators[nr].path))
				continue;
			allocators[nr++].name = peers[i].name;
			break;
		}
	return nr;
}

static unsigned int find_built_peers(struct allocator *allocators, unsigned int nr,
				     const char *folder)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(built_peers) && nr < MAX_ALLOCATORS; i++) {
		struct allocator *allocator = &allocators[nr];

		snprintf(allocator->path, sizeof(allocator->path), "%s/%s", folder,
			 built_peers[i].file);
		if (access(allocator->path, R_OK))
			continue;
		allocator->name = built_peers[i].name;
		allocator->variable = built_peers[i].variable;
		nr++;
	}
	return nr;
}

unsigned int allocators_find(struct allocator *allocators, const char *preload,
			     const char *folder)
{
	unsigned int nr = 0;

	memset(allocators, 0, MAX_ALLOCATORS * sizeof(*allocators));
	if (preload) {
		allocators[nr].name = "usermm";
		snprintf(allocators[nr].path, sizeof(allocators[nr].path), "%s", preload);
		nr++;
	}
	allocators[nr++].name = "glibc";
	nr = find_system_peers(allocators, nr);
	return folder ? find_built_peers(allocators, nr, folder) : nr;
}

bool allocators_in_use(const char *path)
{
	char wanted[PATH_MAX], used[PATH_MAX];
	const void *address = dlsym(RTLD_DEFAULT, "malloc");
	const char *file;
	Dl_info info;

	if (!address || !dladdr(address, &info) || !realpath(info.dli_fname, used))
		return false;
	if (*path)
		return realpath(path, wanted) && !strcmp(wanted, used);
	file = strrchr(used, '/');
	return file && (!strncmp(file, "/libc.so", 8) || !strncmp(file, "/libc-", 6));
}
