/* SPDX-License-Identifier: MIT */
/*
 * All barns (barn.h) together: the bytes that they may hold, and which barns give way.
 *
 * 1. The budget is slab_cache_bytes=, by default a 64th of memory and at most 512 MiB: enough for
 *    what programs free and allocate again in short turns. No other cache can have the memory that
 *    waits in a barn. So if others want memory, barns keep only the firm part of the budget: a
 *    quarter of the bytes of all slabs, but at least 32 MiB; with slab_cache_bytes= all of it.
 *    Beyond that part a barn keeps memory while it is in use, or while nobody else wants memory:
 *
 *	a new slab, of any cache	while barns hold more than the firm part, a barn that was
 *					not used for one or two epochs gives back as
 *					many bytes
 *	a new slab in memory that	while barns hold more than 1 MiB, a barn of objects of a
 *	nobody has touched		page or more gives back as many bytes, used or not:
 *					page faults would cost far more
 *	a barn without room		the same, for as many bytes as that barn wants
 *	every BARN_AGE_MS		half of the batches, and half of the capacity, that nobody
 *					has needed in that time
 *	background thread		all that an idle barn has
 *	shrinker			as much as is wanted by requests that find no memory
 *
 *    So a program that goes on to other sizes has the memory of the old ones back within a second.
 *    A program that goes through its sizes in turns shorter than half a second finds all batches
 *    where it left them.
 *
 * 2. The list of barns has a lock (RANK_BARNS), which is also held while batches are on their way
 *    to their slabs: see barn.h.
 */
#ifndef SLAB_SHEAF_BARN_BUDGET_H
#define SLAB_SHEAF_BARN_BUDGET_H

#include "slab/sheaf/barn.h"

/*
 * The barns' clock counts epochs. A look at the time begins the next epoch if the last one began
 * BARN_EPOCH_MS ago. Sync: atomic relaxed
 */
#define BARN_EPOCH_MS 512
extern uint32_t barn_budget_epoch __hidden;

/* Sets budget and shrinker up. Called once, when the layer comes up, with no lock held. */
void barn_budget_init(void);

/*
 * Gives back at least nr objects of any barns, or all, and the barns' empty pages. Returns how many
 * objects and pages.
 */
unsigned long barn_budget_release(unsigned long nr);
/* If BARN_AGE_MS have passed: gives back half of what nobody needed in that time. */
void barn_budget_age(uint64_t now_ms);
/* Gives back all that idle barns have, and half of what nobody needed in the others. */
void barn_budget_decay(void);
/* Called before a slab of `bytes` bytes is made: idle barns may have to give way. */
void barn_budget_make_way(size_t bytes);
/*
 * Counts the bytes of slabs that were made, or freed (negative). The firm part depends on the sum.
 */
void barn_budget_count_slabs(long bytes);
size_t barn_budget_slab_bytes(void);
/* Sets the budget, and the part of it that is firm even if there are few slabs. */
void barn_budget_set_budget(size_t bytes, size_t least);
/* Bytes of the objects in all barns; 0 if the lock is busy. */
size_t barn_budget_kept_bytes(void);
/* Bytes that barns and sheaves have room for now. */
size_t barn_budget_reserved_bytes(void);
/* Gives back all batches; from then on the barn takes none. Nobody else may use the barn. */
void barn_close(struct barn *barn);
/*
 * Gives back all but `keep` batches; returns how many. When this returns, batches that other
 * threads were giving back are in their slabs, too. Not for signal handlers. For
 * kmem_cache_shrink() and the like: slabs become empty only when no barn holds their objects.
 */
unsigned int barn_shrink(struct barn *barn, unsigned int keep);

/* For barn.c. */
void barn_budget_join(struct barn *barn);
/*
 * Reserves bytes of the budget. If it has no room, idle barns give way. False if that is not
 * enough.
 *
 * fork(): another thread may have reserved bytes that its barn or sheaf does not have yet, or no
 * longer has. The child keeps these reserved: at most one step of growth for each such thread. To
 * compute the sum again, every child would have to look at each cache's room in each slot, most of
 * which were never touched.
 */
bool barn_budget_reserve(size_t bytes);
void barn_budget_unreserve(size_t bytes);

/* For barn_budget.c, which holds RANK_BARNS. */
/*
 * Lowers the barn's capacity by up to `less`. Gives back the batches beyond the new capacity, and
 * at least `out` batches if there are so many. Returns how many.
 */
unsigned int barn_cut(struct barn *barn, uint32_t less, uint32_t out);
/*
 * barn_empty_pages(): the number of the barn's pages without a batch. barn_give_pages(): frees
 * these, and returns how many.
 */
unsigned int barn_empty_pages(struct barn *barn);
unsigned int barn_give_pages(struct barn *barn);
/* Closes the barn, and gives back all that it has. */
void barn_shut(struct barn *barn);

#endif
