/* SPDX-License-Identifier: MIT */
/* Flags as text: the one table of names of each kind, for reports and for kernel sources. */
#ifndef PAGE_DEBUG_FLAG_NAMES_H
#define PAGE_DEBUG_FLAG_NAMES_H

#include <stddef.h>

#include "usermm/gfp.h"

/* All names of either kind together fit. */
#define FLAG_NAMES_BYTES 512

/*
 * The flags' names, joined by '|', then what has none as a number; nothing for 0. At most
 * size - 1 bytes. cf. Linux %pGg
 */
void gfp_names(gfp_t gfp, char *text, size_t size);
/*
 * A page's flags as Linux's %pGp has them: the word, then in brackets what the page is to
 * its owner and to the allocator, and its zone (and node, if it is not negative).
 */
void page_flag_names(unsigned long flags, int node, int zone, char *text, size_t size);

#endif
