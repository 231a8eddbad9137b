/* SPDX-License-Identifier: MIT */
#include "os/machine/limits.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "base/atomic.h"
#include "base/fmt.h"
#include "base/system_call.h"
#include "base/text.h"
#include "os/file.h"
#include "os/machine/topology.h"
#include "os/text.h"

#define PATH_BYTES 512

uint64_t os_memory_bytes(void)
{
	struct sysinfo info;

	if (system_call(SYS_sysinfo, &info))
		return 4 * GIB;
	return ((uint64_t)info.totalram + info.totalswap) * info.mem_unit;
}

static void take_smaller(struct os_limit *limit, uint64_t bytes, const char *source)
{
	if (bytes < limit->bytes) {
		limit->bytes = bytes;
		limit->source = source;
	}
}

/* One cgroup directory's limit file. A file with "max", or none, is no limit. */
static void take_cgroup_file(struct os_limit *limit, const char *directory, const char *file,
			     const char *source)
{
	char path[PATH_BYTES], text[64];
	const char *end = text;
	uint64_t bytes;

	fmt_format(path, sizeof(path), "%s/%s", directory, file);
	if (os_read_fact(path, text, sizeof(text)) <= 0)
		return;
	bytes = text_number(&end);
	if (end > text)		/* else it is "max" */
		take_smaller(limit, bytes, source);
}

/* The cgroup's own limit and those of all its parents. */
static void take_cgroup(struct os_limit *limit, const char *mount, const char *group,
			size_t group_length, const char *file, const char *source)
{
	char directory[PATH_BYTES];
	size_t mount_length = strlen(mount);

	if (mount_length + group_length + 1 > sizeof(directory))
		return;
	if (group_length == 1)		/* "/" is the mount itself */
		group_length = 0;
	memcpy(directory, mount, mount_length);
	memcpy(directory + mount_length, group, group_length);
	directory[mount_length + group_length] = '\0';
	for (;;) {
		char *slash;

		take_cgroup_file(limit, directory, file, source);
		slash = strrchr(directory, '/');
		if (!slash || (size_t)(slash - directory) < mount_length)
			break;
		*slash = '\0';
	}
}

/* Lines of /proc/self/cgroup: "number:controllers:path". */
static void take_cgroups(struct os_limit *limit)
{
	char text[4096];
	char *line = text;

	if (os_read_fact("/proc/self/cgroup", text, sizeof(text)) <= 0)
		return;
	while (*line) {
		size_t length = strcspn(line, "\n");
		char *controllers = memchr(line, ':', length);
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;
		char *end = line + length;

		if (group && group < end) {
			*group++ = '\0';
			if (!controllers[1])
				take_cgroup(limit, "/sys/fs/cgroup", group, (size_t)(end - group),
					    "memory.max", "memory cgroup v2");
			else if (strstr(controllers + 1, "memory"))
				take_cgroup(limit, "/sys/fs/cgroup/memory", group,
					    (size_t)(end - group), "memory.limit_in_bytes",
					    "memory cgroup v1");
		}
		line = end + (*end == '\n');
	}
}

static uint64_t resource_limit(int resource)
{
	struct rlimit limit;

	if (system_call(SYS_prlimit64, 0, resource, NULL, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

/* What is known once reading may be forbidden. Sync: atomic; the limits before the flag */
static uint64_t known_address_space, known_data;
static bool are_known;

void os_remember_limits(void)
{
	atomic_store_relaxed(&known_address_space, resource_limit(RLIMIT_AS));
	atomic_store_relaxed(&known_data, resource_limit(RLIMIT_DATA));
	/* pairs with the loads of the limits: the limits */
	atomic_store_release(&are_known, true);
}

uint64_t os_address_space_limit(void)
{
	/* pairs with os_remember_limits(): the limit */
	return atomic_load_acquire(&are_known) ? atomic_load_relaxed(&known_address_space) :
						 resource_limit(RLIMIT_AS);
}

uint64_t os_data_limit(void)
{
	/* pairs with os_remember_limits(): the limit */
	return atomic_load_acquire(&are_known) ? atomic_load_relaxed(&known_data) :
						 resource_limit(RLIMIT_DATA);
}

void os_renew_limits(void)
{
	if (atomic_load_relaxed(&are_known))
		os_remember_limits();
}

/*
 * A cpuset may permit only some of the nodes: subtracts the memory of the others. Swap is not part
 * of a node.
 */
static void take_cpuset(struct os_limit *limit)
{
	uint64_t with_memory = os_nodes_of_memory(), nodes, all = 0, allowed = 0;

	if (!(with_memory & (with_memory - 1)))
		return;
	nodes = os_nodes_with_memory();
	for (unsigned int node = 0; node < OS_NODES; node++) {
		uint64_t bytes = with_memory >> node & 1 ? os_node_bytes(node) : 0;

		all += bytes;
		allowed += nodes >> node & 1 ? bytes : 0;
	}
	if (allowed && allowed < all && all - allowed < limit->bytes)
		take_smaller(limit, limit->bytes - (all - allowed), "cpuset");
}

void os_memory_limit(struct os_limit *limit)
{
	limit->bytes = os_memory_bytes();
	limit->source = "RAM and swap";
	take_cpuset(limit);
	take_smaller(limit, os_address_space_limit(), "RLIMIT_AS");
	take_smaller(limit, os_data_limit(), "RLIMIT_DATA");
	take_cgroups(limit);
}
