/* SPDX-License-Identifier: MIT */
#include "malloc/counts.h"

#include "base/atomic.h"
#include "malloc/mapped/mapped.h"
#include "malloc/mapped/mapped_cache.h"
#include "malloc/page_blocks.h"

void malloc_counts_read(struct malloc_counts *counts)
{
	counts->large_blocks = atomic_load_relaxed(&large_counts.blocks);
	counts->large_bytes = atomic_load_relaxed(&large_counts.bytes);
	counts->large_kept_bytes = large_kept_bytes();
	counts->large_allocations = atomic_load_relaxed(&large_counts.allocations);
	counts->page_blocks = block_allocations();
}
