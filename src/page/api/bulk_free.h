/* SPDX-License-Identifier: MIT */
#ifndef PAGE_API_BULK_FREE_H
#define PAGE_API_BULK_FREE_H

#include "usermm/page.h"

/*
 * As free_pages_bulk(), but pages that are neighbours in memory and in the array are freed as the
 * blocks that they make up. So the next request of that order finds one. This costs a few cycles a
 * page. cf. Linux 7.2 free_pages_bulk(), __free_contig_range()
 */
void free_pages_bulk_as_blocks(struct page **array, unsigned long nr);

#endif
