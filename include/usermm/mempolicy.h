/* SPDX-License-Identifier: MIT */
/*
 * Memory policies: which nodes a thread's pages come from.
 *
 * Where the machine's nodes are the library's, a thread's policy is the one that it set by
 * set_mempolicy(2). A policy that it sets here comes first; it is the only one where nodes
 * are nodes in name only (option nodes=), of which the kernel knows nothing.
 *
 * Modes have the numbers of <linux/mempolicy.h> (MPOL_...), of which this header is
 * independent. cf. Linux mm/mempolicy.c.
 */
#ifndef USERMM_MEMPOLICY_H
#define USERMM_MEMPOLICY_H

#include "page.h"

enum usermm_mpol {
	USERMM_MPOL_DEFAULT,		/* what was set by set_mempolicy(2) */
	USERMM_MPOL_PREFERRED,		/* one node first; without nodes the caller's own */
	USERMM_MPOL_BIND,		/* those nodes alone */
	USERMM_MPOL_INTERLEAVE,		/* those nodes in turn */
	USERMM_MPOL_LOCAL,		/* the caller's own node first */
	USERMM_MPOL_PREFERRED_MANY,	/* those nodes first */
	USERMM_MPOL_WEIGHTED_INTERLEAVE	/* in turn, a node's weight of pages each */
};

USERMM_BEGIN_DECLS

/*
 * The calling thread's policy, one bit of *nodes for each node. 0, or -EINVAL: no such mode,
 * nodes for a mode that takes none, or none that there is for one that needs some.
 */
int usermm_set_mempolicy(int mode, const unsigned long *nodes)
	__attribute__((visibility("default")));
/*
 * A node's weight, 1 to 255; 0 is the system's, or 1. For all threads. 0, or -EINVAL: no such
 * node or weight.
 */
int usermm_set_mempolicy_weight(unsigned int node, unsigned int weight)
	__attribute__((visibility("default")));

/*
 * alloc_pages_bulk_array() by the calling thread's policy. Interleaved pages lie in the
 * array node by node, not in turn. __GFP_THISNODE leaves the policy out.
 */
unsigned long alloc_pages_bulk_mempolicy(gfp_t gfp, unsigned long nr, struct page **array)
	USERMM_API(alloc_pages_bulk_mempolicy);

USERMM_END_DECLS

#endif
