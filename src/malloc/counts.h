/* SPDX-License-Identifier: MIT */
/* What malloc counts of its own, beside what the layers below count. */
#ifndef MALLOC_COUNTS_H
#define MALLOC_COUNTS_H

#include "base/compiler.h"

struct malloc_counts {
	size_t large_blocks, mapped_bytes;	/* mappings, now */
	size_t mapped_cache_bytes;		/* mappings that were freed and stay, now */
	size_t large_allocations;		/* mappings, since start */
	size_t page_blocks;			/* blocks of pages, since start */
};

/*
 * A library without malloc has a weak definition of this function in stats/,
 * which leaves the counts at 0.
 */
void malloc_counts_read(struct malloc_counts *counts);

#endif
