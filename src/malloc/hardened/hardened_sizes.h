/* SPDX-License-Identifier: MIT */
/*
 * malloc() of hardened objects: one function for each small size, so that the size is a constant.
 * See slab/hardened/hardened_sizes.h.
 */
#ifndef MALLOC_HARDENED_HARDENED_SIZES_H
#define MALLOC_HARDENED_HARDENED_SIZES_H

#include "malloc/hardened/hardened.h"
#include "malloc/malloc_slow.h"

static __always_inline void *alloc_bytes(size_t size, const void *caller,
					 const struct hardened_step *step, size_t bytes)
{
	void *object = NULL;

	/*
	 * A block of 0 bytes is no object (zero_size.h). Only the smallest class is asked for one.
	 */
	if (likely(size) || bytes > MIN_ALIGN)
		object = slab_hardened_alloc_fast(step->sheaf, bytes, size);
	return likely(object) ? object : malloc_dispatch(size, caller);
}

static void *alloc_any(size_t size, const void *caller, const struct hardened_step *step)
{
	return alloc_bytes(size, caller, step, step->bytes);
}

/* Functions for one size are used only with restartable sequences, and need not ask each time. */
static __always_inline void assume_sequences(void)
{
	if (!percpu.index_field)
		__builtin_unreachable();
}

/* Aligned to a cache line, since a call waits for its code line by line. */
#define DEFINE_ALLOC(bytes) \
	static __aligned(CACHE_LINE_BYTES) void * \
	alloc_##bytes(size_t size, const void *caller, const struct hardened_step *step) \
	{ \
		assume_sequences(); \
		return alloc_bytes(size, caller, step, bytes); \
	}
SLAB_HARDENED_SIZES(DEFINE_ALLOC)

#define SIZE_ENTRY(bytes) [(bytes) / 16] = alloc_##bytes,
static hardened_alloc_fn *const functions[] = { SLAB_HARDENED_SIZES(SIZE_ENTRY) };

static inline hardened_alloc_fn *alloc_function_of(size_t bytes)
{
	hardened_alloc_fn *function = NULL;

	if (percpu.index_field && bytes / 16 < sizeof(functions) / sizeof(functions[0]))
		function = functions[bytes / 16];	/* bytes is a multiple of 16 */
	return function ? function : alloc_any;
}

#endif
