/* SPDX-License-Identifier: MIT */
/*
 * Mapping blocks: each is a mapping of its own, found by its address in a table without locks
 * (page/mappings.h). A block is one if
 *
 *	- it is larger than the window's largest page block, or aligned to more;
 *	- realloc() made it larger (realloc.c);
 *	- a page block would waste addresses that are scarce (malloc_slow.c);
 *	- hardened=1 wants guard pages around it (mapped_hardened.h).
 *
 * All of it is slow path: the kernel's part of the work takes far longer than the search. Signal
 * handlers may call all functions but mapped_init(), also above a holder of any lock.
 */
#ifndef MALLOC_MAPPED_MAPPED_H
#define MALLOC_MAPPED_MAPPED_H

#include "base/compiler.h"
#include "page/mappings.h"

/*
 * A block aligned to align; NULL without memory. *zeroed: are all its bytes zero? If not, it is a
 * freed mapping with its old contents (mapped_cache.h). A caller who does not want zeros passes
 * NULL, and gets such a mapping more often.
 */
void *mapped_alloc(size_t bytes, size_t align, bool *zeroed);
/* Bytes of the block at exactly this address; 0 if there is none, or with hardened=1. */
size_t mapped_bytes(const void *block);
/* With hardened=1: is there a block at exactly this address? *asked: the bytes it was asked for. */
bool mapped_asked(const void *block, size_t *asked);
/*
 * May a block that could also come from the window become a mapping? False if the process has used
 * its share of the mappings that the kernel allows (mapped_hardened_fits()).
 */
bool mapped_may_be_mapped(void);
/*
 * Have more than 16 MiB of mappings gone back to the system within a second? Then a block that
 * could also come from the window should do so: most pages of the window need no page fault.
 */
bool mapped_churn_is_high(void);
/* Called once, when the library comes up. */
void mapped_init(void);
/* Ends the process with a report if the address lies inside a block. */
void mapped_report_inside(const char *function, const void *pointer, const void *caller);
/*
 * With hardened=1, at the end of the process: ends it with a report if somebody has written behind
 * a block. No other thread runs.
 */
void mapped_check_all(void);
/* False if there is no such block. caller is for reports, with hardened=1. */
bool mapped_free(void *block, const void *caller);
/* Unmaps the pages kept in handler_pages.h and mapped_cache.h. Returns how many bytes. */
size_t mapped_trim(void);
/*
 * RLIMIT_AS or RLIMIT_DATA was set. Freed mappings count for these limits, so none are kept any
 * more; with hardened=1 a few.
 */
void mapped_limits_changed(void);
/*
 * Resizes the block, which may move. NULL (and no change) without memory, or if there is no such
 * block. New bytes are uninitialised, here and in the next functions.
 */
void *mapped_resize(void *block, size_t asked, const void *caller);
/* Optimistic: NULL instead of making other layers give up memory that they keep. */
void *mapped_alloc_spare(size_t asked, size_t align);
void *mapped_resize_spare(void *block, size_t asked, const void *caller);
/*
 * Optimistic, too, and the block stays at its address. False (and no change) if there is no room
 * behind it.
 */
bool mapped_resize_in_place(void *block, size_t asked, const void *caller);

/* An entry's bytes are those of the mapping; with hardened=1, those that were asked for. */
extern struct mappings mapped_blocks;

struct mapped_counts {
	size_t blocks, bytes;		/* in use now */
	size_t most_blocks, most_bytes;	/* the most that were in use at once */
	size_t allocations;		/* since start */
	size_t freed_bytes;		/* given back to the system since start */
};
extern struct mapped_counts mapped_counts;	/* Sync: atomic relaxed */

#endif
