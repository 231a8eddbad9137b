/* SPDX-License-Identifier: MIT */
/*
 * All mixed slabs: where a free run is, which slabs may have pages to give back, and what they have
 * together. Functions that end in _locked: the caller holds RANK_MIXED.
 */
#ifndef SLAB_MIXED_MIXED_LIST_H
#define SLAB_MIXED_MIXED_LIST_H

#include "slab/mixed/mixed.h"
#include "slab/mixed/mixed_record.h"

static inline unsigned int mixed_pages_of(const struct mixed_record *record)
{
	return record->map.nr / (unsigned int)MIXED_PAGE_GRANULES;
}

void mixed_list_init(void);

/* --- Blocks ---------------------------------------------------------------------- */

/* nr granules, the first one a multiple of align; NULL if no slab that was looked at has them. */
void *mixed_take_locked(unsigned int nr, unsigned int align);
/* The slab's block `at` is free. A slab without blocks ends, and is added to `empty`. */
void mixed_put_locked(struct mixed_record *record, unsigned int at, unsigned int nr,
		      struct list_head *empty);

/* --- Granules that are no block for a while (mixed_release.c) ------------------------ */

/* The slab has no free granule left. */
void mixed_unlist_locked(struct mixed_record *record);
/* The slab has a free run of this length. */
void mixed_note_run_locked(struct mixed_record *record, unsigned int nr);
/* The pages of the slab that the system has back: a bit for each. */
void mixed_set_released_locked(struct mixed_record *record, unsigned int released);
/*
 * The slab has no block left. It leaves the lists, and its record ends. Its pages stay mixed ones
 * without a record until slab_mixed_discard(), so they hold no block for anybody who looks.
 */
void mixed_end_locked(struct mixed_record *record, struct list_head *empty);

/* --- Slabs that may have pages to give back ------------------------------------------ */

/* Adds the slab at the end, if it does not wait already. */
void mixed_queue_locked(struct mixed_record *record);
/* Takes off the slab that waits longest; NULL: none waits. */
struct mixed_record *mixed_next_queued_locked(void);

#endif
