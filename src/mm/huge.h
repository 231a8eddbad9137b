/* SPDX-License-Identifier: MIT */
/*
 * Transparent huge pages, by the option thp; cf. madvise(2).
 *
 * With pages of 4 KiB a program pays for many page faults, and each page needs an entry of the
 * TLB. `always` and `never` tell the kernel for all memory, `default` leaves it to the machine's
 * setting. `auto` asks for huge pages where a large heap grows:
 *
 *   - From MM_HUGE_FROM bytes on. So the unused part of the last huge page is at most an eighth of
 *     the heap, and a small program has no huge pages. Idle memory between and behind large blocks
 *     comes on top.
 *   - Until memory is given back for the first time. Just before that the advice is withdrawn for
 *     the whole window; otherwise the kernel (khugepaged) would fill the holes again.
 *   - As long as the machine has free huge pages. If it has to make room first (by compaction, or
 *     in a virtual machine whose host has taken free memory back), a thread that touches a page
 *     waits. So this file touches the first huge page of each step and measures the time. If that
 *     was slow, the heap grows without huge pages for a while.
 */
#ifndef MM_HUGE_H
#define MM_HUGE_H

#include "base/compiler.h"

#define MM_HUGE_BYTES (2 * MIB)
#define MM_HUGE_FROM (8 * MM_HUGE_BYTES)
/* After a slow huge page the heap grows without huge pages for this long. */
#define MM_HUGE_PAUSE_MS 10000

/*
 * A huge page that takes longer counts as slow. The usual time is about 0.2 ms, mostly for
 * clearing. Sync: tests write it before memory comes online
 */
extern unsigned int mm_huge_patience_ms;

/* The window has grown by this part, which nobody has touched yet. Sync: under RANK_GROW */
void mm_huge_grown(void *addr, size_t bytes);
/* Call before a part of the window is given back. Any thread may. */
void mm_huge_settle(void);
/* For a new mapping outside the window. mremap() keeps the advice. */
void mm_huge_mapped(void *addr, size_t bytes);

#endif
