/* SPDX-License-Identifier: MIT */
/*
 * page: the buddy allocator of Linux, with its per-CPU lists in front.
 *
 * 1. Purpose. Blocks of 2^order pages. The tower inside this layer: page_alloc.c
 *    and bulk.c (entry points) -> pcp.c (per-CPU lists, orders 0..3) -> buddy.c
 *    (free lists under the zone's lock, memory brought online when they are empty).
 *
 * 2. What it must not know: slab. Slabs are frozen pages to it.
 *
 * 3. Objects. One zone spans the window. Its budget (managed_pages) counts as
 *    free from the start, whether it is online or not:
 *
 *	free_pages = pages on free lists + budget that is not online yet
 *	managed_pages = free_pages + pages on per-CPU lists + allocated pages
 *			+ pages charged for memory outside the window (limit=)
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
 * 5. Differences from Linux: one node and one zone; no migrate types; per-CPU
 *    lists are arrays of bounded length, reached by restartable sequences.
 *    Known-zero memory is remembered (PG_zeroed).
 *
 * 6. Failure: watermarks decide (watermark.c); a request that must not fail
 *    waits; everybody else gets NULL.
 */
#ifndef PAGE_ZONE_H
#define PAGE_ZONE_H

#include "os/lock.h"
#include "usermm/page.h"

struct free_area {
	struct list_head free_list;
	unsigned long nr_free;		/* blocks */
};

enum zone_watermark { WMARK_MIN, WMARK_LOW, WMARK_HIGH, NR_WMARK };

struct zone {
	/* Sync: constant after zone_init() */
	unsigned long managed_pages;
	unsigned long watermark[NR_WMARK];

	struct lock lock;		/* RANK_ZONE */
	unsigned long free_pages;	/* Sync: lock; read with relaxed loads */
	/*
	 * Blocks that could not be given back at once: linked through page->lru.next,
	 * page->index is the number of pages. Sync: push by compare-and-swap, taken
	 * as a whole under lock.
	 */
	struct list_head *deferred;
	/* Sync: atomic relaxed; pages that handlers charged, to be taken off free_pages */
	unsigned long charged;
	struct free_area free_area[NR_PAGE_ORDERS];	/* Sync: lock */
	/* Pages on free lists that are not known to be zero. Sync: as free_pages */
	unsigned long dirty_pages;

	struct lock drain_lock;		/* RANK_DRAIN: one thread stops other CPUs' lists */
	struct lock grow_lock;		/* RANK_GROW: one thread brings memory online */

	/* Sync: atomic relaxed; statistics */
	unsigned long pcp_refills, pcp_spills, failures;
};

extern struct zone zone;

/* More of them, or fewer. The caller holds the lock. */
static inline void zone_add_free_pages(struct zone *z, unsigned long nr)
{
	atomic_store_relaxed(&z->free_pages, z->free_pages + nr);
}

/* Brings up the window, the zone and the per-CPU lists. 0 or -1. */
int page_init(void);
/* Has that been done? Then the caller sees all of it. */
bool page_is_up(void);

/* watermark.c */
void zone_set_watermarks(struct zone *z);
/*
 * Would the zone still be above the mark that alloc_flags name after 2^order
 * pages? Looks at the counts only, not at whether a block of that order exists.
 */
bool zone_watermark_ok(const struct zone *z, unsigned int order, unsigned int alloc_flags);
/* The same for nr pages of order 0. */
bool zone_watermark_ok_bulk(const struct zone *z, unsigned long nr, unsigned int alloc_flags);

/*
 * Takes pages off the budget for memory that is not the window's, and gives them
 * back. False, and nothing taken, if the zone would fall below its minimum.
 */
bool zone_charge(struct zone *z, unsigned long pages);
void zone_uncharge(struct zone *z, unsigned long pages);

/* buddy.c */
void buddy_init(struct zone *z);
/*
 * Takes up to nr blocks off the free lists, under one hold of the lock, and
 * brings memory online for the first if there is none. Returns how many; their
 * flags hold PG_zeroed or nothing.
 */
unsigned long buddy_take(struct zone *z, unsigned int order, struct page **pages,
			 unsigned long nr);
/* Gives blocks back under one hold of the lock. */
void buddy_give(struct zone *z, unsigned int order, struct page *const *pages,
		unsigned long nr);
/*
 * The zone's lock, and all that handlers left behind is done; false for a signal
 * handler above a holder.
 */
bool zone_acquire(struct zone *z);
/* Gives back what signal handlers could not. */
void buddy_give_deferred(struct zone *z);
/*
 * A free block of at least that order that is not known to be zero, the largest there
 * are first; *nr is its number of pages. NULL if there is none.
 */
struct page *buddy_take_dirty(struct zone *z, unsigned int min_order, unsigned long *nr);
/* Any number of pages, as the largest aligned blocks that they are made of. */
void buddy_give_range(struct zone *z, struct page *page, unsigned long nr_pages, bool zeroed);

/* pcp.c */
#define PCP_MAX_ORDER PAGE_ALLOC_COSTLY_ORDER
int pcp_init(struct zone *z);
/* A block from this CPU's list if there is one: what the fast path tried once. */
struct page *pcp_pop_again(unsigned int order);
/* A block from the buddy lists, and more for this CPU's list; NULL without memory. */
struct page *pcp_refill(struct zone *z, unsigned int order, unsigned int alloc_flags);
/* A block whose per-CPU list is full goes there with half of the list spilled. */
void pcp_spill(struct zone *z, unsigned int order, struct page *page);
/* Empties this CPU's lists; those of all CPUs, where they can be stopped. */
void pcp_drain_local(struct zone *z);
void pcp_drain_all(struct zone *z);
/* Pages on all CPUs' lists; approximate. */
unsigned long pcp_pages(void);

/* page_alloc.c */
/* Is memory of this block known to be zero? Then the mark is gone. */
bool page_take_zeroed(struct page *page);

#endif
