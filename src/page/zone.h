/* SPDX-License-Identifier: MIT */
/*
 * page: the buddy allocator of Linux, with per-CPU lists in front of it.
 *
 * 1. Purpose. Blocks of 2^order pages. A request falls through this layer like this:
 *    page_alloc.c and api/bulk.c (entry points) -> zonelist.c (which zone) -> pcp.c (per-CPU
 *    lists) -> rmqueue.c (a batch under the zone's lock) -> migratetype.c (of which type) ->
 *    buddy.c (the free lists); and online.c (more memory when the lists are empty).
 *
 * 2. What it must not know: slab. A slab is a block of frozen pages to this layer.
 *
 * 3. Objects. A node (struct pglist_data) has up to four zones. A zone has a budget of pages,
 *    managed_pages. All of it counts as free from the start, whether it is online or not:
 *
 *	free_pages = pages on free lists + budget that is not online yet, or parked (parked.h)
 *		     - pages of isolated pageblocks on free lists
 *	managed_pages = free_pages + pages on per-CPU lists + allocated pages
 *			+ pages charged for memory outside the window (limit=)
 *
 *    The budget follows the process's limits (reclaim/limits.h). If it becomes less than what is
 *    online, free_pages is less than the pages on the free lists.
 *
 *    Memory comes online in sections, one block of the highest order each. A section belongs to
 *    the zone that it came online for. Every pageblock has a migrate type (pageblock.h). A free
 *    block is on the list of its order and of its pageblock's type.
 *
 * 4. Who may touch what: see the fields. A block's struct pages belong to the free lists under
 *    the zone's lock, or else to whoever took the block off them.
 *
 *    A signal handler above a thread that holds a lock (os/lock.h) takes from this CPU's lists;
 *    if they have nothing it gets NULL at once, whatever its flags say. A block that the handler
 *    frees goes to this CPU's lists or to the list of deferred blocks. Whoever takes the zone's
 *    lock next gives deferred blocks back; until then they count as allocated.
 *
 * 5. Differences from Linux. A machine with one node has one zone, Normal, of the whole window.
 *    Several nodes share the window section by section as they grow, so their spans overlap. A
 *    process that may have memory of one node only, or that has a memory policy of its own, has
 *    one node: the kernel places its pages. Zones of other kinds exist where options ask for them
 *    (zone_dma= and so on), in the order of their addresses and online at once. There are no
 *    cpusets and no HIGHMEM. Per-CPU lists are arrays of bounded length (pcp.h). The layer
 *    remembers which free memory is known to be zero (PG_zeroed).
 *
 * 6. Failure: watermarks decide (watermark.c). A request that must not fail waits; any other
 *    request gets NULL.
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
	/* Blocks of each type. Written atomically: the marks are checked without the lock. */
	unsigned long nr_of_type[MIGRATE_TYPES];
	unsigned long nr_dirty;		/* blocks, of all types, that are not known to be zero */
};

enum zone_watermark { WMARK_MIN, WMARK_LOW, WMARK_HIGH, WMARK_PROMO, NR_WMARK };

/* Bits of zone->flags. */
#define ZONE_BOOSTED_WATERMARK	(1UL << 0)	/* marks were boosted; kswapd has not acted yet */
#define ZONE_RECLAIM_ACTIVE	(1UL << 1)	/* kswapd works: CPUs' lists stay short */
/* seen below its high mark; cleared when it is above */
#define ZONE_BELOW_HIGH		(1UL << 2)
#define ZONE_BLOCKS_LISTED	(1UL << 3)	/* CPUs' lists may hold large blocks */
#define ZONE_BLOCKS_MOVING	(1UL << 4)	/* blocks are on their way, under page_drain_lock */
#define ZONE_GROWTH_REFUSED	(1UL << 5)	/* the system refused the last growth */

/*
 * Per-CPU lists of a zone: one for each order and type, and behind these the lists of exact numbers
 * of pages, for UNMOVABLE blocks alone (pcp_list.h).
 */
#define NR_PCP_ORDER_LISTS (NR_PAGE_ORDERS * MIGRATE_PCPTYPES)
#define NR_PCP_EXACT_LISTS 12
#define NR_PCP_LISTS (NR_PCP_ORDER_LISTS + NR_PCP_EXACT_LISTS)

