/* SPDX-License-Identifier: MIT */
/*
 * page: the buddy allocator of Linux, with its per-CPU lists in front.
 *
 * 1. Purpose. Blocks of 2^order pages. The tower inside this layer: page_alloc.c
 *    and bulk.c (entry points) -> zonelist.c (which zone) -> pcp.c (per-CPU lists)
 *    -> rmqueue.c (a batch under the zone's lock) -> migratetype.c (of which type)
 *    -> buddy.c (the free lists); and online.c (more memory when they are empty).
 *
 * 2. What it must not know: slab. Slabs are frozen pages to it.
 *
 * 3. Objects. A node (struct pglist_data) has up to four zones; a zone has a
 *    budget of pages, managed_pages, which counts as free from the start, whether
 *    it is online or not:
 *
 *	free_pages = pages on free lists + budget that is not online yet
 *		     - pages of isolated pageblocks on free lists
 *	managed_pages = free_pages + pages on per-CPU lists + allocated pages
 *			+ pages charged for memory outside the window (limit=)
 *
 *    Memory comes online in sections, one block of the highest order each, and a
 *    section belongs to the zone that it came online for. Every pageblock has a
 *    migrate type (pageblock.h), and a free block is on the list of its order and
 *    its pageblock's type.
 *
 * 4. Who may touch what: see the fields. A block's struct pages belong to the
 *    free lists under the zone's lock, else to whoever took it off them.
 *
 *    A signal handler above a thread that holds a lock (os/lock.h) gets what is
 *    on this CPU's lists, and NULL at once otherwise, whatever its flags say. What
 *    it frees goes to this CPU's lists or on the list of deferred blocks, which
 *    whoever takes the zone's lock next gives back; until then they count as
 *    allocated.
 *
 * 5. Differences from Linux. A machine with one node has one zone, Normal, of the
 *    whole window; several nodes share the window section by section as they grow,
 *    so that their spans overlap. A process that may have memory of one node, or that
 *    has a memory policy of its own, has one node: the kernel places its pages. Zones
 *    of other kinds exist where options ask for them (zone_dma= and so on), in the
 *    order of their addresses and online at once. There are no cpusets and no HIGHMEM.
 *    Per-CPU lists are arrays of bounded length (pcp.h). Known-zero memory is
 *    remembered (PG_zeroed).
 *
 * 6. Failure: watermarks decide (watermark.c); a request that must not fail
 *    waits; everybody else gets NULL.
 */
#ifndef PAGE_ZONE_H
#define PAGE_ZONE_H

#include "base/atomic.h"
#include "os/lock.h"
#include "usermm/page.h"

enum zone_type { ZONE_DMA, ZONE_DMA32, ZONE_NORMAL, ZONE_MOVABLE, MAX_NR_ZONES };

enum migratetype {
	MIGRATE_UNMOVABLE,
	MIGRATE_MOVABLE,
	MIGRATE_RECLAIMABLE,
	MIGRATE_PCPTYPES,	/* the types above have per-CPU lists */
	MIGRATE_HIGHATOMIC = MIGRATE_PCPTYPES,
	MIGRATE_CMA,
	MIGRATE_ISOLATE,	/* nothing is allocated from it */
	MIGRATE_TYPES
};

struct free_area {
	struct list_head free_list[MIGRATE_TYPES];
	/* Blocks. Written atomically: the marks are checked without the lock. */
	unsigned long nr_of_type[MIGRATE_TYPES];
};

enum zone_watermark { WMARK_MIN, WMARK_LOW, WMARK_HIGH, WMARK_PROMO, NR_WMARK };

