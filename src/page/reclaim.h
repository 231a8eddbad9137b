/* SPDX-License-Identifier: MIT */
/*
 * Making room: shrinkers, the background thread's work, and the end of the road.
 *
 * 1. Purpose. slowpath.c decides what a request may have done for it; here it is done:
 *    reclaim.c (rounds of growing pressure, in the request's thread or in the background)
 *    -> shrinker.c (whom to ask and for how much); oom.c when there was nothing.
 * 2. What it must not know: lists and blocks. What it needs of the zones is in
 *    reclaim_zones.c, behind the functions below.
 * 3. Progress is counted in pages that became available, not in objects that a shrinker
 *    says it freed: objects may stay in their slabs, and a shrinker may be wrong.
 * 4. Who may touch what: no lock is held while a shrinker or a notifier runs, and the
 *    thread is in a scope in which it does not reclaim again.
 * 5. Differences from Linux: no page is mapped by anybody, so shrinkers are all there is
 *    to reclaim from, and nothing is moved to make blocks (compaction).
 */
#ifndef PAGE_RECLAIM_H
#define PAGE_RECLAIM_H

#include "base/compiler.h"
#include "usermm/gfp.h"

/* cf. Linux DEF_PRIORITY, SWAP_CLUSTER_MAX, MAX_RECLAIM_RETRIES */
#define RECLAIM_PRIORITY_LIGHTEST 12
#define RECLAIM_PAGES 32UL
#define RECLAIM_RETRIES_MAX 16

/* reclaim.c */
struct reclaim_result {
	unsigned long pages;	/* that became available */
	unsigned long left;	/* objects that shrinkers could still free: at most so many pages */
};
/* In the caller's thread. */
void reclaim_direct(gfp_t gfp, unsigned int order, struct reclaim_result *result);
/*
 * The zones are below their low mark: the background thread has work. False if it would
 * not help; with background=off the work is done before it returns.
 */
bool reclaim_wake_background(gfp_t gfp, unsigned int order);
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
bool shrinkers_exist(void);
/* shrink_slab() for one node; adds the objects that are left to *left. */
unsigned long shrink_node(gfp_t gfp, int nid, int priority, unsigned long *left);

/* reclaim_zones.c */
struct alloc_context;
int reclaim_nr_nodes(void);
/* Free pages of all zones, those on per-CPU lists among them. */
unsigned long reclaim_available_pages(void);
/* Would a zone of the request's pass the minimum mark if so many more pages were free? */
bool reclaim_could_satisfy(const struct alloc_context *ac, unsigned int order,
			   unsigned int alloc_flags, unsigned long more_pages);
/* Does every node have a zone that passes its high mark? */
bool reclaim_balanced(unsigned int order);
/* The background thread begins or ends its work: CPUs' lists stay short meanwhile. */
void reclaim_begin_balancing(void);
void reclaim_end_balancing(void);
/* Pages of this CPU's lists go back to the free lists, where they are counted. */
void reclaim_drain(void);
/* Counts of the zones, for people. */
void reclaim_show_zones(void);
void reclaim_count_failure(void);

#endif
