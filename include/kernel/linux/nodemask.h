/* SPDX-License-Identifier: MIT */
/* Sets of memory nodes; there is node 0. */
#ifndef KERNEL_LINUX_NODEMASK_H
#define KERNEL_LINUX_NODEMASK_H

#include <linux/bitmap.h>
#include <linux/nodemask_types.h>
#include <linux/numa.h>

#define NODE_MASK_NONE ((nodemask_t){ { 0 } })
#define NODE_MASK_ALL ((nodemask_t){ { (1UL << (MAX_NUMNODES - 1) << 1) - 1 } })
#define nodemask_of_node(node) ((nodemask_t){ { 1UL << (node) } })

#define node_set(node, mask) set_bit((unsigned int)(node), (mask).bits)
#define node_clear(node, mask) clear_bit((unsigned int)(node), (mask).bits)
#define node_isset(node, mask) test_bit((unsigned int)(node), (mask).bits)
#define node_test_and_set(node, mask) test_and_set_bit((unsigned int)(node), (mask).bits)
#define nodes_clear(mask) bitmap_zero((mask).bits, MAX_NUMNODES)
#define nodes_setall(mask) bitmap_fill((mask).bits, MAX_NUMNODES)
#define nodes_and(to, a, b) bitmap_and((to).bits, (a).bits, (b).bits, MAX_NUMNODES)
#define nodes_or(to, a, b) bitmap_or((to).bits, (a).bits, (b).bits, MAX_NUMNODES)
#define nodes_andnot(to, a, b) bitmap_andnot((to).bits, (a).bits, (b).bits, MAX_NUMNODES)
#define nodes_equal(a, b) bitmap_equal((a).bits, (b).bits, MAX_NUMNODES)
#define nodes_intersects(a, b) bitmap_intersects((a).bits, (b).bits, MAX_NUMNODES)
#define nodes_subset(a, b) bitmap_subset((a).bits, (b).bits, MAX_NUMNODES)
#define nodes_empty(mask) bitmap_empty((mask).bits, MAX_NUMNODES)
#define nodes_full(mask) bitmap_full((mask).bits, MAX_NUMNODES)
#define nodes_weight(mask) ((int)bitmap_weight((mask).bits, MAX_NUMNODES))
#define nodemask_pr_args(mask) MAX_NUMNODES, (mask)->bits
#define first_node(mask) ((int)find_first_bit((mask).bits, MAX_NUMNODES))
#define next_node(node, mask) \
	((int)find_next_bit((mask).bits, MAX_NUMNODES, (unsigned long)((node) + 1)))
#define next_node_in(node, mask) \
	(next_node(node, mask) < MAX_NUMNODES ? next_node(node, mask) : first_node(mask))
#define for_each_node_mask(node, mask) \
	for ((node) = first_node(mask); (node) < MAX_NUMNODES; (node) = next_node(node, mask))

enum node_states { N_POSSIBLE, N_ONLINE, N_NORMAL_MEMORY, N_MEMORY, N_CPU, NR_NODE_STATES };
#define N_HIGH_MEMORY N_NORMAL_MEMORY

#define node_states ((nodemask_t[NR_NODE_STATES]){ { { 1 } }, { { 1 } }, { { 1 } }, { { 1 } }, { { 1 } } })
#define node_online_map ((nodemask_t){ { 1 } })
#define node_possible_map ((nodemask_t){ { 1 } })
#define node_state(node, state) ((node) == 0)
#define node_online(node) ((node) == 0)
#define node_possible(node) ((node) == 0)
#define num_node_state(state) 1
#define num_online_nodes() 1
#define num_possible_nodes() 1
#define nr_node_ids 1u
#define nr_online_nodes 1u
#define first_online_node 0
#define first_memory_node 0
#define next_online_node(node) MAX_NUMNODES
#define for_each_node_state(node, state) for ((node) = 0; (node) < 1; (node)++)
#define for_each_node(node) for_each_node_state(node, N_POSSIBLE)
#define for_each_online_node(node) for_each_node_state(node, N_ONLINE)

#endif