/* Bits of zone->flags. */
#define ZONE_BOOSTED_WATERMARK	(1UL << 0)	/* a boost that nobody has acted on yet */
#define ZONE_RECLAIM_ACTIVE	(1UL << 1)	/* lists of CPUs stay short */
#define ZONE_BELOW_HIGH		(1UL << 2)	/* was seen below its high mark */
#define ZONE_BLOCKS_LISTED	(1UL << 3)	/* large blocks may be on lists */
#define ZONE_BLOCKS_MOVING	(1UL << 4)	/* or on their way, under page_drain_lock */
#define ZONE_GROWTH_REFUSED	(1UL << 5)	/* the last time that it was tried */

/*
 * Per-CPU lists of a zone: each order of each type; and behind these, of UNMOVABLE blocks alone,
 * those of exact numbers of pages (pcp_list.h).
 */
#define NR_PCP_ORDER_LISTS (NR_PAGE_ORDERS * MIGRATE_PCPTYPES)
#define NR_PCP_EXACT_LISTS 12
#define NR_PCP_LISTS (NR_PCP_ORDER_LISTS + NR_PCP_EXACT_LISTS)

/* Of the zone that pages came from; NUMA_FOREIGN of the one that was preferred. */
enum numa_event {
	NUMA_HIT, NUMA_MISS, NUMA_FOREIGN, NUMA_INTERLEAVE, NUMA_LOCAL, NUMA_OTHER, NR_NUMA_EVENTS
};

struct percpu_array;
struct pcp_tuning;

struct zone {
	/* Sync: constant after nodes_init() */
	const char *name;
	unsigned int node;
	enum zone_type index;
	unsigned long managed_pages;
	unsigned long watermark[NR_WMARK];	/* without the boost; Sync: atomic relaxed */
	unsigned long lowmem_reserve[MAX_NR_ZONES];
	/* Sync: constant after pcp_init(); per-CPU pointers */
	struct percpu_array *pcp_lists[NR_PCP_LISTS];
	uint32_t pcp_capacity[NR_PCP_LISTS];
	struct pcp_tuning *pcp_tuning;
	int pcp_batch, pcp_high_min, pcp_high_max;

	/* From here on written all the time. */
	struct lock lock __aligned(CACHE_LINE_BYTES);	/* RANK_ZONE */
	unsigned long free_pages;	/* Sync: lock; read with relaxed loads */
	unsigned long present_pages;	/* online; Sync: lock; read with relaxed loads */
	struct list_head vacated;	/* Sync: page_grow_lock; sections that were online */
	unsigned long start_pfn, end_pfn; /* of what is online; Sync: as present_pages */
	unsigned long watermark_boost;	/* Sync: lock; read with relaxed loads */
	unsigned long nr_free_highatomic, nr_free_cma; /* Sync: as watermark_boost; pages */
	unsigned long nr_reserved_highatomic;	/* Sync: as watermark_boost; pages */
	unsigned long flags;		/* Sync: atomic relaxed; ZONE_... */
	/*
	 * Blocks that could not be given back at once: linked through page->lru.next,
	 * page->index is the number of pages. Sync: push by compare-and-swap, taken
	 * as a whole under lock.
	 */
	struct list_head *deferred;
	/* Sync: atomic relaxed; pages that handlers charged, to be taken off free_pages */
	unsigned long charged;
	/* Charged to this zone by budget.c, and not given back. Sync: atomic relaxed */
	unsigned long mapped;
	struct free_area free_area[NR_PAGE_ORDERS];	/* Sync: lock */
	/* Pages on free lists that are not known to be zero. Sync: as free_pages */
	unsigned long dirty_pages;
	/* The fewest since release.c looked, less what was split or joined then. Sync: lock */
	unsigned long dirty_low;
	uint64_t released_ms;		/* when frees looked last. Sync: atomic relaxed */
	unsigned long release_due;	/* what is left of what they found. Sync: the same */

	/* Sync: atomic relaxed; statistics */
	unsigned long pcp_refills, pcp_spills;
	/* Sync: lock; statistics: blocks converted, and taken without converting */
	unsigned long claims, steals;
	/* Sync: as free_pages; statistics: pages that left the free lists, and that came back */
	unsigned long nr_taken, nr_given;
	/* Sync: atomic relaxed; statistics, of machines with several nodes */
	unsigned long numa_events[NR_NUMA_EVENTS];
};

