/* SPDX-License-Identifier: MIT */
/*
 * Free memory that costs nothing, not even its struct pages.
 *
 * A free block whose memory went back to the system still keeps a system page: the one that its
 * first struct page lies in, with the links of the free list. Where few pages in use are scattered
 * over much free memory, these make up 1.5 % of it. So free memory that nobody needs is parked: it
 * leaves the free lists, a bit stands for it, and all its struct pages go back.
 *
 *	unit		a chunk: the pages whose struct pages fill a page of the system's (64 with
 *			pages of 4 KiB). With system pages of 64 KiB nothing is parked.
 *	which		whole chunks that are free and known to be zero, of types that have per-CPU
 *			lists (not reserves, nor isolated ones)
 *	when		the background thread looks at what is old (release_old()), and nobody has
 *			taken zero memory since the last look
 *	counts as	budget that is not online: free_pages includes it, present_pages does not
 *	comes back	when the zone's lists are empty, before the zone grows; the lowest first
 *
 * Nothing is parked while a limit counts what is online (RLIMIT_AS, RLIMIT_DATA): there whole free
 * sections are vacated (online.c). Nothing is parked while a hook (debug/hooks.h) is active either.
 *
 * Sync. While a block is on its way to be parked it is on no list. page_drain_lock is held for it,
 * as for a block whose memory goes back (release_block() in reclaim/release.c says why). Bits,
 * counts and free pages change together under the zone's lock. So the holder of that lock finds
 * each free page either on the lists or parked. Chunks come back under page_grow_lock: a request
 * that finds nothing takes that lock before it gives up. fork() waits for both locks.
 * (tests/models/page_parked.pml)
 *
 * The struct pages of a parked chunk read as zero. They look like those of pages in use: so no
 * block is joined with a parked one, and no pageblock is counted as free for it.
 */
#ifndef PAGE_PARKED_H
#define PAGE_PARKED_H

#include "page/zone.h"

/* Parks what may be parked. The caller holds no lock. */
void zone_park(struct zone *z);
/* How many pages zone_park() could park now. */
unsigned long zone_parkable_pages(struct zone *z);
/*
 * Puts some parked chunks back on the free lists. False: there is none. The caller holds
 * page_grow_lock.
 */
bool zone_unpark(struct zone *z) slow_path;

/*
 * Is each page of the online pageblock that begins at pfn either free (on a free list or parked),
 * or in use by something that the caller accepts? others() is called under the zone's lock, for a
 * page in use. It returns how many pages from this one on the caller accepts; 0: not this one.
 */
bool pageblock_is_free_but(unsigned long pfn, unsigned long (*others)(const struct page *page));

#endif
