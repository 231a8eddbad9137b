/* SPDX-License-Identifier: MIT */
#include "os/machine/topology.h"

#include <linux/mempolicy.h>
#include <sched.h>

#include "base/atomic.h"
#include "base/fmt.h"
#include "base/system_call.h"
#include "base/text.h"
#include "os/file.h"
#include "os/machine/cpu.h"
#include "os/text.h"

#define LOCAL_DISTANCE 10
#define REMOTE_DISTANCE 20

/* The node of each CPU: node + 1, or 0 if it is not known. Sync: atomic relaxed */
#define CPUS_MAX 8192
static uint8_t cpu_nodes[CPUS_MAX] __large_bss;

/* The next range of a list such as "0-3,8-11"; *list moves behind it. False behind the last one. */
static bool next_range(const char **list, unsigned int *first, unsigned int *last)
{
	*list += strspn(*list, ", \t");
	if (**list < '0' || **list > '9')
		return false;
	*first = *last = (unsigned int)text_number(list);
	if (**list == '-') {
		++*list;
		*last = (unsigned int)text_number(list);
	}
	return true;
}

/* --- CPUs ------------------------------------------------------------------------ */

unsigned int os_possible_cpus(void)
{
	unsigned int cpus = 0, first, last;
	char text[256];
	const char *list = text;
	cpu_set_t set;

	if (os_read_fact("/sys/devices/system/cpu/possible", text, sizeof(text)) > 0)
		while (next_range(&list, &first, &last))
			cpus = last + 1;
	if (cpus)
		return cpus;
	/* Without /sys: the highest CPU that this process may use. */
	CPU_ZERO(&set);
	if (system_call(SYS_sched_getaffinity, 0, sizeof(set), &set) > 0)
		for (unsigned int i = 0; i < CPU_SETSIZE; i++)
			if (CPU_ISSET(i, &set))
				cpus = i + 1;
	return cpus ? cpus : 1;
}

/* --- Nodes ----------------------------------------------------------------------- */

static uint64_t nodes_of_list(const char *list)
{
	unsigned int first, last;
	uint64_t nodes = 0;

	while (next_range(&list, &first, &last))
		for (unsigned int node = first; node <= last && node < OS_NODES; node++)
			nodes |= 1UL << node;
	return nodes;
}

static uint64_t nodes_of_file(const char *path)
{
	char text[512];

	return os_read_fact(path, text, sizeof(text)) > 0 ? nodes_of_list(text) : 0;
}

uint64_t os_nodes_online(void)
{
	uint64_t nodes = nodes_of_file("/sys/devices/system/node/online");

	return nodes ? nodes : 1;
}

/* The text behind `name` in the line that begins with it; NULL if there is no such line. */
static const char *find_line(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? line + strlen(name) + strspn(line + strlen(name), " \t") : NULL;
}

/* The nodes of the process's cpuset; all if there are no cpusets. */
static seldom_called uint64_t nodes_of_cpuset(void)
{
	char text[8192];
	const char *list = NULL;
	uint64_t nodes = 0;

	if (os_read_fact("/proc/self/status", text, sizeof(text)) > 0)
		list = find_line(text, "Mems_allowed_list:");
	if (list)
		nodes = nodes_of_list(list);
	return nodes ? nodes : ~0UL;
}

/*
 * Can the machine have one node at most? The kernel refuses a mask shorter than its highest node
 * number. (Before 4.19 it accepts only masks as long as the longest.)
 */
static bool is_one_node(void)
{
	unsigned long nodes;
	int mode;

	return !system_call(SYS_get_mempolicy, &mode, &nodes, 1);
}

/*
 * Several layers ask. If one node has all memory, as on most machines, the answer is kept: reading
 * a file takes as long as twenty of the smallest system calls. get_mempolicy() may save even that
 * one read.
 */
uint64_t os_nodes_of_memory(void)
{
	static uint64_t kept;		/* the one node's bit, or 0. Sync: atomic relaxed */
	uint64_t nodes = *os_root ? 0 : atomic_load_relaxed(&kept);

	if (nodes)
		return nodes;
	if (*os_root || !is_one_node())
		nodes = nodes_of_file("/sys/devices/system/node/has_memory");
	if (!nodes)
		nodes = 1;
	if (!*os_root && !(nodes & (nodes - 1)))
		atomic_store_relaxed(&kept, nodes);
	return nodes;
}