/* --- Nodes (zone.c) ----------------------------------------------------------- */

#define MAX_NUMNODES 16
#define NUMA_NO_NODE (-1)
#define LOCAL_DISTANCE 10

struct zoneref {
	struct zone *zone;	/* NULL ends the list */
	enum zone_type index;
};

struct zonelist {
	struct zoneref refs[MAX_NUMNODES * MAX_NR_ZONES + 1];
};

enum { ZONELIST_FALLBACK, ZONELIST_NOFALLBACK, MAX_ZONELISTS };

struct pglist_data {
	struct zone node_zones[MAX_NR_ZONES];
	struct zonelist node_zonelists[MAX_ZONELISTS];	/* Sync: constant after nodes_init() */
};

extern struct pglist_data page_nodes[MAX_NUMNODES];
#define NODE_DATA(nid) (&page_nodes[nid])

/* Sync: constant after nodes_init() */
extern unsigned int nr_online_nodes;
/* Are there several, and are they the machine's? Otherwise they are nodes in name only. */
extern bool nodes_are_real;
/* Too little memory for blocks of every type: all requests count as UNMOVABLE. */
extern bool page_group_by_mobility_disabled;

/* One bit for each kind of zone that some node has. Sync: constant after nodes_init() */
extern unsigned int page_zone_kinds;
static inline bool page_has_zone(enum zone_type index)
{
	return page_zone_kinds >> index & 1;
}

static inline bool page_has_several_kinds(void)
{
	return page_zone_kinds & (page_zone_kinds - 1);
}

extern struct lock page_drain_lock;	/* RANK_DRAIN: one thread stops other CPUs' lists */
extern struct lock page_grow_lock;	/* RANK_GROW: one thread brings memory online */

/* Sync: atomic relaxed; requests that got nothing */
extern unsigned long page_failures;

/* Sizes of nodes and zones from options and machine, their marks and zonelists. 0 or -1. */
int nodes_init(void);
/* As far as the machine or the options tell. */
unsigned int node_distance(unsigned int from, unsigned int to);
/* The CPU's node; without real nodes CPUs are dealt out to the nodes in turn. */
unsigned int numa_cpu_node(unsigned int cpu);
bool numa_node_has_cpus(unsigned int node);
/* The node of the calling thread's CPU. */
unsigned int numa_node_id_slow(void);
static inline unsigned int numa_node_id(void)
{
	return nr_online_nodes > 1 ? numa_node_id_slow() : 0;
}

/* The nearest node with memory: itself, as a rule. */
static inline unsigned int numa_mem_id(void)
{
	return NODE_DATA(numa_node_id())->node_zonelists[ZONELIST_FALLBACK].refs[0].zone->node;
}

/* The zone that memory which is not the window's is charged to first (budget.h). */
struct zone *budget_zone(void);

static inline bool populated_zone(const struct zone *z)
{
	return z->managed_pages != 0;
}

/* The node's zone of that kind, if it has memory; else NULL. */
static inline struct zone *populated_zone_of(unsigned int nid, enum zone_type kind)
{
	struct zone *z = &NODE_DATA(nid)->node_zones[kind];

	return page_has_zone(kind) && populated_zone(z) ? z : NULL;
}

/* Every populated zone of every node. The pointer is NULL after the last. */
struct zone *first_populated_zone(void);
struct zone *next_populated_zone(const struct zone *z);
#define for_each_populated_zone(z) \
	for ((z) = first_populated_zone(); (z); (z) = next_populated_zone(z))

