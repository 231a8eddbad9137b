/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_NUMA_H
#define _LINUX_NUMA_H

#define NODES_SHIFT 0
#define MAX_NUMNODES 1
#define NUMA_NO_NODE (-1)

#endif
