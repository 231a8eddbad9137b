/* SPDX-License-Identifier: MIT */
/* What is done for a request that found nothing on this CPU's lists. */
#ifndef PAGE_SLOWPATH_H
#define PAGE_SLOWPATH_H

#include "usermm/page.h"

/* A block without a reference count; gfp decides what may be done to get one. */
struct page *page_alloc_slow(gfp_t gfp, unsigned int order);

/*
 * page_alloc.c: one look at the zones that gfp allows, nothing more. cf. Linux
 * get_page_from_freelist().
 */
struct page *page_take_block(gfp_t gfp, unsigned int order, unsigned int alloc_flags);

#endif
