/* SPDX-License-Identifier: MIT */
/*
 * kmalloc_nolock(). Where Linux gives up rather than wait for a lock, a lock here is waited
 * for unless the holder is below this very signal handler: holders never sleep for long, and
 * that is the one case that could not end. cf. Linux 6.18 mm/slub.c: kmalloc_nolock_noprof()
 */
#include "usermm/slab.h"

void *kmalloc_nolock(size_t size, gfp_t gfp, int nid)
{
	if (size > KMALLOC_MAX_CACHE_SIZE)
		return NULL;
	gfp &= ~__GFP_RECLAIM;
	return kmalloc_node(size, gfp | __GFP_NOWARN | __GFP_NOMEMALLOC, nid);
}
