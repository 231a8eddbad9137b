/* SPDX-License-Identifier: MIT */
/* Gives free memory back to the system. */
#ifndef PAGE_RECLAIM_RELEASE_H
#define PAGE_RECLAIM_RELEASE_H

#include "base/atomic.h"
#include "page/zone.h"

/*
 * Dirty free memory beyond this goes back when nobody has needed it for a quarter of a second. Up
 * to this, it goes when nobody has needed it for RELEASE_OLD_LOOKS looks, RELEASE_OLD_MS apart (or
 * release_interval_ms, if that is longer).
 */
#define RELEASE_DIRTY_PAGES (64 * MIB / PAGE_SIZE)
#define RELEASE_OLD_MS 1000
/* This much is kept, however long nobody needs it. */
#define RELEASE_REST_PAGES (MIB / PAGE_SIZE)
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
 * If more than this many pages are kept free, the background thread has work. Sync: constant once
 * zones are up. Tests that read free blocks without a lock set it before, so high that no thread
 * comes, and nothing goes that is less than RELEASE_DIRTY_PAGES.
 */
extern unsigned long release_wake_pages;

static inline unsigned long release_dirty_pages(const struct zone *z)
{
	return clamp(zone_share_pages(z) / RELEASE_KEPT_SHARE, RELEASE_LEAST_PAGES,
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
 * True: from now on frees give nothing back to the system. False: they do again. For a process that
 * would be killed for the system calls of giving back.
 */
void release_forbid(bool forbidden);

/*
 * Called after blocks went back to the buddy lists, when the caller's array of them is no longer on
 * the stack. If there is free memory that nobody wanted for a while, some goes back to the system,
 * now or soon. The caller has added to dirty_pages under the zone's lock. release_watch() takes
 * that lock, too, and has the argument that no free is lost.
 */
static inline void release_excess(struct zone *z)
{
	if (unlikely(atomic_load_relaxed(&z->dirty_pages) > atomic_load_relaxed(&z->release_mark)))
		release_some(z);
}

/*
 * The background thread calls this with true before each look at the zones. Until the next look,
 * a free calls release_some() only if its zone has release_lists_pages() more dirty pages than now.
 * With false, the thread no longer looks, and each zone has its low mark again. Returns whether a
 * zone has more dirty pages than its new mark: then the thread has to go on.
 */
bool release_watch(bool watched);
/* In a fork child, which has no such thread. Takes no lock. */
void release_forget(void);

/*
 * Frees and the background thread give back a share once in this interval. Sync: atomic relaxed;
 * the control decay_ms changes it
 */
#define RELEASE_INTERVAL_MS 250
extern unsigned int release_interval_ms;

static inline unsigned int release_interval(void)
{
	return atomic_load_relaxed(&release_interval_ms);
}

/* The milliseconds between two looks at what is old. */
static inline unsigned int release_old_interval(void)
{
	return max(release_interval(), RELEASE_OLD_MS + 0U);
}

/*
 * Gives back a share of what no zone has needed since the last call, beyond release_dirty_pages().
 * True if a later call may give back more.
 */
bool release_unused(void);
/*
 * Gives back what no zone has needed for RELEASE_OLD_LOOKS calls. Called every
 * release_old_interval(). True if a later call may give back more.
 */
bool release_old(void);

/* Gives at least so many free pages back to the system now, or all if there are fewer. */
unsigned long release_dirty(unsigned long pages);

/* Unmaps this many bytes of what the layer above keeps (release_set_mappings()), or all. */
void release_mappings(size_t bytes);
/* Unmaps those mappings that nobody has needed since the last call. Returns the bytes left. */
size_t release_idle_mappings(void);
/*
 * The layer above (release_set_keeper()) gives back part of what nobody used since last time.
 * Returns the bytes that it still keeps and may give back later.
 */
size_t release_decay_kept(void);
/*
 * Makes these layers and CPUs' lists give all that they keep back to the zones, the quarantine
 * included. False if that is not possible now.
 */
bool release_kept(void);

#endif
