/* SPDX-License-Identifier: MIT */
/*
 * barn: batches of free objects that change hands whole.
 *
 * 1. Purpose. A CPU's sheaf that is full gives a batch of objects away, one that is
 *    empty wants a batch. If what was given is there to be taken, moving it is a short
 *    copy under one lock: neither the objects nor the struct pages of their slabs are
 *    touched. Only what a barn refuses or has not got goes to the slabs and comes from
 *    there, object by object. cf. Linux mm/slub.c: struct node_barn.
 *
 * 2. What it must not know: caches and slabs. A batch is so many pointers; batches that
 *    have to go are handed to the owner's give_back().
 *
 * 3. Objects. A barn is a stack of batches in a chain of pages of its own, each page as
 *    full of pointers as it can be: a batch takes 8 bytes an object, whatever its length,
 *    and a page is one allocation for hundreds of objects. Empty pages are kept, as many as
 *    the capacity would need: their bytes are in its cost. Else where one CPU gives and
 *    another takes, the pages would go to the list of the CPU that takes, and those of the one
 *    that gives be new to the process, at a page fault each, until that list is full.
 *
 *	nr <= capacity, sum of capacity * cost of all barns <= reserved <= budget
 *
 *    where cost is what a batch is worth: its objects and their pointers, and the budget is
 *    that of all barns together (barn_budget.h), from which sheaves have their room as well
 *    (sheaf_size.h): there is what all of it comes to. Not in it are the ends of each barn's last
 *    page.
 *
 *    Capacity follows misses. A barn starts with none. A batch that it had to refuse and
 *    that was wanted within BARN_SPAN_MS is one that it could have kept: the capacity grows
 *    by one. So a program that frees n batches and allocates them again finds all of them
 *    the second time, and one that never does that has no memory in barns.
 *
 * 4. Who may touch what. A barn's lock (RANK_BARN) is held for one copy, and nothing is
 *    done under it. The list of barns has one (RANK_BARNS), which is also held while batches
 *    of others are on their way to their slabs: whoever closes a barn waits for that, and
 *    so does fork(), or the child would not have them.
 *
 *    In a signal handler above a holder of either lock a barn refuses and has nothing.
 *
 * 5. Differences from Linux: sheaves are copied, not exchanged, since a CPU's stays where it
 *    is; a barn's size is not a constant; what it does not use it gives back.
 *
 * 6. Failure: no memory for a page is a refusal. While allocations fail on purpose
 *    (failslab=, fail_page_alloc=) barns take no page, so that their requests are not counted.
 */
#ifndef SLAB_SHEAF_BARN_H
#define SLAB_SHEAF_BARN_H

#include "os/lock.h"
#include "usermm/list.h"

#define BARN_BATCH_MAX 127
/* Wanted again so soon, a batch would have been worth keeping. */
#define BARN_SPAN_MS 1000
#define BARN_AGE_MS 1000

struct barn_page;

/* As Linux counts them: cf. enum stat_item. */
struct barn_counts {
	unsigned long barn_get, barn_get_fail;	/* batches taken; none was there */
	unsigned long barn_put, barn_put_fail;	/* batches given; refused */
};

struct barn {
	/* A zeroed barn is one that has nothing and takes nothing. */
	struct lock lock __aligned(CACHE_LINE_BYTES);	/* RANK_BARN */
	uint32_t nr;			/* batches; Sync: lock; read with relaxed loads */
	uint32_t capacity;		/* Sync: as nr */
	/* Refused, and not wanted since. Sync: atomic relaxed; who resets it may lose one */
	uint32_t spilled;
	uint32_t nr_on_top;		/* batches of the top page; Sync: lock */
	uint32_t nr_pages;		/* with batches, and empty; Sync: as nr */
	struct barn_page *top, *empty;	/* Sync: lock */
	/* Least and most batches since the barn was looked at last. Sync: lock */
	uint32_t low, high;

	/* Sync: constant after barn_init() */
	uint16_t batch, batches_per_page;
	uint32_t cost;			/* bytes that a batch is worth */
	void (*give_back)(struct barn *barn, void **objects, unsigned int n);

	uint32_t used_epoch;		/* of its last use: barn_budget.h. Sync: atomic relaxed */
	bool closed;			/* takes nothing any more. Sync: lock */
	uint32_t visits;		/* Sync: lock */
	uint64_t spilled_ms;		/* when the last batch was refused; Sync: as spilled */
	/* Sync: successes lock; failures as spilled; read with relaxed loads */
	struct barn_counts counts;
	struct list_head barns;		/* Sync: RANK_BARNS */
};

/*
 * A barn for batches of `batch` objects (1 .. BARN_BATCH_MAX) of object_bytes each. The
 * caller may call lock_init(); the barn is zeroed. give_back() takes n objects of a batch
 * that has to go. It is called with RANK_BARNS held, and may take locks of higher ranks.
 */
void barn_init(struct barn *barn, unsigned int batch, unsigned int object_bytes,
	       void (*give_back)(struct barn *barn, void **objects, unsigned int n));
/* After barn_close() (barn_budget.h), by who may call lock_destroy(). */
void barn_destroy(struct barn *barn);

/* Takes a whole batch of n objects; or false, and they stay the caller's. */
bool barn_give(struct barn *barn, void *const *objects, unsigned int n);
/* A whole batch, the one that was given last; the number of objects, or 0. */
unsigned int barn_take(struct barn *barn, void **objects);

/*
 * The same in steps. What makes room, and what follows, may go as deep as the page allocator, or
 * send other barns' batches to their slabs; whoever has a batch on the stack does that before it
 * has it and when it has not any more. barn_catch_up() is told what the others said is due.
 */
void barn_make_room(struct barn *barn);
bool barn_give_now(struct barn *barn, void *const *objects, unsigned int n, unsigned int *due);
unsigned int barn_take_now(struct barn *barn, void **objects, unsigned int *due);
void barn_catch_up(struct barn *barn, unsigned int due);
/* Objects in it; approximate. */
static inline unsigned long barn_objects(const struct barn *barn)
{
	return (unsigned long)atomic_load_relaxed(&barn->nr) * barn->batch;
}

void barn_read_counts(const struct barn *barn, struct barn_counts *counts);
/* Pages that all barns keep batches in. */
unsigned long barn_pages(void);

#endif
