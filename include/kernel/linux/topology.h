/* SPDX-License-Identifier: MIT */
/* One memory node holds all CPUs. */
#ifndef KERNEL_LINUX_TOPOLOGY_H
#define KERNEL_LINUX_TOPOLOGY_H

#include <linux/cpumask.h>
#include <linux/nodemask.h>
#include <linux/smp.h>

static inline int cpu_to_node(int cpu)
{
	(void)cpu;
	return 0;
}

static inline int numa_node_id(void)
{
	return 0;
}

static inline int numa_mem_id(void)
{
	return 0;
}

#define early_cpu_to_node(cpu) cpu_to_node(cpu)
#define cpu_to_mem(cpu) cpu_to_node(cpu)
#define node_to_mem_node(node) (node)
#define LOCAL_DISTANCE 10
#define REMOTE_DISTANCE 20
#define node_distance(from, to) ((from) == (to) ? LOCAL_DISTANCE : REMOTE_DISTANCE)
#define topology_physical_package_id(cpu) ((void)(cpu), 0)
#define topology_core_id(cpu) (cpu)
#define topology_sibling_cpumask(cpu) cpumask_of(cpu)
#define topology_core_cpumask(cpu) cpu_online_mask
#define nr_cpus_node(node) nr_cpu_ids

#endif
