/* SPDX-License-Identifier: MIT */
/*
 * Nodes and zones, of which sources see the first node. It is a view: NODE_DATA(),
 * page_zone() and the loops bring it up to date.
 */
#ifndef _LINUX_MMZONE_H
#define _LINUX_MMZONE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/numa.h>
#include <linux/types.h>
#include <linux/version.h>
#include <usermm/page.h>

/* Exclusive to 6.3, inclusive from 6.4 on; since 6.8 it is called MAX_PAGE_ORDER. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define MAX_ORDER 11
#else
#define MAX_ORDER MAX_PAGE_ORDER
#endif
#define MAX_ORDER_NR_PAGES (1UL << MAX_PAGE_ORDER)
#define pageblock_order 9
#define pageblock_nr_pages (1UL << pageblock_order)

enum zone_type { ZONE_DMA, ZONE_DMA32, ZONE_NORMAL, ZONE_MOVABLE, __MAX_NR_ZONES };
#define MAX_NR_ZONES __MAX_NR_ZONES

enum migratetype {
	MIGRATE_UNMOVABLE,
	MIGRATE_MOVABLE,
	MIGRATE_RECLAIMABLE,
	MIGRATE_PCPTYPES,
	MIGRATE_HIGHATOMIC = MIGRATE_PCPTYPES,
	MIGRATE_CMA,
	MIGRATE_ISOLATE,
	MIGRATE_TYPES
};

enum zone_watermarks { WMARK_MIN, WMARK_LOW, WMARK_HIGH, WMARK_PROMO, NR_WMARK };
enum zone_stat_item { NR_FREE_PAGES, NR_VM_ZONE_STAT_ITEMS };

struct free_area {
	struct list_head free_list[MIGRATE_TYPES];	/* always empty */
	unsigned long nr_free;
};

struct pglist_data;

struct zone {
	unsigned long _watermark[NR_WMARK];
	unsigned long watermark_boost;
	long lowmem_reserve[MAX_NR_ZONES];
	int node;
	struct pglist_data *zone_pgdat;
	unsigned long zone_start_pfn;
	atomic_long_t managed_pages;
	unsigned long spanned_pages;
	unsigned long present_pages;
	const char *name;
	struct free_area free_area[NR_PAGE_ORDERS];
	atomic_long_t vm_stat[NR_VM_ZONE_STAT_ITEMS];
};

typedef struct pglist_data {
	struct zone node_zones[MAX_NR_ZONES];
	int nr_zones;
	unsigned long node_start_pfn;
	unsigned long node_present_pages;
	unsigned long node_spanned_pages;
	int node_id;
} pg_data_t;

/* The node, with the counts of now. */
pg_data_t *usermm_node_data(void) __attribute__((visibility("default")));
int usermm_page_zonenum(const struct page *page) __attribute__((visibility("default")));
#define NODE_DATA(nid) ((void)(nid), usermm_node_data())
#define first_online_pgdat() usermm_node_data()
#define for_each_online_pgdat(pgdat) \
	for (pgdat = usermm_node_data(); pgdat; pgdat = NULL)

#define for_each_zone(zone)						\
	for (zone = usermm_node_data()->node_zones;			\
	     zone < zone->zone_pgdat->node_zones + MAX_NR_ZONES; zone++)
#define for_each_populated_zone(zone)					\
	for_each_zone(zone)						\
		if (!populated_zone(zone)) { } else

static inline unsigned long zone_managed_pages(const struct zone *zone)
{
	return (unsigned long)atomic_long_read((atomic_long_t *)&zone->managed_pages);
}

static inline bool populated_zone(const struct zone *zone)
{
	return zone->present_pages;
}

static inline bool managed_zone(const struct zone *zone)
{
	return zone_managed_pages(zone);
}

static inline unsigned long zone_end_pfn(const struct zone *zone)
{
	return zone->zone_start_pfn + zone->spanned_pages;
}

static inline bool zone_spans_pfn(const struct zone *zone, unsigned long pfn)
{
	return pfn >= zone->zone_start_pfn && pfn < zone_end_pfn(zone);
}

static inline int zone_to_nid(const struct zone *zone)
{
	return zone->node;
}

#define zone_idx(zone) ((enum zone_type)((zone) - (zone)->zone_pgdat->node_zones))
#define is_highmem(zone) ((void)(zone), 0)
#define wmark_pages(z, i) ((z)->_watermark[i] + (z)->watermark_boost)
#define min_wmark_pages(z) wmark_pages(z, WMARK_MIN)
#define low_wmark_pages(z) wmark_pages(z, WMARK_LOW)
#define high_wmark_pages(z) wmark_pages(z, WMARK_HIGH)

#endif
