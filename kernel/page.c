// SPDX-License-Identifier: MIT
/* What include/kernel/linux/gfp.h and mm.h declare beyond usermm/page.h. */
#include <string.h>

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/vmstat.h>

#include "zone_counts.h"

#define FREE_BATCH 64
#define FRAG_ORDER 3
/* References that a fragment's page starts with, more than it has bytes. */
#define FRAG_BIAS (1 << 16)

void split_page(struct page *page, unsigned int order)
{
	for (unsigned long i = 1; i < 1UL << order; i++)
		__atomic_store_n(&page[i]._refcount, 1, __ATOMIC_RELAXED);
}

void *alloc_pages_exact(size_t size, gfp_t gfp)
{
	unsigned long wanted = (size + PAGE_SIZE - 1) >> PAGE_SHIFT;
	unsigned int order = (unsigned int)get_order(size);
	struct page *page = alloc_pages(gfp & ~(__GFP_COMP | __GFP_HIGHMEM), order);

	if (!page)
		return NULL;
	split_page(page, order);
	for (unsigned long i = wanted; i < 1UL << order; i++)
		__free_page(page + i);
	return page_address(page);
}

void free_pages_exact(void *addr, size_t size)
{
	for (size_t offset = 0; offset < size; offset += PAGE_SIZE)
		free_page((unsigned long)addr + offset);
}

unsigned long usermm_alloc_pages_bulk_order(gfp_t gfp, unsigned int order, unsigned long nr,
					    struct list_head *list)
{
	unsigned long got = 0;

	if (!order)
		return alloc_pages_bulk_list(gfp, nr, list);
	while (got < nr) {
		struct page *page = alloc_pages(gfp | (got ? __GFP_NOWARN : 0), order);

		if (!page)
			break;
		list_add(&page->lru, list);
		got++;
	}
	return got;
}

unsigned long usermm_alloc_pages_bulk_both(gfp_t gfp, long nr, struct list_head *list,
					   struct page **array)
{
	if (nr <= 0)
		return 0;
	if (list)
		return alloc_pages_bulk_list(gfp, (unsigned long)nr, list);
	return alloc_pages_bulk_array(gfp, (unsigned long)nr, array);
}

void usermm_free_pages_list(struct list_head *list)
{
	while (!list_empty(list)) {
		struct page *batch[FREE_BATCH];
		unsigned long nr = 0;

		while (nr < FREE_BATCH && !list_empty(list)) {
			batch[nr] = list_first_entry(list, struct page, lru);
			list_del(&batch[nr++]->lru);
		}
		(free_pages_bulk)(batch, nr);
	}
}

void release_pages(struct page **pages, int nr)
{
	if (nr > 0)
		(free_pages_bulk)(pages, (unsigned long)nr);
}

/* A fresh block for fragments, order 3 if that costs nothing. */
static bool frag_refill(struct page_frag_cache *cache, gfp_t gfp)
{
	unsigned int order = FRAG_ORDER;
	struct page *page = alloc_pages((gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP | __GFP_NOWARN |
					__GFP_NORETRY | __GFP_NOMEMALLOC, order);

	if (!page) {
		order = 0;
		page = alloc_pages(gfp, order);
	}
	if (!page) {
		cache->va = NULL;
		return false;
	}
	/* One more for the cache itself; what was not used is taken back at the end. */
	__atomic_store_n(&page->_refcount, FRAG_BIAS, __ATOMIC_RELAXED);
	cache->va = page_address(page);
	cache->size = (unsigned int)PAGE_SIZE << order;
	cache->offset = cache->size;
	cache->used = 0;
	return true;
}

void page_frag_cache_drain(struct page_frag_cache *cache)
{
	struct page *page;

	if (!cache->va)
		return;
	page = virt_to_page(cache->va);
	__atomic_sub_fetch(&page->_refcount, FRAG_BIAS - cache->used - 1, __ATOMIC_SEQ_CST);
	cache->va = NULL;
	put_page(page);
}

void *page_frag_alloc(struct page_frag_cache *cache, unsigned int bytes, gfp_t gfp)
{
	if (!cache->va || cache->offset < bytes) {
		page_frag_cache_drain(cache);
		if (!frag_refill(cache, gfp))
			return NULL;
		if (bytes > cache->size)
			return NULL;
	}
	cache->offset -= bytes;
	cache->used++;
	return (char *)cache->va + cache->offset;
}

void page_frag_free(void *addr)
{
	put_page(virt_to_head_page(addr));
}

/* --- The view of nodes and zones ------------------------------------------ */

unsigned long nr_free_pages(void)
{
	return zone_counts_free();
}

unsigned long usermm_totalram_pages(void)
{
	return zone_counts_managed();
}

static void view_zone(struct zone *zone, const struct zone_counts *counts)
{
	zone->zone_start_pfn = counts->start_pfn;
	zone->spanned_pages = counts->spanned;
	zone->present_pages = counts->managed;
	zone->watermark_boost = counts->boost;
	atomic_long_set(&zone->managed_pages, (long)counts->managed);
	atomic_long_set(&zone->vm_stat[NR_FREE_PAGES], (long)counts->free);
	for (unsigned int i = 0; i < NR_WMARK; i++)
		zone->_watermark[i] = counts->watermark[i];
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		zone->lowmem_reserve[i] = (long)counts->lowmem_reserve[i];
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		zone->free_area[order].nr_free = counts->nr_free[order];
}

/* Readers see counts that may be out of step with each other, as in Linux. */
pg_data_t *usermm_node_data(void)
{
	static const char *const names[MAX_NR_ZONES] = { "DMA", "DMA32", "Normal", "Movable" };
	static pg_data_t node;
	unsigned long present = 0;

	node.nr_zones = MAX_NR_ZONES;
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++) {
		struct zone_counts counts;

		zone_counts_read(i, &counts);
		node.node_zones[i].name = names[i];
		node.node_zones[i].zone_pgdat = &node;
		view_zone(&node.node_zones[i], &counts);
		present += counts.managed;
	}
	node.node_present_pages = node.node_spanned_pages = present;
	return &node;
}

int usermm_page_zonenum(const struct page *page)
{
	return (int)zone_counts_index(page);
}