/* Free memory is old if it was unused at this many looks in a row (reclaim/release.h). */
#define RELEASE_OLD_LOOKS 3

/*
 * NUMA_FOREIGN is counted in the zone that was preferred, every other event in the zone that the
 * pages came from.
 */
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
	/* A zone with 0 pages keeps 0, and no other gets 0. Sync: lock; read with relaxed loads */
	unsigned long managed_pages;
	unsigned long watermark[NR_WMARK];	/* without the boost; Sync: atomic relaxed */
	unsigned long lowmem_reserve[MAX_NR_ZONES];
	/* Sync: constant after pcp_init(); per-CPU pointers */
	struct percpu_array *pcp_lists[NR_PCP_LISTS];
	uint32_t pcp_capacity[NR_PCP_LISTS];
	struct pcp_tuning *pcp_tuning;
	int pcp_batch;
	int pcp_high_min, pcp_high_max;		/* Sync: atomic relaxed; pcp_resize() */

	/* All fields from here on are written all the time. */
	struct lock lock __aligned(CACHE_LINE_BYTES);	/* RANK_ZONE */
	unsigned long free_pages;	/* Sync: lock; read with relaxed loads */
	/* online and not parked; Sync: lock; read with relaxed loads */
	unsigned long present_pages;
	struct list_head vacated;	/* sections that were online; Sync: page_grow_lock */
	unsigned long start_pfn, end_pfn; /* of online sections; Sync: as present_pages */
	unsigned long watermark_boost;	/* Sync: lock; read with relaxed loads */
	unsigned long nr_free_highatomic, nr_free_cma; /* Sync: as watermark_boost; pages */
	unsigned long nr_reserved_highatomic;	/* Sync: as watermark_boost; pages */
	unsigned long flags;		/* Sync: atomic relaxed; ZONE_... */
	/*
	 * Blocks that a signal handler could not give back, linked through page->lru.next.
	 * page->index is a block's number of pages. Sync: pushed by compare-and-swap, taken as a
	 * whole under lock
	 */
	struct list_head *deferred;
	/*
	 * Pages that signal handlers charged without the lock (charge_unlocked()). free_pages still
	 * counts them; whoever takes the lock next takes them off. Sync: atomic relaxed
	 */
	unsigned long charged;
	/*
	 * Pages of managed_pages that leave the zone as soon as they are free and not in the
	 * reserve, since the budget has become less. Sync: lock; read with relaxed loads
	 */
	unsigned long excess;
	/* Pages that budget.c has charged to this zone and not given back. Sync: atomic relaxed */
	unsigned long mapped;
	struct free_area free_area[NR_PAGE_ORDERS];	/* Sync: lock */
	/* Pages on free lists that are not known to be zero. Sync: as free_pages */
	unsigned long dirty_pages;
	/*
	 * The lowest dirty_pages since release.c last looked: dirty_low for what goes after a
	 * quarter of a second, old_low for what goes after seconds. old_lows: old_low at the last
	 * looks. Sync: lock
	 */
	unsigned long dirty_low, old_low, old_lows[RELEASE_OLD_LOOKS];
	unsigned int old_looks;		/* Sync: lock */
	/* Pages known to be zero that were taken: most take a page fault. Sync: as free_pages */
	unsigned long nr_zeroed_taken;
	/* Pages that could not be released at the last look. Sync: the thread that looks */
	unsigned long release_stuck;
	/*
	 * A thread that frees calls release_some() if there are more dirty_pages than this. Sync:
	 * atomic relaxed; release_watch() sets it under the lock
	 */
	unsigned long release_mark;
	/* when a freeing thread last looked at old_low. Sync: as released_ms */
	uint64_t old_ms;
	/* when a freeing thread last looked. Sync: atomic relaxed */
	uint64_t released_ms;
	/* pages that this look found and that are still to go. Sync: as released_ms */
	unsigned long release_due;
	/* nr_taken when sections were last vacated. Sync: the background thread */
	unsigned long taken_before;
	/* Free pages that are parked: parked.h. Sync: lock; read with relaxed loads */
	unsigned long parked_pages;
	/* nr_zeroed_taken when old memory was last looked at. Sync: the background thread */
	unsigned long zeroed_taken_before;

	/* Statistics: batches from the free lists to CPUs' lists, and back. Sync: atomic relaxed */
	unsigned long pcp_refills, pcp_spills;
	/* Statistics: claims convert a pageblock, steals take a block without that. Sync: lock */
	unsigned long claims, steals;
	/* Statistics: pages that left the free lists, and that came back. Sync: as free_pages */
	unsigned long nr_taken, nr_given;
	/* Statistics of machines with several nodes. Sync: atomic relaxed */
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
/* Are there several nodes, which the machine has? Nodes that options make up are not real. */
extern bool nodes_are_real;
/*
 * True if there is too little memory for pageblocks of every type: then all requests count as
 * UNMOVABLE.
 */
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

