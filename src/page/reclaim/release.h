/* SPDX-License-Identifier: MIT */
/* Giving free memory back to the system. */
#ifndef PAGE_RECLAIM_RELEASE_H
#define PAGE_RECLAIM_RELEASE_H

#include "base/atomic.h"
#include "page/zone.h"

/* Dirty free memory that is kept without asking whether somebody wants it again. */
#define RELEASE_DIRTY_PAGES (64 * MIB / PAGE_SIZE)
/* With more than this, no large block stays on a CPU's list: frees to lists release nothing. */
#define RELEASE_LISTS_PAGES (2 * RELEASE_DIRTY_PAGES)
/*
 * Where memory is short both are less, in each zone: what is free and dirty counts as free
 * here, but not for a memory cgroup, whose limit the budget is made from.
 */
#define RELEASE_KEPT_SHARE 16
#define RELEASE_LEAST_PAGES (16 * MIB / PAGE_SIZE)

/*
 * More than so many dirty pages, or pages of slabs, are work for the background thread: as many
 * as keep large blocks off CPUs' lists, or fewer where the budget is small. Sync: constant once
 * zones are up; tests, which look at free blocks without a lock, write it before.
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

/* All zones are there. Once, by who brings them up. */
void release_init(void);
/* There is more than that: some goes back, now or soon. */
void release_some(struct zone *z) slow_path;

/*
 * Behind blocks that went back to the buddy lists, when they are off the stack: much free memory
 * that nobody wanted for a while goes back to the system.
 */
static inline void release_excess(struct zone *z)
{
	if (unlikely(atomic_load_relaxed(&z->dirty_pages) > release_dirty_pages(z)))
		release_some(z);
}

/* Are so many dirty pages, or pages of slabs, work for the background thread? */
bool release_is_much(unsigned long pages);

/* The background thread releases a share in this interval; so do frees. */
#define RELEASE_INTERVAL_MS 250
/* A share of what no zone has needed since the last call. Is it worth to come back? */
bool release_unused(void);

/* Unmaps so many bytes of what a layer above keeps (release_set_mappings()), or what there is. */
void release_mappings(size_t bytes);
/*
 * Gives back a part of what the layer above (release_set_keeper()) keeps and nobody has used since
 * the last call.
 */
void release_decay_kept(void);
/*
 * Gives all that layers above and CPUs' lists keep back to the zones, also what is kept from its
 * next owner on purpose. False if that cannot be done now.
 */
bool release_kept(void);

#endif
