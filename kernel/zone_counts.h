/* SPDX-License-Identifier: MIT */
/* The zones' counts, for files that see Linux's struct zone and not the core's. */
#ifndef KERNEL_ZONE_COUNTS_H
#define KERNEL_ZONE_COUNTS_H

#include <usermm/page.h>

#define ZONE_COUNTS_WMARKS 4	/* min, low, high, promo */
#define ZONE_COUNTS_ZONES 4

struct zone_counts {
	unsigned long managed, free, boost, start_pfn, spanned;
	unsigned long watermark[ZONE_COUNTS_WMARKS];
	unsigned long lowmem_reserve[ZONE_COUNTS_ZONES];
	unsigned long nr_free[NR_PAGE_ORDERS];
};

/* Of one of the first node's zones. */
void zone_counts_read(unsigned int index, struct zone_counts *counts);
/* The kind of the page's zone. */
unsigned int zone_counts_index(const struct page *page);

/* Of all zones. */
unsigned long zone_counts_free(void);
unsigned long zone_counts_managed(void);

/* Charges pages outside of the window to a zone; false if it lacks them. */
bool zone_counts_charge(unsigned long pages);
void zone_counts_uncharge(unsigned long pages);

#endif