/* Free pages and budget of all zones. */
unsigned long nodes_free_pages(void);
/* Pages that zones gave away and CPUs do not keep, but for what is charged (page/budget.h). */
unsigned long nodes_used_pages(void);
/* Is there what a request without privileges may have, if offline counts? */
bool nodes_have_budget(void);
/* Is a block of that order free in a section that is in use anyway? A glance, without locks. */
bool nodes_have_piece(unsigned int order);
unsigned long nodes_managed_pages(void);

/* More of them, or fewer. The caller holds the lock. */
static inline void zone_add_free_pages(struct zone *z, unsigned long nr)
{
	atomic_store_relaxed(&z->free_pages, z->free_pages + nr);
}

/* Budget that is not online yet. */
static inline unsigned long zone_offline_pages(const struct zone *z)
{
	return z->managed_pages - atomic_load_relaxed(&z->present_pages);
}

static inline bool zone_test_flag(const struct zone *z, unsigned long flag)
{
	return atomic_load_relaxed(&z->flags) & flag;
}

void zone_set_flag(struct zone *z, unsigned long flag);
void zone_clear_flag(struct zone *z, unsigned long flag);

/* Brings up the window, the zones and the per-CPU lists. 0 or -1. */
int page_init(void);
/* Has that been done? Then the caller sees all of it. */
bool page_is_up(void);

/* --- Marks and the budget (watermark.c) ----------------------------------------- */

/* Marks and reserves of all zones, from their managed_pages. */
void zones_set_watermarks(void);
/* The marks alone, for another number of pages that all zones together keep back. */
void zones_set_min_free(unsigned long min_pages);

static inline unsigned long wmark_pages(const struct zone *z, enum zone_watermark mark)
{
	return atomic_load_relaxed(&z->watermark[mark]) +
	       atomic_load_relaxed(&z->watermark_boost);
}

/*
 * Would the zone still be above the mark after 2^order pages for a request whose
 * highest zone is highest, and does it have a block of that order? mark is what
 * wmark_pages() says; of alloc_flags the rights to reserves count.
 */
bool zone_watermark_ok(const struct zone *z, unsigned int order, unsigned long mark,
		       enum zone_type highest, unsigned int alloc_flags);
/* Could it be, if so many more pages were free? What is offline and refused does not count. */
bool zone_could_be_ok(const struct zone *z, unsigned int order, unsigned long mark,
		      enum zone_type highest, unsigned int alloc_flags, unsigned long more);
/* The same with the mark that alloc_flags name; GFP_ATOMIC may ignore a boost. */
bool zone_watermark_fast(const struct zone *z, unsigned int order, enum zone_type highest,
			 unsigned int alloc_flags);

/* The boost is taken back, by so many pages or what there is of it. */
void zone_lower_boost(struct zone *z, unsigned long pages);

/*
 * Takes pages off the budget for memory that is not the window's, and gives them
 * back. False, and nothing taken, if the zone would fall below its minimum.
 */
bool zone_charge(struct zone *z, unsigned long pages);
void zone_uncharge(struct zone *z, unsigned long pages);
/* What has been taken off, told from the free lists. */
unsigned long zone_charged_pages(struct zone *z);

/* --- More memory, and less (online.c) -------------------------------------------- */

/* Memory for a zone whose lists are empty. The caller holds page_grow_lock. */
bool zone_grow(struct zone *z);
/* All of its budget, for a zone of a fixed place. */
bool zone_grow_fully(struct zone *z);
/*
 * Under RLIMIT_AS: what the window has reserved for nothing, and then free sections of it, are
 * given up for a mapping of so many bytes; under RLIMIT_DATA the latter. Where those do not do,
 * CPUs and the layers above give back what they keep in others. False if there was nothing to
 * be had.
 */
bool page_make_address_space(size_t bytes);
/*
 * From now on memory that was online stays readable: somebody looks into what he may not own
 * any more, and finds out afterwards. Before the first page is taken for that.
 */
void page_keep_mapped(void);

/* Is memory of this block known to be zero? Then the mark is gone. */
bool page_take_zeroed(struct page *page);

#endif
