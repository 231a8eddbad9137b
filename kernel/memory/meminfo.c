// SPDX-License-Identifier: MIT
/* Functions of linux/mm.h and mmzone.h about the whole memory. */
#include <stdlib.h>

#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/printk.h>
#include <linux/sched/loadavg.h>
#include <linux/swap.h>
#include <linux/vmstat.h>
#include <linux/vmalloc.h>

#include "zone_counts.h"

int min_free_kbytes;

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

/* Free pages beyond the high watermarks and the reserves of the lower zones. */
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

bool is_free_buddy_page(const struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		const struct page *first = pfn_to_page(pfn & ~((1UL << order) - 1));

		if (PageBuddy(first) && READ_ONCE(first->order) >= order)
			return true;
	}
	return false;
}

void dump_page(const struct page *page, const char *reason)
{
	const struct page *head = compound_head(page);

	pr_warn("page: refcount:%d mapping:%px index:%#lx pfn:%#lx\n", page_ref_count(page),
		page->mapping, page->index, page_to_pfn(page));
	if (PageCompound(page))
		pr_warn("head: order:%u refcount:%d pfn:%#lx\n", compound_order(head),
			page_ref_count(head), page_to_pfn(head));
	pr_warn("flags: %pGp%s%s\n", &page->flags, PageSlab(page) ? " slab" : "",
		is_free_buddy_page(page) ? " buddy" : "");
	if (reason)
		pr_warn("page dumped because: %s\n", reason);
}

static struct page *zero_page;

struct page *usermm_zero_page(void)
{
	return zero_page;
}

/* Runs before the module's sources, so that the page is not reported as the module's leak. */
__attribute__((constructor)) static void meminfo_init(void)
{
	struct zone *zone;

	zero_page = alloc_page(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	for_each_populated_zone(zone)
		min_free_kbytes += (int)(zone->_watermark[WMARK_MIN] << (PAGE_SHIFT - 10));
}

unsigned long global_node_page_state_pages(enum node_stat_item item)
{
	switch (item) {
	case NR_SLAB_RECLAIMABLE_B:
		return zone_counts_slab_pages(true);
	case NR_SLAB_UNRECLAIMABLE_B:
		return zone_counts_slab_pages(false);
	case NR_VMALLOC:
		return vmalloc_nr_pages();
	default:
		return 0;
	}
}

const unsigned long *usermm_load_averages(void)
{
	static unsigned long averages[3];
	double loads[3];

	if (getloadavg(loads, 3) == 3)
		for (unsigned int i = 0; i < 3; i++)
			WRITE_ONCE(averages[i], (unsigned long)(loads[i] * FIXED_1));
	return averages;
}
