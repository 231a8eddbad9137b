/* SPDX-License-Identifier: MIT */
/*
 * All barns (barn.h) together: the bytes that they may hold, and who gives way.
 *
 * 1. Unless an option gives it the budget is a 64th of memory, 512 MiB at most: enough for what
 *    programs free and allocate again in short turns. Memory that waits in a barn is none that
 *    another cache could have, so beyond a firm part, a quarter of all slabs or 32 MiB, barns
 *    hold it only as long as nobody else wants it, or the barn is in use:
 *
 *	a new slab, of any cache	while barns hold more than the firm part, one that was not
 *					used for a step of the clock or two gives
 *					back as much
 *	a barn without room		the same, for as much as it wants
 *	every BARN_AGE_MS		half of the batches that nobody has needed in that time
 *					go back to their slabs, and half of the capacity
 *	release thread			all of a barn that was not used for so long
 *	shrinker			as much as requests want that find no memory
 *
 *    So a program that goes on to other sizes has the memory of the old ones back within
 *    a second, and one that goes through its sizes in turns shorter than half of that
 *    finds all of them where it left them.
 *
 * 2. The list of barns has a lock (RANK_BARNS), which is also held while batches are on their
 *    way to their slabs: see barn.h.
 */
#ifndef SLAB_SHEAF_BARN_BUDGET_H
#define SLAB_SHEAF_BARN_BUDGET_H

#include "slab/sheaf/barn.h"

/* Time in steps of at least so long, one for a look at the clock. Sync: atomic relaxed */
#define BARN_EPOCH_MS 512
extern uint32_t barn_budget_epoch __hidden;

/* Budget and shrinker. Once, when the layer comes up, with no lock held. */
void barn_budget_init(void);

/*
 * Of all barns: at least so many objects are given back, or all, and empty pages of the barns'
 * own, of which each counts as one. How many were.
 */
unsigned long barn_budget_release(unsigned long nr);
/* What time and use have made superfluous is given back, if it is time to look. */
void barn_budget_age(uint64_t now_ms);
/* What nobody has used since the last call but one is given back, else what is superfluous. */
void barn_budget_decay(void);
/* A slab of so many bytes is wanted; others may have to give way. */
void barn_budget_make_way(size_t bytes);
/* Slabs of so many bytes come, or go (less than 0): the firm part grows with them. */
void barn_budget_count_slabs(long bytes);
size_t barn_budget_slab_bytes(void);
/* Bytes that barns may hold; of these, those that are firm however few slabs there are. */
void barn_budget_set_budget(size_t bytes, size_t least);
/* Bytes that they have room for now. */
size_t barn_budget_reserved_bytes(void);
/* Everything is given back, and the barn takes nothing any more. Nobody else uses it. */
void barn_close(struct barn *barn);
/*
 * All but `keep` batches are given back, those that others were giving back meanwhile as
 * well. The number of batches. Not for signal handlers.
 */
unsigned int barn_shrink(struct barn *barn, unsigned int keep);

/* For barn.c. */
void barn_budget_join(struct barn *barn);
/*
 * Room for so many bytes, for which idle barns may have to give way; and its return. What another
 * thread has reserved and not given to its barn or sheaf yet, or has taken from it and not
 * returned, stays reserved in a child of a fork() at that moment: one growth, once. To count anew
 * there would take a look at each cache's room in each slot, most of them never touched, in
 * every child.
 */
bool barn_budget_reserve(size_t bytes);
void barn_budget_unreserve(size_t bytes);

/* For barn_budget.c, which holds RANK_BARNS. */
/*
 * Lowers the barn's capacity by up to `less`, and gives back as many batches as then are too
 * many, and `out` at least, if there are so many. How many.
 */
unsigned int barn_cut(struct barn *barn, uint32_t less, uint32_t out);
/* Its pages without a batch; they go, and how many they were. */
unsigned int barn_empty_pages(struct barn *barn);
unsigned int barn_give_pages(struct barn *barn);
/* It takes nothing any more, and has nothing. */
void barn_shut(struct barn *barn);

#endif
