/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_NUMA_H
#define _LINUX_NUMA_H

#include <linux/init.h>
#include <linux/minmax.h>
#include <usermm/compiler.h>

#define NODES_SHIFT 4
#define MAX_NUMNODES (1 << NODES_SHIFT)
#define NUMA_NO_NODE (-1)
#define numa_valid_node(nid) ((nid) >= 0 && (nid) < MAX_NUMNODES)

USERMM_BEGIN_DECLS

/* The node itself if it has the state (enum node_states), else the nearest node that has. */
int numa_nearest_node(int node, unsigned int state) USERMM_API(numa_nearest_node);
/* The node itself if it is online, else the nearest online node. */
int numa_map_to_online_node(int node) USERMM_API(numa_map_to_online_node);

USERMM_END_DECLS

#endif
