/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_VMSTAT_H
#define _LINUX_VMSTAT_H

#include <linux/mmzone.h>
#include <linux/page-flags-layout.h>

/* Free pages, without those on per-CPU lists, as in Linux. */
unsigned long nr_free_pages(void) USERMM_API(nr_free_pages);

#define global_zone_page_state(item) ((item) == NR_FREE_PAGES ? nr_free_pages() : 0UL)
/* Counts in pages. */
unsigned long global_node_page_state_pages(enum node_stat_item item)
	USERMM_API(global_node_page_state_pages);
#define global_node_page_state(item) global_node_page_state_pages(item)
#define node_page_state(pgdat, item) ((void)(pgdat), global_node_page_state_pages(item))
#define zone_page_state(zone, item) \
	(zone_idx(zone) == ZONE_NORMAL ? global_zone_page_state(item) : 0UL)

#endif
