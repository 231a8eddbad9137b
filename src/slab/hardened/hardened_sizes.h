/* SPDX-License-Identifier: MIT */
/*
 * free() of objects of hardened caches: a function for each small size, and one for any size; and
 * the function that takes an object of any size from the sheaf.
 *
 * A size in the code saves 8 of 50 instructions: nothing is compared, and no end is computed.
 * Larger sizes share a function, since checking and clearing take longer than what would be saved.
 *
 * The functions for one size are used only where there are restartable sequences, and do not ask
 * for these. Nor do they ask whether an object starts at the address: the seal is made from the
 * address, so a right seal says that this is an object in use. If the seal is wrong, the slow half
 * asks, for the report. The function for any size does ask first: a large object's seal may lie
 * pages away from a wrong address, where nothing need be mapped.
 *
 * This is one source, compiled twice: hardened_sizes.c includes it for any machine, and
 * hardened_sizes_avx2.c for machines with AVX2.
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

/*
 * The page of the address is mapped. The next page may be missing if no object starts at the
 * address. So if an object there would reach into the next page, free_any() looks first whether
 * there is one.
 */
static __always_inline void free_small(void *object, struct kmem_cache *cache, const void *caller,
				       size_t bytes)
{
	/* The shift leaves the offset in the page, as a mask would, in less code. */
	const unsigned int above = 32 - PAGE_SHIFT;

	if (unlikely((uint32_t)(unsigned long)object << above >
		     (uint32_t)(PAGE_SIZE - bytes) << above))
		free_any(object, cache, caller);
	else
		free_bytes(object, cache, caller, bytes, true);
}

/* At the start of a cache line: a call waits for its code, line by line. */
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

/* The function for objects of `bytes` bytes, or the one for any size. */
static inline slab_free_fn *free_function_of(size_t bytes)
{
	slab_free_fn *function = NULL;

	if (percpu.index_field && bytes / 16 < sizeof(functions) / sizeof(functions[0]))
		function = functions[bytes / 16];	/* sizes are multiples of 16 */
	return function ? function : free_any;
}

#endif