uint64_t os_nodes_with_memory(void)
{
	uint64_t nodes = os_nodes_of_memory(), allowed;

	if (!(nodes & (nodes - 1)))
		return nodes;
	allowed = nodes & nodes_of_cpuset();
	return allowed ? allowed : nodes;
}

bool os_has_memory_policy(void)
{
	int mode = MPOL_DEFAULT;

	system_call(SYS_get_mempolicy, &mode);
	return mode != MPOL_DEFAULT && mode != MPOL_LOCAL;
}

static long read_node_file(unsigned int node, const char *name, char *text, size_t size)
{
	char path[64];

	fmt_format(path, sizeof(path), "/sys/devices/system/node/node%u/%s", node, name);
	return os_read_fact(path, text, size);
}

/* The line has a number for each online node, and none for those in gaps. */
seldom_called unsigned int os_node_distance(unsigned int from, unsigned int to)
{
	unsigned int distance = from == to ? LOCAL_DISTANCE : REMOTE_DISTANCE;
	uint64_t nodes = os_nodes_online();
	const char *number, *end;
	char text[512];

	if (to >= OS_NODES || !(nodes >> to & 1) ||
	    read_node_file(from, "distance", text, sizeof(text)) <= 0)
		return distance;
	number = text + strspn(text, " ");
	for (unsigned int i = 0; i < to; i++)
		if (nodes >> i & 1) {
			number += strcspn(number, " ");
			number += strspn(number, " ");
		}
	end = number;
	nodes = text_number(&end);
	return end > number ? (unsigned int)nodes : distance;
}

seldom_called uint64_t os_node_bytes(unsigned int node)
{
	const char *number;
	char text[1024];

	if (read_node_file(node, "meminfo", text, sizeof(text)) <= 0)
		return 0;
	number = find_line(text, "MemTotal:");
	return number ? text_number(&number) * KIB : 0;
}

seldom_called uint64_t os_read_node_cpus(void)
{
	uint64_t nodes = os_nodes_online(), with_cpus = 0;
	unsigned int first, last;
	char text[4096];

	for (unsigned int node = 0; node < OS_NODES; node++) {
		const char *list = text;

		if (!(nodes >> node & 1) ||
		    read_node_file(node, "cpulist", text, sizeof(text)) <= 0)
			continue;
		while (next_range(&list, &first, &last)) {
			with_cpus |= 1UL << node;
			for (unsigned int cpu = first; cpu <= last && cpu < CPUS_MAX; cpu++)
				atomic_store_relaxed(&cpu_nodes[cpu], (uint8_t)(node + 1));
		}
	}
	return with_cpus;
}

int os_cpu_node(unsigned int cpu)
{
	return cpu < CPUS_MAX ? atomic_load_relaxed(&cpu_nodes[cpu]) - 1 : -1;
}

/* Looks in the table first, which saves a system call. */
unsigned int os_current_node(void)
{
	unsigned int cpu, node;
	int known = os_cpu_node(os_current_cpu());

	if (known >= 0)
		return (unsigned int)known;
	return system_call(SYS_getcpu, &cpu, &node) ? 0 : node;
}

void os_prefer_node(void *addr, size_t bytes, unsigned int node)
{
	unsigned long nodes = 1UL << node;

	system_call(SYS_mbind, addr, bytes, MPOL_PREFERRED, &nodes, sizeof(nodes) * 8, 0);
}

/* As many nodes as a kernel may be built for. */
#define POLICY_NODES 1024

int os_thread_memory_policy(int *mode, unsigned long *nodes)
{
	unsigned long mask[POLICY_NODES / (8 * sizeof(long))] = { 0 };
	int error = (int)system_call(SYS_get_mempolicy, mode, mask, POLICY_NODES);

	*mode &= ~(MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES | MPOL_F_NUMA_BALANCING);
	*nodes = mask[0];
	return error;
}

unsigned int os_node_weight(unsigned int node)
{
	char path[80], text[16];
	const char *at = text;

	fmt_format(path, sizeof(path), "/sys/kernel/mm/mempolicy/weighted_interleave/node%u", node);
	return os_read_fact(path, text, sizeof(text)) > 0 ? (unsigned int)text_number(&at) : 0;
}

FOR_KERNEL(os_prefer_node);
