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
#include "measure/machine.h"

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

/* mimalloc's number is 217 for 2.1.7 and, since 3.2, 30204 for 3.2.4. */
static void show_mimalloc_version(int number, char *text)
{
	int base = number < 10000 ? 10 : 100;

	snprintf(text, ALLOCATOR_VERSION_BYTES, "%d.%d.%d", number / base / base,
		 number / base % base, number % base);
}

/* Calls the library's own function that tells its version. Returns false if it has none. */
static bool ask_library(void *library, char *text)
{
	const char *(*usermm)(void) = (const char *(*)(void))dlsym(library, "usermm_version");
	int (*mimalloc)(void) = (int (*)(void))dlsym(library, "mi_version");
	const char *(*gperftools)(int *, int *, const char **) =
		(const char *(*)(int *, int *, const char **))dlsym(library, "tc_version");
	int (*jemalloc)(const char *, void *, size_t *, void *, size_t) =
		(int (*)(const char *, void *, size_t *, void *, size_t))dlsym(library, "mallctl");
	const char *found = NULL;
	size_t bytes = sizeof(found);

	if (usermm)
		found = usermm();
	else if (mimalloc)
		show_mimalloc_version(mimalloc(), text);
	else if (gperftools)
		found = gperftools(NULL, NULL, NULL);
	else if (!jemalloc || jemalloc("version", &found, &bytes, NULL, 0))
		return false;
	if (found)	/* "5.3.1-0-gHASH" is 5.3.1 */
		snprintf(text, ALLOCATOR_VERSION_BYTES, "%.*s", (int)strcspn(found, "-"), found);
	return true;
}

/* From the list that bench/peers/CMakeLists.txt writes beside its libraries: FILE VERSION. */
static void read_list(const char *path, char *text)
{
	const char *file = strrchr(path, '/');
	char list[600], line[128], name[64], version[ALLOCATOR_VERSION_BYTES];
	FILE *lines;

	if (!file)
		return;
	snprintf(list, sizeof(list), "%.*s/versions.txt", (int)(file - path), path);
	lines = fopen(list, "re");
	while (lines && fgets(line, sizeof(line), lines))
		if (sscanf(line, "%63s %47[^\n]", name, version) == 2 && !strcmp(name, file + 1))
			memcpy(text, version, ALLOCATOR_VERSION_BYTES);
	if (lines)
		fclose(lines);
}

const char *allocators_version(const char *path, char text[static ALLOCATOR_VERSION_BYTES])
{
	void *library;

	text[0] = '\0';
	if (!*path)
		snprintf(text, ALLOCATOR_VERSION_BYTES, "%s", strchr(machine_libc(), ' ') + 1);
	else {
		library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
		if (!library || !ask_library(library, text))
			read_list(path, text);
	}
	return text;
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
