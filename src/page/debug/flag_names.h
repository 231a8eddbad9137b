/* SPDX-License-Identifier: MIT */
/* Flags as text, for reports and for kernel sources: one table of names for each kind. */
#ifndef PAGE_DEBUG_FLAG_NAMES_H
#define PAGE_DEBUG_FLAG_NAMES_H

#include <stddef.h>

#include "usermm/gfp.h"

/* All names of one kind fit. */
#define FLAG_NAMES_BYTES 512

/*
 * Writes the flags' names, joined by '|', then the flags without a name as a number; nothing for 0.
 * At most size - 1 bytes. cf. Linux %pGg
 */
void gfp_names(gfp_t gfp, char *text, size_t size);
/*
 * Writes a page's flags like Linux's %pGp: the word, then in brackets the owner's and the
 * allocator's flags, the node (unless negative) and the zone.
 */
void page_flag_names(unsigned long flags, int node, int zone, char *text, size_t size);

#endif
