/* SPDX-License-Identifier: MIT */
/*
 * Nodes and zones. They are copies of the core's; NODE_DATA(), page_zone() and the loops update a
 * node's counts.
 */
#ifndef _LINUX_MMZONE_H
#define _LINUX_MMZONE_H

#include <asm/msr.h>
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/list_nulls.h>
#include <linux/local_lock.h>
#include <linux/mm_types.h>
#include <linux/nodemask.h>
#include <linux/numa.h>
#include <linux/seqlock.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/version.h>
#include <linux/workqueue_types.h>
#include <usermm/page.h>

/* Exclusive up to Linux 6.3, inclusive from 6.4 on; since 6.8 its name is MAX_PAGE_ORDER. */
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
/* Only the first is counted; a process has none of the others. */
enum zone_stat_item {
	NR_FREE_PAGES,
	NR_ZONE_LRU_BASE,
	NR_ZONE_INACTIVE_ANON = NR_ZONE_LRU_BASE,
	NR_ZONE_ACTIVE_ANON,
	NR_ZONE_INACTIVE_FILE,
	NR_ZONE_ACTIVE_FILE,
	NR_ZONE_UNEVICTABLE,
	NR_ZONE_WRITE_PENDING,
	NR_MLOCK,
	/* Arrays have the same length in all versions. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
	NR_BOUNCE,
#else
	USERMM_NR_BOUNCE,
#endif
	NR_FREE_CMA_PAGES,
	NR_VM_ZONE_STAT_ITEMS
};
/* Counts of slabs. A process has nothing that Linux's other items would count. */
enum node_stat_item {
	NR_SLAB_RECLAIMABLE_B,
	NR_SLAB_UNRECLAIMABLE_B,
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
	NR_VMALLOC,
#else
	USERMM_NR_VMALLOC,
#endif
	NR_VM_NODE_STAT_ITEMS
};
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 9, 0)
#define NR_SLAB_RECLAIMABLE NR_SLAB_RECLAIMABLE_B
#define NR_SLAB_UNRECLAIMABLE NR_SLAB_UNRECLAIMABLE_B
#else
USERMM_REMOVED(NR_SLAB_RECLAIMABLE, "5.9", "NR_SLAB_RECLAIMABLE_B")
USERMM_REMOVED(NR_SLAB_UNRECLAIMABLE, "5.9", "NR_SLAB_UNRECLAIMABLE_B")
#endif

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

/* An entry in the list of zones that an allocation may use, the best first. */
struct zoneref {
	struct zone *zone;
	int zone_idx;
};

struct zonelist {
	/* The zone of the last entry is NULL. */
	struct zoneref _zonerefs[MAX_NUMNODES * MAX_NR_ZONES + 1];
};

/* FALLBACK: the zones of all nodes, the own node first. NOFALLBACK: the own node only. */
enum { ZONELIST_FALLBACK, ZONELIST_NOFALLBACK, MAX_ZONELISTS };

typedef struct pglist_data {
	struct zone node_zones[MAX_NR_ZONES];
	struct zonelist node_zonelists[MAX_ZONELISTS];
	int nr_zones;
	unsigned long node_start_pfn;
	unsigned long node_present_pages;
	unsigned long node_spanned_pages;
	int node_id;
} pg_data_t;

/*
 * The node, with its counts updated; NULL if there is no such node. If there is one node, any
 * number means this node.
 */
pg_data_t *usermm_node_data(int nid) __attribute__((visibility("default")));
int usermm_page_zonenum(const struct page *page) __attribute__((visibility("default")));
int usermm_page_nid(const struct page *page) __attribute__((visibility("default")));
/* Does any node have a zone of this kind with memory? */
bool usermm_has_zone(enum zone_type zone) __attribute__((visibility("default")));
#define NODE_DATA(nid) usermm_node_data(nid)

#define node_present_pages(nid) (NODE_DATA(nid)->node_present_pages)
#define node_spanned_pages(nid) (NODE_DATA(nid)->node_spanned_pages)
#define node_start_pfn(nid) (NODE_DATA(nid)->node_start_pfn)
#define node_end_pfn(nid) pgdat_end_pfn(NODE_DATA(nid))

static inline unsigned long pgdat_end_pfn(const pg_data_t *pgdat)
{
	return pgdat->node_start_pfn + pgdat->node_spanned_pages;
}

/* next_online_pgdat() returns NULL after the last node. */
pg_data_t *first_online_pgdat(void) USERMM_API(first_online_pgdat);
pg_data_t *next_online_pgdat(pg_data_t *pgdat) USERMM_API(next_online_pgdat);
struct zone *next_zone(struct zone *zone) USERMM_API(next_zone);

#define for_each_online_pgdat(pgdat) \
	for (pgdat = first_online_pgdat(); pgdat; pgdat = next_online_pgdat(pgdat))
#define for_each_zone(zone) \
	for (zone = first_online_pgdat()->node_zones; zone; zone = next_zone(zone))
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

#define zonelist_zone(ref) ((ref)->zone)
#define zonelist_zone_idx(ref) ((ref)->zone_idx)
#define zonelist_node_idx(ref) ((ref)->zone->node)

/* The first entry at or after ref whose zone is at most `highest` and whose node is in `nodes`. */
static inline struct zoneref *next_zones_zonelist(struct zoneref *ref, enum zone_type highest,
						  const nodemask_t *nodes)
{
	while (ref->zone && (ref->zone_idx > (int)highest ||
			     (nodes && !node_isset(ref->zone->node, *nodes))))
		ref++;
	return ref;
}

static inline struct zoneref *first_zones_zonelist(struct zonelist *list, enum zone_type highest,
						   const nodemask_t *nodes)
{
	return next_zones_zonelist(list->_zonerefs, highest, nodes);
}

#define for_each_zone_zonelist_nodemask(zone, ref, list, highest, nodes)	\
	for (ref = first_zones_zonelist(list, highest, nodes), zone = zonelist_zone(ref); zone; \
	     ref = next_zones_zonelist(ref + 1, highest, nodes), zone = zonelist_zone(ref))
#define for_each_zone_zonelist(zone, ref, list, highest) \
	for_each_zone_zonelist_nodemask(zone, ref, list, highest, NULL)
#define is_highmem(zone) ((void)(zone), 0)
#define wmark_pages(z, i) ((z)->_watermark[i] + (z)->watermark_boost)
#define min_wmark_pages(z) wmark_pages(z, WMARK_MIN)
#define low_wmark_pages(z) wmark_pages(z, WMARK_LOW)
#define high_wmark_pages(z) wmark_pages(z, WMARK_HIGH)

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#undef MAX_ORDER
USERMM_REMOVED(MAX_ORDER, "6.8", "MAX_PAGE_ORDER")
#endif

#endif
