// SPDX-License-Identifier: MIT
/* What include/kernel/linux/gfp.h and mm.h declare beyond usermm/page.h. */
#include <string.h>

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/vmstat.h>

#include "zone_counts.h"

/* Kept for sources that read it; requests are not masked by it. */
gfp_t gfp_allowed_mask = __GFP_BITS_MASK;

#define FREE_BATCH 64
void split_page(struct page *page, unsigned int order)
{
	for (unsigned long i = 1; i < 1UL << order; i++)
		__atomic_store_n(&page[i]._refcount, 1, __ATOMIC_RELAXED);
}

void *alloc_pages_exact(size_t size, gfp_t gfp)
{
	unsigned long wanted = (size + PAGE_SIZE - 1) >> PAGE_SHIFT;
	unsigned int order = (unsigned int)get_order(size);
	struct page *page;

	if (WARN_ON_ONCE(gfp & (__GFP_COMP | __GFP_HIGHMEM)))
		gfp &= ~(__GFP_COMP | __GFP_HIGHMEM);
	if (!size)
		return NULL;
	page = alloc_pages(gfp, order);
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

/* --- Fragments: cf. Linux mm/page_alloc.c: __page_frag_alloc_align() ------- */

/* More references than a page can have pieces, and the one that it came with. */
#define FRAG_REFERENCES (PAGE_FRAG_CACHE_MAX_SIZE + 1)

/* A fresh page, of order 3 if that costs nothing. */
static bool frag_refill(struct page_frag_cache *cache, gfp_t gfp)
{
	unsigned int order = PAGE_FRAG_CACHE_MAX_ORDER;
	struct page *page = alloc_pages((gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP | __GFP_NOWARN |
					__GFP_NORETRY | __GFP_NOMEMALLOC, order);

	if (!page) {
		order = 0;
		page = alloc_pages(gfp, order);
	}
	cache->va = page ? page_address(page) : NULL;
	if (!page)
		return false;
	page_ref_add(page, FRAG_REFERENCES - 1);
	cache->pfmemalloc = page_is_pfmemalloc(page);
	cache->pagecnt_bias = FRAG_REFERENCES;
	cache->size = cache->offset = (unsigned int)PAGE_SIZE << order;
	return true;
}

/* The page is used up: the same again if all its pieces are free, else a fresh one. */
static bool frag_renew(struct page_frag_cache *cache, gfp_t gfp)
{
	struct page *page = virt_to_page(cache->va);

	if (!page_ref_sub_and_test(page, cache->pagecnt_bias))
		return frag_refill(cache, gfp);
	set_page_count(page, FRAG_REFERENCES);
	cache->pagecnt_bias = FRAG_REFERENCES;
	cache->offset = cache->size;
	if (!cache->pfmemalloc)
		return true;
	/* A page of the reserves goes back as soon as it can. */
	page_frag_cache_drain(cache);
	return frag_refill(cache, gfp);
}

void *__page_frag_alloc_align(struct page_frag_cache *cache, unsigned int bytes, gfp_t gfp,
			      unsigned int align_mask)
{
	if (!cache->va && !frag_refill(cache, gfp))
		return NULL;
	if (cache->offset < bytes && !frag_renew(cache, gfp))
		return NULL;
	/* More than the page has, be it that there was no larger one. */
	if (cache->offset < bytes)
		return NULL;
	cache->pagecnt_bias--;
	cache->offset = (cache->offset - bytes) & align_mask;
	return (char *)cache->va + cache->offset;
}

void __page_frag_cache_drain(struct page *page, unsigned int count)
{
	if (count > 1)
		page_ref_sub(page, (int)count - 1);
	put_page(page);
}

void page_frag_cache_drain(struct page_frag_cache *cache)
{
	if (!cache->va)
		return;
	__page_frag_cache_drain(virt_to_head_page(cache->va), cache->pagecnt_bias);
	cache->va = NULL;
}

void page_frag_free(void *addr)
{
	put_page(virt_to_head_page(addr));
}

/* --- The view of node and zone -------------------------------------------- */

unsigned long nr_free_pages(void)
{
	struct zone_counts counts;

	zone_counts_read(&counts);
	return counts.free;
}

unsigned long usermm_totalram_pages(void)
{
	struct zone_counts counts;

	zone_counts_read(&counts);
	return counts.managed;
}

static void view_zone(struct zone *zone, const struct zone_counts *counts)
{
	zone->spanned_pages = zone->present_pages = counts->managed;
	atomic_long_set(&zone->managed_pages, (long)counts->managed);
	atomic_long_set(&zone->vm_stat[NR_FREE_PAGES], (long)counts->free);
	for (unsigned int i = 0; i < 3; i++)
		zone->_watermark[i] = counts->watermark[i];
	zone->_watermark[WMARK_PROMO] = counts->watermark[2];
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		zone->free_area[order].nr_free = counts->nr_free[order];
}

/* Readers see counts that may be out of step with each other, as in Linux. */
pg_data_t *usermm_node_data(void)
{
	static const char *const names[MAX_NR_ZONES] = { "DMA", "DMA32", "Normal", "Movable" };
	static pg_data_t node;
	struct zone_counts counts;

	zone_counts_read(&counts);
	node.nr_zones = MAX_NR_ZONES;
	node.node_present_pages = node.node_spanned_pages = counts.managed;
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++) {
		node.node_zones[i].name = names[i];
		node.node_zones[i].zone_pgdat = &node;
	}
	view_zone(&node.node_zones[ZONE_NORMAL], &counts);
	node.node_zonelists[ZONELIST_FALLBACK]._zonerefs[0] = (struct zoneref){
		.zone = &node.node_zones[ZONE_NORMAL], .zone_idx = ZONE_NORMAL,
	};
	return &node;
}
