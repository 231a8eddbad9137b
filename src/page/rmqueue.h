/* SPDX-License-Identifier: MIT */
/*
 * Takes blocks off a zone's free lists (buddy.h) under one hold of its lock: of the request's
 * migrate type, or of another by the rules of migratetype.h. A zone whose lists have none grows
 * first (online.c). cf. Linux mm/page_alloc.c: rmqueue_bulk(), rmqueue_buddy().
 *
 * The caller has checked the watermark. The flags of a block that was taken are PG_zeroed or 0.
 */
#ifndef PAGE_RMQUEUE_H
#define PAGE_RMQUEUE_H

#include "page/zone.h"

/*
 * Takes up to nr blocks and returns how many. Takes more than one only as long as the zone stays
 * above its low mark.
 */
unsigned long rmqueue_bulk(struct zone *z, unsigned int order, enum migratetype type,
			   unsigned int alloc_flags, struct page **pages, unsigned long nr);
/*
 * Takes one block, or returns NULL. With ALLOC_HIGHATOMIC the reserve of HIGHATOMIC pageblocks
 * comes first; with ALLOC_NON_BLOCK or ALLOC_OOM it comes last.
 */
struct page *rmqueue_buddy(struct zone *z, unsigned int order, enum migratetype type,
			   unsigned int alloc_flags);

#endif
