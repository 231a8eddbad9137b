/* SPDX-License-Identifier: MIT */
/* The zone's counts, for files that see Linux's struct zone and not the core's. */
#ifndef KERNEL_ZONE_COUNTS_H
#define KERNEL_ZONE_COUNTS_H

#include <usermm/page.h>

struct zone_counts {
	unsigned long managed, free;
	unsigned long watermark[3];	/* min, low, high */
	unsigned long nr_free[NR_PAGE_ORDERS];
};

void zone_counts_read(struct zone_counts *counts);

/* The minimum becomes pages, and the other marks follow it. */
void zone_counts_set_min(unsigned long pages);

/* Charges pages outside of the window to the zone; false if it lacks them. */
bool zone_counts_charge(unsigned long pages);
void zone_counts_uncharge(unsigned long pages);

#endif
