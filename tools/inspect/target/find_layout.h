/* SPDX-License-Identifier: MIT */
/* Finds the library in a target by its layout note (src/stats/layout.h). */
#ifndef INSPECT_FIND_LAYOUT_H
#define INSPECT_FIND_LAYOUT_H

#include "stats/layout.h"
#include "target/target.h"

struct layout {
	uint16_t values[NR_LAYOUT_VALUES];
	uint64_t addresses[NR_LAYOUT_ADDRESSES];	/* in the target; 0: the library lacks it */
	char release[LAYOUT_RELEASE_BYTES + 1];
	char library[256];		/* the file that has the note; "" if unknown */
};

/*
 * Finds the copy of the library that serves the target: preloaded, linked or static. If there
 * are several, this is the one that has memory.
 */
enum inspect_status layout_find(struct target *target, struct layout *layout);

#endif