/* Requests that got nothing. Sync: atomic relaxed */
extern unsigned long page_failures;

/*
 * Divides a changed budget among the zones, and sets their marks anew. A zone that becomes smaller
 * gives up only free pages, and keeps a reserve of them; the rest goes when it is freed (excess).
 * One thread at a time calls this.
 */
void zones_resize(size_t bytes);
/* Sets up nodes and zones from options and machine, their marks and zonelists. Returns 0 or -1. */
int nodes_init(void);
/* As Linux's. Nodes that options make up lie in a row. */
unsigned int node_distance(unsigned int from, unsigned int to);
/* The CPU's node. Nodes that options make up get the CPUs in turn. */
unsigned int numa_cpu_node(unsigned int cpu);
bool numa_node_has_cpus(unsigned int node);
/* The node of the calling thread's CPU. */
unsigned int numa_node_id_slow(void);
static inline unsigned int numa_node_id(void)
{
	return nr_online_nodes > 1 ? numa_node_id_slow() : 0;
}

/* The nearest node with memory: usually the thread's own. */
static inline unsigned int numa_mem_id(void)
{
	return NODE_DATA(numa_node_id())->node_zonelists[ZONELIST_FALLBACK].refs[0].zone->node;
}

/* The zone to which memory outside the window is charged first (budget.h): the largest. */
struct zone *budget_zone(void);

static inline unsigned long zone_managed_pages(const struct zone *z)
{
	return atomic_load_relaxed(&z->managed_pages);
}

/* The zone's share of the budget: its size without the pages that it has to give up. */
static inline unsigned long zone_share_pages(const struct zone *z)
{
	unsigned long managed = zone_managed_pages(z);

	return managed - min(atomic_load_relaxed(&z->excess), managed);
}

static inline bool populated_zone(const struct zone *z)
{
	return zone_managed_pages(z) != 0;
}

/* The node's zone of that kind, if it has memory; else NULL. */
static inline struct zone *populated_zone_of(unsigned int nid, enum zone_type kind)
{
	struct zone *z = &NODE_DATA(nid)->node_zones[kind];

	return page_has_zone(kind) && populated_zone(z) ? z : NULL;
}

/* Walks every populated zone of every node. The pointer is NULL after the last. */
struct zone *first_populated_zone(void);
struct zone *next_populated_zone(const struct zone *z);
#define for_each_populated_zone(z) \
	for ((z) = first_populated_zone(); (z); (z) = next_populated_zone(z))

/* Free pages of all zones, with budget that is not online. */
unsigned long nodes_free_pages(void);
/* Allocated pages: those that are neither free, nor on CPUs' lists, nor charged (page/budget.h). */
unsigned long nodes_used_pages(void);
/* Is any zone above its min mark? Budget that is not online counts as free. */
bool nodes_have_budget(void);
/* Is a block of that order free in a section that has other blocks in use? Looks without locks. */
bool nodes_have_piece(unsigned int order);
unsigned long nodes_managed_pages(void);
/* Pages on free lists that may hold data, so that they have memory already. Approximate. */
unsigned long nodes_dirty_pages(void);

/* Adds nr, which may be negative, to the free pages. The caller holds the lock. */
static inline void zone_add_free_pages(struct zone *z, unsigned long nr)
{
	atomic_store_relaxed(&z->free_pages, z->free_pages + nr);
}

/*
 * Budget that is not online yet, or parked. It is 0 after the budget has become less than what is
 * online: then some free pages on the lists do not count as free.
 */
