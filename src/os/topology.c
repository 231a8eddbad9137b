/* SPDX-License-Identifier: MIT */
/* Memory nodes: how many, how far apart, and whose CPU and memory is whose. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fmt.h"
#include "os/os.h"

#define LOCAL_DISTANCE 10
#define REMOTE_DISTANCE 20

static uint64_t number_at(const char *text)
{
	uint64_t value = 0;

	while (*text >= '0' && *text <= '9')
		value = value * 10 + (uint64_t)(*text++ - '0');
	return value;
}

static const char *skip_spaces(const char *text)
{
	return text + strspn(text, " ");
}

static long read_node_file(unsigned int node, const char *name, char *text, size_t size)
{
	char path[64];

	fmt_format(path, sizeof(path), "/sys/devices/system/node/node%u/%s", node, name);
	return os_read_file(path, text, size);
}

/* The line has a number for each node that is online; they are numbered without gaps. */
unsigned int os_node_distance(unsigned int from, unsigned int to)
{
	char text[512];
	const char *number = text;
	unsigned int distance = from == to ? LOCAL_DISTANCE : REMOTE_DISTANCE;

	if (read_node_file(from, "distance", text, sizeof(text)) <= 0)
		return distance;
	for (unsigned int i = 0; i < to; i++)
		number = skip_spaces(number + strcspn(number, " "));
	return *number >= '1' && *number <= '9' ? (unsigned int)number_at(number) : distance;
}

uint64_t os_node_bytes(unsigned int node)
{
	static const char name[] = "MemTotal:";
	char text[1024];
	const char *line;

	if (read_node_file(node, "meminfo", text, sizeof(text)) <= 0)
		return 0;
	line = strstr(text, name);
	return line ? number_at(skip_spaces(line + sizeof(name) - 1)) * KIB : 0;
}

unsigned int os_current_node(void)
{
	unsigned int cpu, node;

	return syscall(SYS_getcpu, &cpu, &node, NULL) ? 0 : node;
}

void os_prefer_node(void *addr, size_t bytes, unsigned int node)
{
	unsigned long nodes = 1UL << node;
	int saved_errno = errno;

	syscall(SYS_mbind, addr, bytes, MPOL_PREFERRED, &nodes, sizeof(nodes) * 8, 0);
	errno = saved_errno;
}

/* As many nodes as a kernel may be built for. */
#define POLICY_NODES 1024

int os_thread_memory_policy(int *mode, unsigned long *nodes)
{
	unsigned long mask[POLICY_NODES / (8 * sizeof(long))] = { 0 };
	int saved_errno = errno, error = 0;

	if (syscall(SYS_get_mempolicy, mode, mask, POLICY_NODES, NULL, 0))
		error = -errno;
	errno = saved_errno;
	*mode &= ~(MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES | MPOL_F_NUMA_BALANCING);
	*nodes = mask[0];
	return error;
}

unsigned int os_node_weight(unsigned int node)
{
	char path[80], text[16];

	fmt_format(path, sizeof(path), "/sys/kernel/mm/mempolicy/weighted_interleave/node%u", node);
	return os_read_file(path, text, sizeof(text)) > 0 ? (unsigned int)number_at(text) : 0;
}

bool os_thread_is_realtime(void)
{
	int saved_errno = errno;
	long policy = syscall(SYS_sched_getscheduler, 0);

	errno = saved_errno;
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

void os_thread_make_ordinary(void)
{
	struct sched_param none = { 0 };
	int saved_errno = errno;

	/* Not libc's function, which musl does not have. */
	if (os_thread_is_realtime())
		syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &none);
	errno = saved_errno;
}
