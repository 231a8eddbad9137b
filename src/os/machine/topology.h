/* SPDX-License-Identifier: MIT */
/*
 * CPUs and memory nodes.
 *
 * Nodes have the machine's numbers, which may have gaps. A set of nodes has one bit for each; nodes
 * from OS_NODES on are ignored.
 */
#ifndef OS_MACHINE_TOPOLOGY_H
#define OS_MACHINE_TOPOLOGY_H

#include "base/compiler.h"

#define OS_NODES 64

/* 1 + the highest CPU number that may ever exist here. */
unsigned int os_possible_cpus(void);

/* The nodes that exist, with memory or CPUs or both; at least one. */
uint64_t os_nodes_online(void);
/* The nodes with memory; at least one. */
uint64_t os_nodes_of_memory(void);
/* The nodes whose memory this process may have (cpusets); at least one. */
uint64_t os_nodes_with_memory(void);
/* The node's memory in bytes; 0 if the kernel does not tell. */
uint64_t os_node_bytes(unsigned int node);
/* The distance of two nodes in the firmware's units. A node's distance to itself is 10. */
unsigned int os_node_distance(unsigned int from, unsigned int to);

/*
 * Reads which CPUs the nodes have. Returns the nodes with CPUs. Before the first call os_cpu_node()
 * knows no CPU's node.
 */
uint64_t os_read_node_cpus(void);
/* The CPU's node, or -1 if it is not known. */
int os_cpu_node(unsigned int cpu);
/* The node of the calling thread's CPU, at the time of the call. */
unsigned int os_current_node(void);

/* Sets MPOL_PREFERRED: pages touched from now on come from that node while it has some. */
void os_prefer_node(void *addr, size_t bytes, unsigned int node);
/* Has the process a memory policy (numactl(8)) other than "the node where it runs"? */
bool os_has_memory_policy(void);
/*
 * The calling thread's memory policy (set_mempolicy(2)): its mode without flags, and its nodes. 0,
 * or a negative errno if the kernel does not tell.
 */
int os_thread_memory_policy(int *mode, unsigned long *nodes);
/* The node's weight for interleaving; 0 if the kernel does not tell. */
unsigned int os_node_weight(unsigned int node);

#endif
