/* SPDX-License-Identifier: MIT */
/*
 * Transparent huge pages, by the option thp; cf. madvise(2).
 *
 * A page fault of 4 KiB costs more than most of what a program does with them, and each page
 * wants a place in the TLB. `always` and `never` tell the kernel so for all memory, `default`
 * leaves it to the machine's setting. `auto` asks for what a large heap grows by:
 *
 *   - from MM_HUGE_FROM bytes on, so that what nobody needs of the last huge page is an eighth of
 *     the heap at most, and a small program has none. What lies idle between and behind large
 *     blocks comes on top;
 *   - at the first touch and not later: before anything is given back the wish is withdrawn for
 *     the whole window, or the kernel (khugepaged) would fill the holes again;
 *   - as long as the machine has them at hand. Where it has to make room first (compaction, or a
 *     virtual machine whose host has taken free memory back) whoever touches it waits. So the
 *     first huge page of each step is touched here, by the clock; was it slow, there are none for
 *     a while.
 */
#ifndef MM_HUGE_H
#define MM_HUGE_H

#include "base/compiler.h"

#define MM_HUGE_BYTES (2 * MIB)
#define MM_HUGE_FROM (8 * MM_HUGE_BYTES)
/* For so long a program that was kept waiting has none. */
#define MM_HUGE_PAUSE_MS 10000

/*
 * A huge page that takes longer was not at hand: some 0.2 ms are usual, of which clearing is most.
 * Sync: written by tests, before memory comes online
 */
extern unsigned int mm_huge_patience_ms;

/* The window has grown by this, which nobody has touched. Sync: under RANK_GROW */
void mm_huge_grown(void *addr, size_t bytes);
/* Something of the window is about to be given back. Any thread. */
void mm_huge_settle(void);
/* A new mapping beside the window. What the kernel moves or makes larger keeps it. */
void mm_huge_mapped(void *addr, size_t bytes);

#endif
