/* SPDX-License-Identifier: MIT */
/*
 * kmalloc_nolock(). Linux gives up where it would wait for a lock. Here the call waits, since
 * holders never sleep for long. It gives up only in a signal handler that interrupted the
 * holder: this wait would never end. cf. Linux 6.18 mm/slub.c: kmalloc_nolock_noprof()
 */
#include "usermm/slab.h"

void *kmalloc_nolock(size_t size, gfp_t gfp, int nid)
{
	if (size > KMALLOC_MAX_CACHE_SIZE)
		return NULL;
	gfp &= ~__GFP_RECLAIM;
	return kmalloc_node(size, gfp | __GFP_NOWARN | __GFP_NOMEMALLOC, nid);
}
