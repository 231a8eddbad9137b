/* SPDX-License-Identifier: MIT */
/* The slow path: a request that found nothing on this CPU's lists. */
#ifndef PAGE_SLOWPATH_H
#define PAGE_SLOWPATH_H

#include "usermm/page.h"

/* A block without a reference count, or NULL. gfp says what may be done to get one. */
struct page *page_alloc_slow(gfp_t gfp, unsigned int order);
/* page_alloc_slow() from node nid's zonelist (NUMA_NO_NODE: the caller's), within `nodes`. */
struct page *page_alloc_node(gfp_t gfp, unsigned int order, int nid,
			     const unsigned long *nodes);

#endif
