/* SPDX-License-Identifier: MIT */
#include "os/machine/limits.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "base/atomic.h"
#include "base/system_call.h"
#include "os/machine/cgroup.h"
#include "os/machine/topology.h"

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

static uint64_t resource_limit(int resource)
{
	struct rlimit limit;

	if (system_call(SYS_prlimit64, 0, resource, NULL, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

/* The limits as they were read while that was allowed. Sync: atomic; the limits before the flag */
static uint64_t known_address_space, known_data;
static bool are_known;

void os_remember_limits(void)
{
	atomic_store_relaxed(&known_address_space, resource_limit(RLIMIT_AS));
	atomic_store_relaxed(&known_data, resource_limit(RLIMIT_DATA));
	/* pairs with os_address_space_limit() and os_data_limit(): the limits */
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

void os_constant_limit(struct os_limit *limit)
{
	limit->bytes = os_memory_bytes();
	limit->source = "RAM and swap";
	take_cpuset(limit);
}

void os_take_changing_limits(struct os_limit *limit, bool high)
{
	take_smaller(limit, os_address_space_limit(), "RLIMIT_AS");
	take_smaller(limit, os_data_limit(), "RLIMIT_DATA");
	os_cgroup_take_limit(limit, high);
}
