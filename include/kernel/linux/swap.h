/* SPDX-License-Identifier: MIT */
/* Nothing is swapped. Only what reclaim needs is here. */
#ifndef _LINUX_SWAP_H
#define _LINUX_SWAP_H

#include <linux/mm.h>
#include <linux/shrinker.h>

#define get_nr_swap_pages() 0L
#define total_swap_pages 0L
#define nr_swap_pages 0L
#define mark_page_accessed(page) ((void)(page))

struct reclaim_state {
	unsigned long reclaimed;
};

#endif
