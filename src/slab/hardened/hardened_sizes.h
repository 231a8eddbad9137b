/* SPDX-License-Identifier: MIT */
/*
 * free() of objects of hardened caches, once for each small size, and what takes one of any
 * size. With the size in the code there is nothing to compare and no end to compute: 8
 * instructions of 50 less. Larger ones share a function, since there looking and clearing take
 * longer than that. Those of one size are for where there are restartable sequences, and do not
 * ask for that each time.
 *
 * Nor do they ask whether an object starts at the address, since a seal is made from that: one
 * that is right says that this is an object in use. If it is not right the slow half asks, for
 * the report. What the large ones look at may lie pages away from an address that is wrong,
 * where nothing need be mapped, so they ask first.
 *
 * Included by hardened_sizes.c, and by hardened_sizes_avx2.c for what the compiler makes of it
 * when it is told of these instructions.
 */
#ifndef SLAB_HARDENED_HARDENED_SIZES_H
#define SLAB_HARDENED_HARDENED_SIZES_H

#include "slab/hardened/hardened.h"

static __always_inline void free_bytes(void *object, struct kmem_cache *cache, const void *caller,
				       size_t bytes, bool small)
{
	if (unlikely(!slab_hardened_free_whole(cache, object, bytes, small)))
		slab_hardened_free(object, cache, caller, "free");
}

static void free_any(void *object, struct kmem_cache *cache, const void *caller)
{
	size_t bytes = (size_t)cache->mark_offset + SLAB_SEAL_BYTES;

	if (unlikely(!object_is_at(cache, object)))
		slab_hardened_free(object, cache, caller, "free");	/* does not return */
	free_bytes(object, cache, caller, bytes, false);
}

/* Such an object's page is there; if none starts here the next one may not be. */
static __always_inline void free_small(void *object, struct kmem_cache *cache, const void *caller,
				       size_t bytes)
{
	/* A shift leaves the address in its page, as a mask would, in less code. */
	const unsigned int above = 32 - PAGE_SHIFT;

	if (unlikely((uint32_t)(unsigned long)object << above >
		     (uint32_t)(PAGE_SIZE - bytes) << above))
		free_any(object, cache, caller);
	else
		free_bytes(object, cache, caller, bytes, true);
}

/* From the start of a line on: what a call waits for is its code, line by line. */
#define DEFINE_FREE(bytes) \
	static __aligned(CACHE_LINE_BYTES) void \
	free_##bytes(void *object, struct kmem_cache *cache, const void *caller) \
	{ \
		free_small(object, cache, caller, bytes); \
	}
SLAB_HARDENED_SIZES(DEFINE_FREE)

#define SIZE_ENTRY(bytes) [(bytes) / 16] = free_##bytes,
static slab_free_fn *const functions[] = { SLAB_HARDENED_SIZES(SIZE_ENTRY) };

static void *take_any(struct percpu_array *sheaf, size_t bytes, size_t size)
{
	return slab_hardened_alloc_fast(sheaf, bytes, size);
}

/* free() of objects of so many bytes, or of any size. */
static inline slab_free_fn *free_function_of(size_t bytes)
{
	slab_free_fn *function = NULL;

	if (percpu.index_field && bytes / 16 < sizeof(functions) / sizeof(functions[0]))
		function = functions[bytes / 16];	/* sizes are multiples of 16 */
	return function ? function : free_any;
}

#endif
