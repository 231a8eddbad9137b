/* SPDX-License-Identifier: MIT */
/*
 * More memory for a zone: the next sections of the window, whichever zone had the
 * ones before. What comes online is zero and MOVABLE, and counted as free already.
 */
#include "mm/memmap.h"
#include "os/os.h"
#include "page/pageblock.h"
#include "page/zone.h"

#define SECTION_PAGES (1UL << MAX_PAGE_ORDER)

static void add_sections(struct zone *z, struct page *page, unsigned long nr_pages)
{
	unsigned long pfn = page_to_pfn(page);

	lock_acquire(&z->lock);
	for (unsigned long i = 0; i < nr_pages; i += SECTION_PAGES)
		buddy_add_section(z, page + i);
	if (!z->present_pages)
		atomic_store_relaxed(&z->start_pfn, pfn);
	atomic_store_relaxed(&z->end_pfn, pfn + nr_pages);
	atomic_store_relaxed(&z->present_pages, z->present_pages + nr_pages);
	lock_release(&z->lock);
}

bool zone_grow(struct zone *z)
{
	struct page *page;
	unsigned long nr_pages = mm_grow(zone_offline_pages(z) << PAGE_SHIFT, &page);

	if (!nr_pages)
		return false;
	if (nodes_are_real && nr_online_nodes > 1) {
		os_prefer_node(page_address(page), nr_pages << PAGE_SHIFT, z->node);
		os_prefer_node(page, nr_pages * sizeof(*page), z->node);
	}
	add_sections(z, page, nr_pages);
	return true;
}

bool zone_grow_fully(struct zone *z)
{
	while (zone_offline_pages(z))
		if (!zone_grow(z))
			return false;
	return true;
}
