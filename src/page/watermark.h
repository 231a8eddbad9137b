/* SPDX-License-Identifier: MIT */
/* The steps of zones_set_watermarks(), so that tests can take them one by one. */
#ifndef PAGE_WATERMARK_H
#define PAGE_WATERMARK_H

#include "page/zone.h"

/* How many pages all zones together keep back. lowmem_pages: the pages of all but Movable zones. */
unsigned long min_free_pages(unsigned long lowmem_pages);
/* Sets the zone's min mark, its share of min_pages, and the marks above it. */
void zone_set_watermarks(struct zone *z, unsigned long min_pages, unsigned long lowmem_pages);
/* Sets lowmem_reserve of the node's zones. */
void node_set_lowmem_reserve(struct pglist_data *node);

#endif
