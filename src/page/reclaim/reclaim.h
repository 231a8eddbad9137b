/* SPDX-License-Identifier: MIT */
/*
 * Making room: shrinkers, the background thread's work, and what happens when nothing helps.
 *
 * 1. Purpose. slowpath.c decides which ways a request may use; they are here. reclaim.c runs rounds
 *    of growing pressure in the request's thread, kswapd.c runs them in the background. Both call
 *    shrinker.c, which asks each shrinker for its share. oom.c comes when all found nothing.
 * 2. What it must not know: lists and blocks. It needs only the zones' watermarks and counts.
 * 3. Progress is counted in pages that became available, not in objects that a shrinker says it
 *    freed: the freed objects' slabs may still be in use, and a shrinker may be wrong.
 * 4. Who may touch what: no lock is held while a shrinker or a notifier runs, and its thread is in
 *    a scope in which it does not reclaim again.
 * 5. Differences from Linux: nobody maps pages, so shrinkers are the only source of memory; and no
 *    pages are moved to make blocks (compaction).
 */
#ifndef PAGE_RECLAIM_RECLAIM_H
#define PAGE_RECLAIM_RECLAIM_H

#include "base/compiler.h"
#include "usermm/gfp.h"

/* cf. Linux DEF_PRIORITY, SWAP_CLUSTER_MAX, MAX_RECLAIM_RETRIES */
#define RECLAIM_PRIORITY_LIGHTEST 12
#define RECLAIM_PAGES 32UL
#define RECLAIM_RETRIES_MAX 16

struct alloc_context;
struct zone;

/* reclaim.c */
struct reclaim_result {
	unsigned long pages;	/* that became available */
	/* objects that shrinkers could still free: at most this many pages */
	unsigned long left;
};
/* Reclaims in the caller's thread. */
void reclaim_direct(const struct alloc_context *ac, gfp_t gfp, unsigned int order,
		    struct reclaim_result *result);
/*
 * Runs one round for one node. Returns the pages that became available since *available was read,
 * and updates *available. Adds the objects that are left to *left.
 */
unsigned long reclaim_node(gfp_t gfp, unsigned int nid, int priority, unsigned long *left,
			   unsigned long *available);

/*
 * Wakes the background thread. False if there is no thread: with background=off, or in a child that
 * shares this memory (vfork()), which must not start one.
 */
bool reclaim_wake_background(void);

/* kswapd.c */
/* The request found no zone above its low mark: wakes the background thread for all its nodes. */
void kswapd_wake_all(const struct alloc_context *ac, gfp_t gfp, unsigned int order);
/* Wakes the background thread, since the zone's watermarks still have a boost. */
void kswapd_wake_for_boost(const struct zone *z);
/* Reclaim for this node had success: the background thread may try again. */
void kswapd_revive(unsigned int nid);
/* Has the background thread failed so often that it leaves this node alone? */
bool kswapd_gave_up(unsigned int nid);
/*
 * The background thread's work. Returns after how many milliseconds it wants to run again; 0: not.
 */
unsigned int reclaim_background_work(void);

/* Sync: atomic relaxed; statistics */
struct reclaim_events {
	unsigned long allocstall[4];	/* direct reclaim, by enum zone_type of the request */
	unsigned long pageoutrun;	/* rounds in the background */
	unsigned long slabs_scanned;	/* objects that shrinkers looked at */
	unsigned long oom_kill;		/* victims that were found */
};
extern struct reclaim_events reclaim_events;

/* shrinker.c */
/* Has the program registered shrinkers? The library's own (SHRINKER_INTERNAL) do not count. */
bool shrinkers_exist(void);
/* Is there any shrinker, the library's own included? */
bool shrinkers_any(void);
/*
 * Is a thread in one of the program's shrinkers? The library's own do not count: they have few
 * objects in hand at a time, and a second thread that calls one waits for its lock instead of
 * finding nothing. A thread that is in a shrinker must not ask: it would count itself.
 */
bool shrinkers_are_running(void);
/* shrink_slab() for one node; adds the objects that are left to *left. */
unsigned long shrink_node(gfp_t gfp, int nid, int priority, unsigned long *left);

/* reclaim_zones.c */
/* Free pages of all zones, including those on per-CPU lists. */
unsigned long reclaim_available_pages(void);
/* Would one of the request's zones pass the minimum mark if more_pages more pages were free? */
bool reclaim_could_satisfy(const struct alloc_context *ac, unsigned int order,
			   unsigned int alloc_flags, unsigned long more_pages);
/* In a fork child: nobody reclaims there. Takes no lock. */
void reclaim_forget(void);
/* Reports the zones' counts. */
void reclaim_show_zones(void);

#endif
