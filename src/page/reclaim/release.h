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

/*
 * The background thread is to look for what can go, of which there may be so many pages.
 * False if it does not: there are too few, or no thread can be made now.
 */
bool release_in_background(unsigned long pages);
/* In a fork child: the thread that was called is the parent's. */
void release_forget(void);

/*
 * What that thread would have given back is there in the child as well, which may never free
 * much: so long after the fork a CPU's sheaf that is filled calls a thread. Whoever only becomes
 * another program has none. Sync: atomic relaxed; when the child was made, or asked for a thread
 * in vain; 0: nothing was left
 */
#define RELEASE_INHERITED_MS 1000
extern uint64_t release_inherited_ms;
void release_inherited(void) slow_path;

/*
 * Where a layer above keeps mappings of its own (release_set_mappings()) a CPU's sheaf that is
 * filled looks whether nobody has used them for a second, since small processes have no thread.
 * Sync: atomic relaxed; when one was kept or taken; 0: all went
 */
extern uint64_t release_mappings_ms;
void release_idle_mappings(void) slow_path;

static inline void decay_tick(void)
{
	if (unlikely(atomic_load_relaxed(&release_inherited_ms)))
		release_inherited();
	if (unlikely(atomic_load_relaxed(&release_mappings_ms)))
		release_idle_mappings();
}

/* Unmaps so many bytes of what a layer above keeps (release_set_mappings()), or what there is. */
void release_mappings(size_t bytes);
/*
 * What those layers and CPUs' lists keep goes back to the zones, also what is kept from its next
 * owner on purpose; false if it cannot now.
 */
bool release_kept(void);

/* What the background thread does; again after so many milliseconds, 0: nothing to do. */
unsigned int release_background_work(void);

#endif
