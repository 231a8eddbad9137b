/* SPDX-License-Identifier: MIT */
/* Gives free memory back to the system. */
#ifndef PAGE_RECLAIM_RELEASE_H
#define PAGE_RECLAIM_RELEASE_H

#include "base/atomic.h"
#include "page/zone.h"

/* Dirty free memory up to this amount is kept, however long nobody uses it. */
#define RELEASE_DIRTY_PAGES (64 * MIB / PAGE_SIZE)
/*
 * With more dirty pages than this, no large block stays on a CPU's list, because a free to such a
 * list does not get as far as release_some().
 */
#define RELEASE_LISTS_PAGES (2 * RELEASE_DIRTY_PAGES)
/*
 * With a small budget a zone keeps less: a sixteenth of its pages, but at least 16 MiB, in place of
 * RELEASE_DIRTY_PAGES; and twice that in place of RELEASE_LISTS_PAGES. The budget may come from a
 * memory cgroup's limit, and the cgroup counts dirty free memory as used.
 */
#define RELEASE_KEPT_SHARE 16
#define RELEASE_LEAST_PAGES (16 * MIB / PAGE_SIZE)

/*
 * With more than this many dirty pages, or pages of slabs, the background thread has work. The
 * number is RELEASE_LISTS_PAGES, or less if the budget is small. Sync: constant once zones are up.
 * Tests that read free blocks without a lock set it before, so high that nothing is given back
 * meanwhile.
 */
extern unsigned long release_much_pages;

static inline unsigned long release_dirty_pages(const struct zone *z)
{
	return clamp(z->managed_pages / RELEASE_KEPT_SHARE, RELEASE_LEAST_PAGES,
		     RELEASE_DIRTY_PAGES);
}

static inline unsigned long release_lists_pages(const struct zone *z)
{
	return 2 * release_dirty_pages(z);
}

/* All zones are there. Called once, by the thread that brings them up. */
void release_init(void);
/* The zone has more than release_dirty_pages(): gives some back, now or soon. */
void release_some(struct zone *z) slow_path;

/*
 * Called after blocks went back to the buddy lists, when they are off the stack. If there is much
 * free memory that nobody wanted for a while, some goes back to the system.
 */
static inline void release_excess(struct zone *z)
{
	if (unlikely(atomic_load_relaxed(&z->dirty_pages) > release_dirty_pages(z)))
		release_some(z);
}

/* Are this many dirty pages, or pages of slabs, enough to wake the background thread? */
bool release_is_much(unsigned long pages);

/* Frees and the background thread give back a share once in this interval. */
#define RELEASE_INTERVAL_MS 250
/* Gives back a share of what no zone has needed since the last call. True: worth coming back. */
bool release_unused(void);

/* Unmaps this many bytes of what the layer above keeps (release_set_mappings()), or all. */
void release_mappings(size_t bytes);
/* The layer above (release_set_keeper()) gives back part of what nobody used since last time. */
void release_decay_kept(void);
/*
 * Makes these layers and CPUs' lists give all that they keep back to the zones, the quarantine
 * included. False if that is not possible now.
 */
bool release_kept(void);

#endif
