/* SPDX-License-Identifier: MIT */
/*
 * Memory policies: from which nodes alloc_pages_bulk_mempolicy() takes a thread's pages. Other
 * requests do not look at the policy (docs/linux-differences.md).
 *
 * A policy that a thread sets here comes first. Without one, the policy that the thread set by
 * set_mempolicy(2) counts, provided that the library uses the machine's real nodes. The kernel
 * knows nothing of emulated nodes (option nodes=), so for these only a policy set here counts.
 *
 * Modes have the numbers of MPOL_... in <linux/mempolicy.h>, which this header does not need. cf.
 * Linux mm/mempolicy.c.
 */
#ifndef USERMM_MEMPOLICY_H
#define USERMM_MEMPOLICY_H

#include "page.h"

enum usermm_mpol {
	USERMM_MPOL_DEFAULT,		/* the policy of set_mempolicy(2) */
	USERMM_MPOL_PREFERRED,		/* this node first; if none is given, the caller's */
	USERMM_MPOL_BIND,		/* these nodes only */
	USERMM_MPOL_INTERLEAVE,		/* these nodes in turn */
	USERMM_MPOL_LOCAL,		/* the caller's own node first */
	USERMM_MPOL_PREFERRED_MANY,	/* these nodes first */
	USERMM_MPOL_WEIGHTED_INTERLEAVE	/* in turn; weight = pages in a row from a node */
};

USERMM_BEGIN_DECLS

/*
 * Sets the calling thread's policy; *nodes has one bit for each node. 0, or -EINVAL: there is no
 * such mode, or the mode takes no nodes but some were given, or it needs nodes and none of those
 * given exists.
 */
int usermm_set_mempolicy(int mode, const unsigned long *nodes)
	__attribute__((visibility("default")));
/*
 * Sets a node's weight (1 to 255) for all threads. 0 restores the system's weight, or 1 if the
 * system has none. Returns 0, or -EINVAL: no such node or weight.
 */
int usermm_set_mempolicy_weight(unsigned int node, unsigned int weight)
	__attribute__((visibility("default")));

/*
 * alloc_pages_bulk_array() by the calling thread's policy. With an interleaving policy the array
 * holds the pages node after node, not in turn. __GFP_THISNODE ignores the policy.
 */
unsigned long alloc_pages_bulk_mempolicy(gfp_t gfp, unsigned long nr, struct page **array)
	USERMM_API(alloc_pages_bulk_mempolicy);

USERMM_END_DECLS

#endif
