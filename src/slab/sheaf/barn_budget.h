/* SPDX-License-Identifier: MIT */
/*
 * All barns (barn.h) together: the bytes that they may hold, and which barns give way.
 *
 * 1. The budget is slab_cache_bytes=, by default a 64th of memory and at most 512 MiB: enough for
 *    what programs free and allocate again in short turns. No other cache can have the memory that
 *    waits in a barn. So only a firm part is kept against others: a quarter of all slabs, or 32
 *    MiB. Beyond that part a barn keeps memory while it is in use, or while nobody else wants
 *    memory:
 *
 *	a new slab, of any cache	while barns hold more than the firm part, a barn that was
 *					not used for one or two steps of the clock gives back as
 *					many bytes
 *	a barn without room		the same, for as many bytes as that barn wants
 *	every BARN_AGE_MS		half of the batches, and half of the capacity, that nobody
 *					has needed in that time
 *	release thread			all of a barn that was not used for so long
 *	shrinker			as much as requests want that find no memory
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

/* The time in steps. A look at the clock adds one if so much time passed. Sync: atomic relaxed */
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
/* Gives back all of idle barns, and half of what nobody needed of others. */
void barn_budget_decay(void);
/* Before a slab of so many bytes is made: idle barns may have to give way. */
void barn_budget_make_way(size_t bytes);
/* Counts slabs of so many bytes that come, or go (negative): the firm part follows them. */
void barn_budget_count_slabs(long bytes);
size_t barn_budget_slab_bytes(void);
/* Sets the bytes that barns may hold, and the least firm part, however few slabs there are. */
void barn_budget_set_budget(size_t bytes, size_t least);
/* Bytes that barns and sheaves have room for now. */
size_t barn_budget_reserved_bytes(void);
/* Gives back everything; the barn takes nothing any more. Nobody else uses the barn. */
void barn_close(struct barn *barn);
/*
 * Gives back all but `keep` batches; returns how many. Batches that other threads were giving back
 * are in their slabs, too, when this returns. Not for signal handlers.
 */
unsigned int barn_shrink(struct barn *barn, unsigned int keep);

/* For barn.c. */
void barn_budget_join(struct barn *barn);
/*
 * Reserves bytes of the budget, for which idle barns may have to give way, and returns them.
 *
 * fork(): another thread may have reserved bytes that its barn or sheaf does not have yet, or no
 * longer has. The child keeps these reserved: one growth for each such thread, once. Counting anew
 * would have to look at each cache's room in each slot, most of them never touched, in every child.
 */
bool barn_budget_reserve(size_t bytes);
void barn_budget_unreserve(size_t bytes);

/* For barn_budget.c, which holds RANK_BARNS. */
/*
 * Lowers the barn's capacity by up to `less`. Gives back the batches beyond the new capacity, and
 * at least `out` batches if there are so many. Returns how many.
 */
unsigned int barn_cut(struct barn *barn, uint32_t less, uint32_t out);
/* The number of the barn's pages without a batch; and frees them, and returns how many. */
unsigned int barn_empty_pages(struct barn *barn);
unsigned int barn_give_pages(struct barn *barn);
/* Closes the barn, and gives back all that it has. */
void barn_shut(struct barn *barn);

#endif
