/* SPDX-License-Identifier: MIT */
/* Giving free memory back to the system. */
#ifndef PAGE_RELEASE_H
#define PAGE_RELEASE_H

#include "page/zone.h"

/* Dirty free memory that is kept without asking whether somebody wants it again. */
#define RELEASE_DIRTY_PAGES (64 * MIB / PAGE_SIZE)
/* With more than this, no large block stays on a CPU's list: frees to lists release nothing. */
#define RELEASE_LISTS_PAGES (2 * RELEASE_DIRTY_PAGES)

/* There is more than that: some goes back, now or soon. */
void release_some(struct zone *z) slow_path;

/*
 * What usermm_trim() calls first, with no lock held, so that a layer above gives back what it
 * keeps free. One layer does, once.
 */
void release_set_keeper(void (*give_back)(void));

/* What the background thread does; again after so many milliseconds, 0: nothing to do. */
unsigned int release_background_work(void);

#endif