static inline unsigned long zone_offline_pages(const struct zone *z)
{
	unsigned long managed = zone_managed_pages(z);
	unsigned long present = atomic_load_relaxed(&z->present_pages);

	return managed - min(managed, present);
}

static inline bool zone_test_flag(const struct zone *z, unsigned long flag)
{
	return atomic_load_relaxed(&z->flags) & flag;
}

void zone_set_flag(struct zone *z, unsigned long flag);
void zone_clear_flag(struct zone *z, unsigned long flag);

/* Brings up the window, the zones and the per-CPU lists. Returns 0 or -1. */
int page_init(void);
/* Has page_init() succeeded? Then the caller sees all that it set up. */
bool page_is_up(void);

/* Is the block's memory known to be zero? Clears PG_zeroed. */
bool page_take_zeroed(struct page *page);

/* --- Marks and the budget (watermark.c) ----------------------------------------- */

/* Sets marks and reserves of all zones, from their managed_pages. */
void zones_set_watermarks(void);
/* Sets the marks alone, so that all zones together keep min_pages back. */
void zones_set_min_free(unsigned long min_pages);

static inline unsigned long wmark_pages(const struct zone *z, enum zone_watermark mark)
{
	return atomic_load_relaxed(&z->watermark[mark]) +
	       atomic_load_relaxed(&z->watermark_boost);
}

/*
 * Is the zone still above the mark after it gives 2^order pages to a request whose highest zone is
 * `highest`, and does it have a block of that order? mark comes from wmark_pages(). alloc_flags say
 * which reserves the request may use.
 */
bool zone_watermark_ok(const struct zone *z, unsigned int order, unsigned long mark,
		       enum zone_type highest, unsigned int alloc_flags);
/*
 * Would zone_watermark_ok() be true with `more` pages free? Offline budget does not count if the
 * system has refused to bring it online.
 */
bool zone_could_be_ok(const struct zone *z, unsigned int order, unsigned long mark,
		      enum zone_type highest, unsigned int alloc_flags, unsigned long more);
/* As zone_watermark_ok(), with the mark that alloc_flags name; GFP_ATOMIC may ignore a boost. */
bool zone_watermark_fast(const struct zone *z, unsigned int order, enum zone_type highest,
			 unsigned int alloc_flags);

/* Lowers the boost of the marks by `pages`, or to 0 if it is less. */
void zone_lower_boost(struct zone *z, unsigned long pages);

/*
 * Take pages off the budget for memory outside the window, and give them back. zone_charge() takes
 * nothing and returns false if the zone would fall below its min mark.
 */
bool zone_charge(struct zone *z, unsigned long pages);
void zone_uncharge(struct zone *z, unsigned long pages);
/* Pages that are charged to the zone now, computed from its free lists. */
unsigned long zone_charged_pages(struct zone *z);

/* --- More memory, and less (online.c) -------------------------------------------- */

/* Brings memory online for a zone whose lists are empty. The caller holds page_grow_lock. */
bool zone_grow(struct zone *z);
/* Brings all of the zone's budget online: for zones whose place is fixed. */
bool zone_grow_fully(struct zone *z);
/*
 * Makes room for a mapping of that size. Under RLIMIT_AS it gives up the part of the window's
 * reservation that is not online, and then free sections; under RLIMIT_DATA only free sections. If
 * those are too few, CPUs and the layers above give back what they keep first. False if nothing
 * could be given up.
 */
bool page_make_address_space(size_t bytes);
/*
 * RLIMIT_AS or RLIMIT_DATA may have changed. Also ends the window's reservation if that counts now.
 */
void page_read_limits(void);
/*
 * Gives free sections up, so that they count for no limit: at most so many pages. Returns how many.
 * 0 if no limit counts what is online. The caller holds no lock.
 */
unsigned long zone_vacate(struct zone *z, unsigned long pages);
/* If a mapping of that size does not fit, gives free sections up, as far as there are any. */
void page_make_room(size_t bytes);
/*
 * From now on, memory that was online once stays readable. For a caller that reads pages which may
 * have a new owner, and finds that out afterwards. Called before it takes its first page.
 */
void page_keep_mapped(void);

#endif
