/* SPDX-License-Identifier: MIT */
/* A real memory cgroup of a test's own, of either version. */
#ifndef MALLOC_GROUP_H
#define MALLOC_GROUP_H

#include <limits.h>
#include <sys/stat.h>

#include "harness.h"

struct group_version {
	const char *parent, *limit, *usage;
};

static const struct group_version group_versions[] = {
	{ "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes" },
	{ "/sys/fs/cgroup", "memory.max", "memory.current" },
};

static inline const struct group_version *group_version_of(const char *folder)
{
	return &group_versions[strncmp(folder, group_versions[0].parent,
				       strlen(group_versions[0].parent)) ? 1 : 0];
}

static inline bool group_write(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	bool good;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return good;
}

static inline bool group_set_limit(const char *folder, size_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", bytes);
	return group_write(folder, group_version_of(folder)->limit, text);
}

/* The bytes that all its processes use. */
static inline size_t group_usage(const char *folder)
{
	char path[PATH_MAX], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, group_version_of(folder)->usage);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	read_rest(fd, text, sizeof(text));
	close(fd);
	return strtoul(text, NULL, 10);
}

/* Makes a group with the limit, and fills in its path. False if this process may make none. */
static inline bool group_make(char *folder, size_t size, size_t limit)
{
	for (size_t i = 0; i < ARRAY_SIZE(group_versions); i++) {
		snprintf(folder, size, "%s/usermm-test-%d", group_versions[i].parent,
			 (int)getpid());
		if (mkdir(folder, 0755))
			continue;
		if (group_set_limit(folder, limit))
			return true;
		rmdir(folder);
	}
	return false;
}

static inline void group_enter(const char *folder)
{
	REQUIRE(group_write(folder, "cgroup.procs", "0"));
}

/* The kernel may still be busy with the last process. */
static inline void group_remove(const char *folder)
{
	for (unsigned int i = 0; i < 100 && rmdir(folder); i++)
		sleep_us(10000);
}

#endif
