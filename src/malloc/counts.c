/* SPDX-License-Identifier: MIT */
#include "malloc/counts.h"

#include "base/atomic.h"
#include "malloc/mapped/mapped.h"
#include "malloc/mapped/mapped_cache.h"
#include "malloc/page_blocks.h"

void malloc_counts_read(struct malloc_counts *counts)
{
	counts->large_blocks = atomic_load_relaxed(&mapped_counts.blocks);
	counts->mapped_bytes = atomic_load_relaxed(&mapped_counts.bytes);
	counts->mapped_cache_bytes = mapped_cache_bytes();
	counts->large_allocations = atomic_load_relaxed(&mapped_counts.allocations);
	counts->page_blocks = block_allocations();
}
