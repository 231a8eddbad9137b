/* SPDX-License-Identifier: MIT */
/* The numbers of a zone in /proc/buddyinfo and /proc/zoneinfo: for their text, and for metrics. */
#ifndef STATS_ZONES_H
#define STATS_ZONES_H

#include "page/zone.h"

struct zone_line {
	unsigned long free_pages, boost, watermarks[NR_WMARK];
	unsigned long spanned_pages, present_pages, managed_pages;
	unsigned long free_blocks[NR_PAGE_ORDERS];
};

void zone_line_read(struct zone_line *line, const struct zone *z);

#endif
