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
 * Called after a buddy_give(), when its blocks are off the stack. If there is much free memory that
 * nobody wanted for a while, some goes back to the system.
 */
static inline void release_excess(struct zone *z)
{
	if (unlikely(atomic_load_relaxed(&z->dirty_pages) > release_dirty_pages(z)))
		release_some(z);
}

/*
 * Asks the background thread to look for memory to give back, of which there may be this many
 * pages. False if it will not: there are too few, or no thread can be created now.
 */
bool release_in_background(unsigned long pages);
/* In a fork child: the thread that was woken is the parent's. */
void release_forget(void);

/*
 * A fork child inherits memory that its parent's background thread would have given back, and may
 * never free enough to wake a thread of its own. So this long after the fork, the next refill of a
 * CPU's sheaf wakes one. A child that calls exec() sooner never makes a thread. Sync: atomic
 * relaxed; when the child was made, or last failed to get a thread; 0: nothing was left to give
 * back
 */
#define RELEASE_INHERITED_MS 1000
extern uint64_t release_inherited_ms;
void release_inherited(void) slow_path;

/*
 * A layer above keeps free mappings of its own (release_set_mappings()). Small processes have no
 * background thread. So a refill of a CPU's sheaf gives the mappings back if nobody has used them
 * for a second. Sync: atomic relaxed; when one was last kept or taken; 0: all are gone
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

/*
 * For one layer above that keeps free memory of its own. Both functions are called with no lock
 * held. give_back gives all of it back to this layer, when memory is trimmed or the budget is used
 * up. decay gives back part of what nobody has used since the last call; repeated calls give back
 * all of it. The background thread calls decay about once a second.
 */
void release_set_keeper(void (*give_back)(void), void (*decay)(void));
/*
 * For one layer above that keeps free mappings of its own. unmap gives this many bytes back to the
 * system, or all if there are fewer. It is called with the bytes by which the window grows (under
 * page_grow_lock). It is called for all of them when nobody has used any for a second, and when
 * give_back above is called.
 */
void release_set_mappings(void (*unmap)(size_t bytes));
void release_mappings(size_t bytes);
/*
 * Makes these layers and CPUs' lists give all that they keep back to the zones, the quarantine
 * included. False if that is not possible now.
 */
bool release_kept(void);

/*
 * The background thread's work. Returns after how many milliseconds it wants to run again; 0: not.
 */
unsigned int release_background_work(void);

#endif
