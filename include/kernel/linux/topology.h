/* SPDX-License-Identifier: MIT */
/*
 * CPUs and memory nodes. Emulated nodes (option nodes=) get the CPUs in turn. The machine's nodes
 * have the CPUs that are pinned to their processors.
 */
#ifndef KERNEL_LINUX_TOPOLOGY_H
#define KERNEL_LINUX_TOPOLOGY_H

#include <asm/msr.h>
#include <linux/cpumask.h>
#include <linux/list_nulls.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/smp.h>
#include <linux/time64.h>
#include <linux/workqueue_types.h>

#define LOCAL_DISTANCE 10
#define REMOTE_DISTANCE 20

USERMM_BEGIN_DECLS

int usermm_cpu_to_node(int cpu) __attribute__((visibility("default")));
/* The node itself; if it has no memory, the first node that serves its requests. */
int usermm_node_to_mem_node(int node) __attribute__((visibility("default")));
int usermm_node_distance(int from, int to) __attribute__((visibility("default")));

USERMM_END_DECLS

static inline int cpu_to_node(int cpu)
{
	return nr_node_ids == 1 ? 0 : usermm_cpu_to_node(cpu);
}

static inline int numa_node_id(void)
{
	return nr_node_ids == 1 ? 0 : usermm_cpu_to_node(raw_smp_processor_id());
}

static inline int usermm_mem_node_of(int node)
{
	return nr_node_ids == 1 ? 0 : usermm_node_to_mem_node(node);
}

static inline int cpu_to_mem(int cpu)
{
	return usermm_mem_node_of(cpu_to_node(cpu));
}

static inline int numa_mem_id(void)
{
	return usermm_mem_node_of(numa_node_id());
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 8, 0)
#define node_to_mem_node(node) usermm_mem_node_of(node)
#else
USERMM_REMOVED(node_to_mem_node, "5.8", "the node: its requests find memory")
#endif

#define early_cpu_to_node(cpu) cpu_to_node(cpu)
#define node_distance(from, to) usermm_node_distance((from), (to))
#define topology_physical_package_id(cpu) ((void)(cpu), 0)
#define topology_core_id(cpu) (cpu)
#define topology_sibling_cpumask(cpu) cpumask_of(cpu)
#define topology_core_cpumask(cpu) cpu_online_mask
#define nr_cpus_node(node) cpumask_weight(cpumask_of_node(node))
#define for_each_node_with_cpus(node) \
	for_each_online_node(node)	  \
		if (!nr_cpus_node(node)) { } else

#endif
