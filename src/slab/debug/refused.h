/* SPDX-License-Identifier: MIT */
/* Requests that caches or slabs cannot honour, and failed allocations: what is told. */
#ifndef SLAB_DEBUG_REFUSED_H
#define SLAB_DEBUG_REFUSED_H

#include "slab/cache.h"

/* Flags that no slab and no kmalloc() can honour. cf. Linux GFP_SLAB_BUG_MASK */
#define SLAB_GFP_UNUSABLE (__GFP_DMA32 | __GFP_HIGHMEM | ~__GFP_BITS_MASK)
/* Warns about flags that slabs cannot honour and returns gfp without them. */
gfp_t slab_fix_gfp(gfp_t gfp) slow_path;
/* Ends the process with SLAB_PANIC. error is a negative errno value. */
void slab_report_not_created(const struct slab_cache_request *request, int error) slow_path;
/* Warns once that a cache with a constructor was asked for zeroed objects. */
void slab_report_zeroing(const struct kmem_cache *cache) slow_path;
/* Reports that no slab could be allocated, as Linux does: at most ten times in five seconds. */
void slab_report_out_of_memory(struct kmem_cache *cache, gfp_t gfp, int nid) slow_path;

#endif
