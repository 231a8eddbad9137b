/* SPDX-License-Identifier: MIT */
/*
 * Blocks that do not fit in the window's largest block, are aligned to more, have
 * grown (realloc.c), or would waste addresses where these are scarce: each is a
 * mapping of its own, found in a table without locks. All of it is the slow path:
 * the kernel's part of the work dwarfs the search. Signal handlers may come here at
 * any time, above a holder of any lock too.
 */
#ifndef MALLOC_MAPPED_MAPPED_H
#define MALLOC_MAPPED_MAPPED_H

#include "base/compiler.h"

/*
 * Memory aligned to align; NULL without memory. Unless it has to be zero what was freed a moment
 * ago will do, as it was left (mapped_cache.h).
 */
void *mapped_alloc(size_t bytes, size_t align, bool zero);
/* Bytes of the block at exactly this address; 0 if there is none, or with hardened=1. */
size_t mapped_bytes(const void *block);
/* With hardened=1: is there a block at exactly this address, and what was asked for? */
bool mapped_asked(const void *block, size_t *asked);
/* Are there mappings left for one more block that need not be one? */
bool mapped_may_be_mapped(void);
/*
 * Have 16 MiB of mappings gone back to the system within a second? Then a block that need not be
 * one had better come from the window, which has warm pages.
 */
bool mapped_churn_is_high(void);
/* What limit= needs of fork(), when the library comes up. */
void mapped_init(void);
/* Ends the process with a report if the address lies inside a block. */
void mapped_report_inside(const char *function, const void *pointer, const void *caller);
/* False if there is no such block. caller: for the report, with hardened=1, of what is wrong. */
bool mapped_free(void *block, const void *caller);
/* Gives back what is kept, for signal handlers (handler_pages.h) and any; the bytes. */
size_t mapped_trim(void);
/* Another size, perhaps at another address; NULL (and no change) without memory, or no block. */
void *mapped_resize(void *block, size_t asked, const void *caller);
/*
 * Both for more than is needed: NULL rather than that anybody gives something back for it. What is
 * in the one, and in more of the other, is anything.
 */
void *mapped_alloc_spare(size_t asked, size_t align);
void *mapped_resize_spare(void *block, size_t asked, const void *caller);
/* At the same address; false (and no change) where there is no room. What it gains is anything. */
bool mapped_resize_in_place(void *block, size_t asked, const void *caller);

struct mapped_counts {
	size_t blocks, bytes;	/* now */
	size_t most_blocks, most_bytes;	/* at once, so far */
	size_t allocations;	/* since start */
	size_t freed_bytes;	/* given back, since start */
};
extern struct mapped_counts mapped_counts;	/* Sync: atomic relaxed */

#endif
