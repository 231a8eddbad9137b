// SPDX-License-Identifier: MIT
#include "zone_counts.h"

#include "page/zone.h"

void zone_counts_read(struct zone_counts *counts)
{
	*counts = (struct zone_counts){ 0 };
	if (page_init())
		return;
	counts->managed = zone.managed_pages;
	counts->free = atomic_load_relaxed(&zone.free_pages);
	for (unsigned int i = 0; i < NR_WMARK; i++)
		counts->watermark[i] = zone.watermark[i];
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		counts->nr_free[order] = zone.free_area[order].nr_free;
}

/*
 * The distance of the marks grows with the minimum, but is a thousandth of the zone at least.
 * cf. Linux mm/page_alloc.c: __setup_per_zone_wmarks().
 */
void zone_counts_set_min(unsigned long pages)
{
	unsigned long distance;

	if (page_init())
		return;
	lock_acquire(&zone.lock);
	distance = max(pages / 4, zone.managed_pages / 1000);
	for (unsigned int i = 0; i < NR_WMARK; i++)
		atomic_store_relaxed(&zone.watermark[i], pages + i * distance);
	lock_release(&zone.lock);
}

bool zone_counts_charge(unsigned long pages)
{
	return !page_init() && zone_charge(&zone, pages);
}

void zone_counts_uncharge(unsigned long pages)
{
	zone_uncharge(&zone, pages);
}
