/* SPDX-License-Identifier: MIT */
/*
 * barn: a store of batches of free objects, which change hands whole.
 *
 * 1. Purpose. A full sheaf gives a batch of objects away, an empty sheaf wants one. If a batch is
 *    there, moving it is a short copy under one lock: neither the objects nor the struct pages of
 *    their slabs are touched. Only batches that a barn refuses or does not have go to the slabs and
 *    come from there, object by object. cf. Linux mm/slub.c: struct node_barn.
 *
 * 2. What it must not know: caches and slabs. A batch is an array of pointers. Batches that have to
 *    go are handed to the owner's give_back().
 *
 * 3. Objects. A barn is a stack of batches in a chain of pages of its own. Each page is filled with
 *    pointers: a batch takes 8 bytes an object, and a page is one allocation for hundreds of
 *    objects. A barn keeps its empty pages, up to the number that its capacity needs; their bytes
 *    are part of a batch's cost. If it freed them, and one CPU gives while another takes, the pages
 *    would go to the page list of the CPU that takes. Until that list is full, the CPU that gives
 *    would get pages that are new to the process, at a page fault each.
 *
 *	nr <= capacity, sum of capacity * cost of all barns <= reserved <= budget
 *
 *    cost: the bytes of a batch's objects and of their pointers. budget: that of all barns together
 *    (barn_budget.h); sheaves have their room from the same budget (sheaf_size.h). The unused end
 *    of a barn's last page is not in it.
 *
 *    Capacity follows misses. A barn starts with capacity 0. If a refused batch is wanted again
 *    within BARN_SPAN_MS, the barn could have kept it: the capacity grows by one. So a program that
 *    frees n batches and allocates them again finds all of them the second time. A program that
 *    never does so has no memory in barns.
 *
 * 4. Who may touch what. A barn's lock (RANK_BARN) is held for one copy and nothing else. The list
 *    of barns has a lock (RANK_BARNS), which is also held while batches are on their way from a
 *    barn to their slabs. The end of a cache waits for that; so does fork(), or the child would
 *    lose these batches.
 *
 *    In a signal handler that interrupted the holder of either lock, a barn refuses every batch and
 *    has none.
 *
 * 5. Differences from Linux: sheaves are copied, not exchanged, since a CPU's sheaf stays in its
 *    place. A barn's size is not a constant. A barn gives back what it does not use.
 *
 * 6. Failure: no memory for a page is a refusal. While allocations fail on purpose (failslab=,
 *    fail_page_alloc=) barns take no page, so that none of their requests is counted as the
 *    program's.
 */
#ifndef SLAB_SHEAF_BARN_H
#define SLAB_SHEAF_BARN_H

#include "os/lock.h"
#include "usermm/list.h"

/*
 * 1 (cmake -D USERMM_LINUX_SHEAVES=ON): the sizes of Linux 7.3, to measure what ours gain. A CPU
 * has room for Linux's two sheaves from the first miss on, free of charge; a barn takes ten
 * batches, and neither grows nor shrinks with use. cf. Linux mm/slub.c: calculate_sheaf_capacity()
 */
#ifndef USERMM_LINUX_SHEAVES
#define USERMM_LINUX_SHEAVES 0
#endif
#define LINUX_FULL_SHEAVES 10

#define BARN_BATCH_MAX 127
/* A refused batch that is wanted again within this time would have been worth keeping. */
#define BARN_SPAN_MS 1000
#define BARN_AGE_MS 1000

struct barn_page;

/* Linux's counters: cf. enum stat_item. */
struct barn_counts {
	unsigned long barn_get, barn_get_fail;	/* batches taken; none was there */
	unsigned long barn_put, barn_put_fail;	/* batches given; refused */
};

struct barn {
	/* A zeroed barn has nothing and takes nothing. */
	struct lock lock __aligned(CACHE_LINE_BYTES);	/* RANK_BARN */
	uint32_t nr;			/* batches; Sync: lock; read with relaxed loads */
	uint32_t capacity;		/* Sync: as nr */
	/* Batches refused and not wanted since. Sync: atomic relaxed; a reset may lose one */
	uint32_t spilled;
	uint32_t nr_on_top;		/* batches of the top page; Sync: lock */
	uint32_t nr_pages;		/* with batches and empty ones; Sync: as nr */
	struct barn_page *top, *empty;	/* Sync: lock */
	/* Least and most batches since age() looked at the barn last. Sync: lock */
	uint32_t low, high;

	/* Sync: constant after barn_init() */
	uint16_t batch, batches_per_page;
	uint32_t cost;			/* of a batch's objects and pointers */
	void (*give_back)(struct barn *barn, void **objects, unsigned int n);

	uint32_t used_epoch;		/* of the last use: barn_budget.h. Sync: atomic relaxed */
	bool closed;			/* takes nothing any more. Sync: lock; relaxed loads */
	uint8_t look_mask;		/* a visit whose number has none of these bits looks at the
					   clock. Sync: as batch */
	uint32_t visits;		/* Sync: lock */
	uint64_t spilled_ms;		/* when the last batch was refused; Sync: as spilled */
	/* Sync: put and get: lock; the failures: as spilled; all are read with relaxed loads */
	struct barn_counts counts;
	unsigned long parts;		/* refused parts of a batch; Sync: as spilled */
	struct list_head barns;		/* Sync: RANK_BARNS */
};

/*
 * Initialises a zeroed barn for batches of `batch` objects (1 .. BARN_BATCH_MAX) of object_bytes
 * each; the caller may call lock_init(). give_back() takes the n objects of a batch that has to go.
 * It is called with RANK_BARNS held, and may take locks of higher ranks.
 */
void barn_init(struct barn *barn, unsigned int batch, unsigned int object_bytes,
	       void (*give_back)(struct barn *barn, void **objects, unsigned int n));
/* After barn_close() (barn_budget.h); the caller may call lock_destroy(). */
void barn_destroy(struct barn *barn);

/* Takes a batch of n objects. False: the barn refuses, and they stay the caller's. */
bool barn_give(struct barn *barn, void *const *objects, unsigned int n);
/* Hands out the batch that was given last. Returns the number of its objects, or 0. */
unsigned int barn_take(struct barn *barn, void **objects);

/*
 * barn_give() and barn_take() in steps, for callers with a batch on the stack. barn_make_room() and
 * barn_catch_up() may go as deep as the page allocator, or send other barns' batches to their
 * slabs. So one is called before the batch is on the stack, and the other when it no longer is.
 * barn_give_now() and barn_take_now() add to *due what barn_catch_up() has to do.
 */
void barn_make_room(struct barn *barn);
bool barn_give_now(struct barn *barn, void *const *objects, unsigned int n, unsigned int *due);
unsigned int barn_take_now(struct barn *barn, void **objects, unsigned int *due);
void barn_catch_up(struct barn *barn, unsigned int due);
/* Objects in the barn; approximate. */
static inline unsigned long barn_objects(const struct barn *barn)
{
	return (unsigned long)atomic_load_relaxed(&barn->nr) * barn->batch;
}

void barn_read_counts(const struct barn *barn, struct barn_counts *counts);
/* Pages that all barns keep batches in. */
unsigned long barn_pages(void);

#endif
