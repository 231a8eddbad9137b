/* SPDX-License-Identifier: MIT */
/* malloc's own counters; the layers below have theirs. */
#ifndef MALLOC_COUNTS_H
#define MALLOC_COUNTS_H

#include "base/compiler.h"

struct malloc_counts {
	size_t large_blocks, mapped_bytes;	/* mapping blocks in use now */
	size_t mapped_cache_bytes;		/* freed mappings that are kept now */
	size_t large_allocations;		/* mapping blocks allocated since start */
	size_t page_blocks;			/* page blocks allocated since start */
};

/* In a library without malloc, a weak definition in stats/ leaves the counts at 0. */
void malloc_counts_read(struct malloc_counts *counts);

#endif
