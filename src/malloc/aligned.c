/* SPDX-License-Identifier: MIT */
/* Calls of usermm/malloc.h with an alignment that libc has no calls for. */
#include "malloc/aligned.h"

#include <errno.h>
#include <string.h>

#include "malloc/checked_realloc.h"
#include "malloc/malloc.h"
#include "malloc/malloc_slow.h"
#include "malloc/realloc.h"
#include "malloc/size_classes.h"

static bool align_is_bad(size_t align)
{
	if (likely(is_power_of_2(align)))
		return false;
	errno = EINVAL;
	return true;
}

/* --- Allocation ------------------------------------------------------------------------------- */

static void *zalloc_pages(size_t align, size_t size, const void *caller)
{
	bool zeroed;
	void *block = malloc_pages_counted(size, align, &zeroed, caller);

	if (!block)
		return malloc_out_of_memory();
	return zeroed ? block : memset(block, 0, size);
}

EXPORT void *usermm_aligned_zalloc(size_t align, size_t size)
{
	void *block;

	if (align_is_bad(align))
		return NULL;
	if (align <= MIN_ALIGN)
		return calloc(1, size);
	if (align > PAGE_SIZE || size > CLASS_MAX_BYTES)
		return zalloc_pages(align, size, __builtin_return_address(0));
	block = own_aligned_alloc(align, size);
	return block ? memset(block, 0, size) : NULL;
}

/* --- Other sizes ------------------------------------------------------------------------------ */

bool aligned_resize_in_place(void *block, size_t align, size_t bytes, const void *caller)
{
	return !((unsigned long)block & (align - 1)) &&
	       checked_resize_in_place(block, bytes, "realloc", caller);
}

/* The contents move, unless the block has about the right size and alignment already. */
static void *resize_aligned(void *block, size_t align, size_t bytes, const void *caller)
{
	size_t old_bytes = malloc_usable_size(block);
	void *moved;

	if (block_may_stay(old_bytes, bytes) &&
	    aligned_resize_in_place(block, align, bytes, caller))
		return block;
	moved = own_aligned_alloc(align, bytes);
	if (!moved)
		return bytes <= old_bytes && aligned_resize_in_place(block, align, bytes, caller) ?
			       block : NULL;
	memcpy(moved, block, min(old_bytes, bytes));
	own_free(block);
	return moved;
}

/*
 * Does realloc() give the block this alignment by itself? Page blocks and mappings are aligned to a
 * page.
 */
static bool realloc_aligns(size_t align, size_t bytes)
{
	return align <= MIN_ALIGN || (align <= PAGE_SIZE && bytes > CLASS_MAX_BYTES);
}

void *aligned_realloc(void *block, size_t align, size_t bytes, const void *caller)
{
	return realloc_aligns(align, bytes) ? own_realloc(block, bytes) :
					      resize_aligned(block, align, bytes, caller);
}

EXPORT void *usermm_aligned_realloc(void *block, size_t align, size_t size)
{
	if (align_is_bad(align))
		return NULL;
	if (!block)
		return own_aligned_alloc(align, size);
	return aligned_realloc(block, align, max(size, (size_t)1), __builtin_return_address(0));
}
