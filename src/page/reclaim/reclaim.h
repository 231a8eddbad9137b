/* SPDX-License-Identifier: MIT */
/*
 * Making room: shrinkers, the background thread's work, and the end of the road.
 *
 * 1. Purpose. slowpath.c decides what a request may have done for it; here it is done:
 *    reclaim.c (rounds of growing pressure, in the request's thread) and kswapd.c (in the
 *    background) -> shrinker.c (whom to ask and for how much); oom.c when there was nothing.
 * 2. What it must not know: lists and blocks. Marks and counts of the zones are all it
 *    needs of them.
 * 3. Progress is counted in pages that became available, not in objects that a shrinker
 *    says it freed: objects may stay in their slabs, and a shrinker may be wrong.
 * 4. Who may touch what: no lock is held while a shrinker or a notifier runs, and the
 *    thread is in a scope in which it does not reclaim again.
 * 5. Differences from Linux: no page is mapped by anybody, so shrinkers are all there is
 *    to reclaim from, and nothing is moved to make blocks (compaction).
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
	unsigned long left;	/* objects that shrinkers could still free: at most so many pages */
};
/* In the caller's thread. */
void reclaim_direct(const struct alloc_context *ac, gfp_t gfp, unsigned int order,
		    struct reclaim_result *result);
/*
 * One round for one node; the pages that became available since *available was read, which
 * is brought up to date. Adds the objects that are left to *left.
 */
unsigned long reclaim_node(gfp_t gfp, unsigned int nid, int priority, unsigned long *left,
			   unsigned long *available);

/*
 * The background thread has work. False if there is none, or it may not be: from a child
 * that shares this memory, which would make the thread its own, and with background=off.
 */
bool reclaim_wake_background(void);

/* kswapd.c */
/* The request found no zone above its low mark: the background thread has work. */
void kswapd_wake_all(const struct alloc_context *ac, gfp_t gfp, unsigned int order);
/* A boost of the zone's marks was not acted on yet. */
void kswapd_wake_for_boost(const struct zone *z);
/* Reclaim for this node had success: the background thread may try again. */
void kswapd_revive(unsigned int nid);
/* Was it in vain so often that the background thread leaves this node alone? */
bool kswapd_gave_up(unsigned int nid);
/* What the background thread does; again after so many milliseconds, 0: nothing to do. */
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
/* Of the program's; those of the library itself (SHRINKER_INTERNAL) do not count. */
bool shrinkers_exist(void);
/* Is there anybody to ask? */
bool shrinkers_any(void);
/*
 * Is a thread in one of the program's? The library's own keep little in hand, and wait for their
 * locks. Not for a thread that is in one itself.
 */
bool shrinkers_are_running(void);
/* shrink_slab() for one node; adds the objects that are left to *left. */
unsigned long shrink_node(gfp_t gfp, int nid, int priority, unsigned long *left);

/* reclaim_zones.c */
/* Free pages of all zones, those on per-CPU lists among them. */
unsigned long reclaim_available_pages(void);
/* Would a zone of the request's pass the minimum mark if so many more pages were free? */
bool reclaim_could_satisfy(const struct alloc_context *ac, unsigned int order,
			   unsigned int alloc_flags, unsigned long more_pages);
/* In a fork child nobody reclaims. Takes no lock. */
void reclaim_forget(void);
/* Counts of the zones, for people. */
void reclaim_show_zones(void);

#endif
