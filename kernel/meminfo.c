// SPDX-License-Identifier: MIT
/* What linux/mm.h and mmzone.h say of the machine's memory as a whole. */
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/swap.h>

#include "zone_counts.h"

int min_free_kbytes;

pg_data_t *first_online_pgdat(void)
{
	return usermm_node_data();
}

pg_data_t *next_online_pgdat(pg_data_t *pgdat)
{
	(void)pgdat;
	return NULL;
}

struct zone *next_zone(struct zone *zone)
{
	struct zone *last = zone->zone_pgdat->node_zones + MAX_NR_ZONES - 1;

	return zone < last ? zone + 1 : NULL;
}

unsigned long nr_free_buffer_pages(void)
{
	unsigned long sum = 0;
	struct zone *zone;

	for_each_populated_zone(zone) {
		unsigned long managed = zone_managed_pages(zone), high = high_wmark_pages(zone);

		if (zone_idx(zone) <= gfp_zone(GFP_USER) && managed > high)
			sum += managed - high;
	}
	return sum;
}

/* What is free above the high marks and above what the lower zones keep for themselves. */
long si_mem_available(void)
{
	long available = (long)nr_free_pages();
	struct zone *zone;

	for_each_populated_zone(zone)
		available -= (long)high_wmark_pages(zone) + zone->lowmem_reserve[MAX_NR_ZONES - 1];
	return available > 0 ? available : 0;
}

void si_meminfo(struct sysinfo *info)
{
	info->totalram = usermm_totalram_pages();
	info->freeram = nr_free_pages();
	info->sharedram = info->bufferram = 0;
	info->totalhigh = info->freehigh = 0;
	info->mem_unit = PAGE_SIZE;
}

void setup_per_zone_wmarks(void)
{
	zone_counts_set_min((unsigned long)min_free_kbytes >> (PAGE_SHIFT - 10));
}

static struct page *zero_page;

struct page *usermm_zero_page(void)
{
	return zero_page;
}

/* Before sources run, so that the page is nobody's leak. */
__attribute__((constructor)) static void meminfo_init(void)
{
	struct zone *zone;

	zero_page = alloc_page(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	for_each_populated_zone(zone)
		min_free_kbytes += (int)(zone->_watermark[WMARK_MIN] << (PAGE_SHIFT - 10));
}
