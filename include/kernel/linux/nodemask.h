/* SPDX-License-Identifier: MIT */
/* Sets of memory nodes, and the states of nodes. */
#ifndef KERNEL_LINUX_NODEMASK_H
#define KERNEL_LINUX_NODEMASK_H

#include <linux/bitmap.h>
#include <linux/nodemask_types.h>
#include <linux/numa.h>
#include <linux/random.h>

#define NODE_MASK_NONE ((nodemask_t){ { 0 } })
#define NODE_MASK_ALL ((nodemask_t){ { (1UL << (MAX_NUMNODES - 1) << 1) - 1 } })
#define nodemask_of_node(node) ((nodemask_t){ { 1UL << (node) } })
#define init_nodemask_of_node(mask, node) ((void)(*(mask) = nodemask_of_node(node)))
#define nodes_addr(mask) ((mask).bits)

#define node_set(node, mask) set_bit((unsigned int)(node), (mask).bits)
#define node_clear(node, mask) clear_bit((unsigned int)(node), (mask).bits)
#define node_isset(node, mask) test_bit((unsigned int)(node), (mask).bits)
#define node_test_and_set(node, mask) test_and_set_bit((unsigned int)(node), (mask).bits)
#define nodes_clear(mask) bitmap_zero((mask).bits, MAX_NUMNODES)
#define nodes_setall(mask) bitmap_fill((mask).bits, MAX_NUMNODES)
#define nodes_and(to, a, b) bitmap_and((to).bits, (a).bits, (b).bits, MAX_NUMNODES)
#define nodes_or(to, a, b) bitmap_or((to).bits, (a).bits, (b).bits, MAX_NUMNODES)
#define nodes_andnot(to, a, b) bitmap_andnot((to).bits, (a).bits, (b).bits, MAX_NUMNODES)
#define nodes_xor(to, a, b) bitmap_xor((to).bits, (a).bits, (b).bits, MAX_NUMNODES)
#define nodes_complement(to, a) bitmap_complement((to).bits, (a).bits, MAX_NUMNODES)
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
#define first_unset_node(mask) ((int)find_first_zero_bit((mask).bits, MAX_NUMNODES))
#define next_node_in(node, mask) \
	(next_node(node, mask) < MAX_NUMNODES ? next_node(node, mask) : first_node(mask))
#define for_each_node_mask(node, mask) \
	for ((node) = first_node(mask); (node) < MAX_NUMNODES; (node) = next_node(node, mask))

enum node_states {
	N_POSSIBLE,
	N_ONLINE,
	N_NORMAL_MEMORY,
	N_HIGH_MEMORY = N_NORMAL_MEMORY,
	N_MEMORY,
	N_CPU,
	N_GENERIC_INITIATOR,
	NR_NODE_STATES
};

USERMM_BEGIN_DECLS

/* Sync: constant before there are modules. */
extern nodemask_t node_states[NR_NODE_STATES] USERMM_API(node_states);
extern unsigned int nr_node_ids USERMM_API(nr_node_ids);
extern unsigned int nr_online_nodes USERMM_API(kernel_nr_online_nodes);
int node_random(const nodemask_t *mask) USERMM_API(node_random);

USERMM_END_DECLS

#define node_online_map node_states[N_ONLINE]
#define node_possible_map node_states[N_POSSIBLE]

static inline int node_state(int node, enum node_states state)
{
	return node >= 0 && node < MAX_NUMNODES && node_isset(node, node_states[state]);
}

#define num_node_state(state) nodes_weight(node_states[state])
#define node_online(node) node_state((node), N_ONLINE)
#define node_possible(node) node_state((node), N_POSSIBLE)
#define num_online_nodes() num_node_state(N_ONLINE)
#define num_possible_nodes() num_node_state(N_POSSIBLE)
#define first_online_node first_node(node_states[N_ONLINE])
#define first_memory_node first_node(node_states[N_MEMORY])
#define next_online_node(node) next_node((node), node_states[N_ONLINE])
#define next_memory_node(node) next_node((node), node_states[N_MEMORY])
#define for_each_node_state(node, state) for_each_node_mask((node), node_states[state])
#define for_each_node(node) for_each_node_state(node, N_POSSIBLE)
#define for_each_online_node(node) for_each_node_state(node, N_ONLINE)

/* Masks are small, so they are on the stack. */
#define NODEMASK_ALLOC(type, name, gfp) type usermm_##name, *name = &usermm_##name
#define NODEMASK_FREE(name) do { } while (0)
#define NODEMASK_SCRATCH(name) \
	struct { nodemask_t mask1, mask2; } usermm_##name, *name = &usermm_##name
#define NODEMASK_SCRATCH_FREE(name) do { } while (0)

#endif
