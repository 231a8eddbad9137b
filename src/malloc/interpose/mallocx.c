/* SPDX-License-Identifier: MIT */
/*
 * jemalloc's own calls (usermm/mallocx.h). Programs written for jemalloc allocate by these names
 * and free by free(), or the other way round.
 *
 * jemalloc lets a program use all of a block's real size, which nallocx() tells beforehand. So each
 * call asks malloc() for the real size. Modes that check blocks then know that the program owns
 * them up to there. With hardened=1 the real size is the size that was asked for.
 */
#include "usermm/mallocx.h"

#include <string.h>

#include "base/options.h"
#include "malloc/checked_realloc.h"
#include "malloc/hardened/hardened.h"
#include "malloc/malloc.h"
#include "malloc/malloc_slow.h"
#include "malloc/page_blocks.h"
#include "malloc/realloc.h"
#include "malloc/size_classes.h"
#include "os/load_options.h"
#include "page/mappings.h"
#include "slab/kfence/kfence.h"

#define LG_ALIGN_MASK 0x3f

static size_t align_of(int flags)
{
	return 1UL << (flags & LG_ALIGN_MASK);
}

static bool is_aligned(const void *pointer, int flags)
{
	return !((unsigned long)pointer & (align_of(flags) - 1));
}

/*
 * The real size of the block for a request; 0 if the request is too large. Called with a real size,
 * it returns the same size.
 */
static size_t real_size(size_t size, int flags)
{
	size_t bytes = max(size, 1UL), align = align_of(flags);

	if (bytes > PTRDIFF_MAX || align > PTRDIFF_MAX)
		return 0;
	load_options();
	if (hardened_is_on())
		return bytes;
	if (bytes <= CLASS_MAX_BYTES && align <= PAGE_SIZE)
		return class_bytes_of(ALIGN(bytes, align));
	if (bytes <= BLOCK_MAX_BYTES && align <= BLOCK_MAX_BYTES)
		return block_bytes_for(bytes, align);
	return mapping_bytes(bytes);
}

/* Clears the block from byte number first on, to the end of its usable size. */
static void *clear_rest(char *block, size_t first)
{
	size_t bytes = malloc_usable_size(block);

	if (bytes > first)
		memset(block + first, 0, bytes - first);
	return block;
}

/* --- Allocation ------------------------------------------------------------------------------- */

EXPORT_WEAK void *mallocx(size_t size, int flags)
{
	size_t bytes = real_size(size, flags), align = align_of(flags);
	void *block;

	if (!bytes)
		return malloc_out_of_memory();
	if (align <= MIN_ALIGN)
		return flags & MALLOCX_ZERO ? calloc(1, bytes) : malloc(bytes);
	if (!(flags & MALLOCX_ZERO))
		return aligned_alloc(align, bytes);
	block = aligned_alloc(align, bytes);
	return block ? clear_rest(block, 0) : NULL;
}

EXPORT_WEAK size_t nallocx(size_t size, int flags)
{
	return real_size(size, flags);
}

/* --- Other sizes ------------------------------------------------------------------------------ */

EXPORT_WEAK size_t sallocx(const void *ptr, int flags)
{
	(void)flags;
	return malloc_usable_size((void *)ptr);
}

static bool resize_in_place(void *block, size_t bytes, int flags, const void *caller)
{
	return is_aligned(block, flags) &&
	       checked_resize_in_place(block, bytes, "xallocx", caller);
}

/* realloc() with an alignment, which realloc() itself does not have. */
static void *resize_aligned(void *block, size_t old_bytes, size_t bytes, int flags,
			    const void *caller)
{
	void *moved;

	if (block_may_stay(old_bytes, bytes) && resize_in_place(block, bytes, flags, caller))
		return block;
	moved = aligned_alloc(align_of(flags), bytes);
	if (!moved)
		return bytes <= old_bytes && resize_in_place(block, bytes, flags, caller) ?
			       block : NULL;
	memcpy(moved, block, min(old_bytes, bytes));
	free(block);
	return moved;
}

/*
 * Does realloc() give the block this alignment by itself? Page blocks and mappings are aligned to a
 * page.
 */
static bool realloc_aligns(size_t bytes, int flags)
{
	size_t align = align_of(flags);

	return align <= MIN_ALIGN || (align <= PAGE_SIZE && bytes > CLASS_MAX_BYTES);
}

EXPORT_WEAK void *rallocx(void *ptr, size_t size, int flags)
{
	const unsigned long old_address = (unsigned long)ptr;
	size_t bytes = real_size(size, flags), old_bytes;
	char *block;

	if (!ptr)
		return mallocx(size, flags);
	if (!bytes)
		return malloc_out_of_memory();
	if (realloc_aligns(bytes, flags) && !(flags & MALLOCX_ZERO))
		return realloc(ptr, bytes);
	old_bytes = malloc_usable_size(ptr);
	block = realloc_aligns(bytes, flags) ?
			realloc(ptr, bytes) :
			resize_aligned(ptr, old_bytes, bytes, flags, __builtin_return_address(0));
	if (!block || !(flags & MALLOCX_ZERO))
		return block;
	/* A block that has moved was copied up to its new size. */
	return clear_rest(block, (unsigned long)block == old_address ? old_bytes :
								       min(old_bytes, bytes));
}

/* Tries size + extra, then size. jemalloc might reach a size in between. */
EXPORT_WEAK size_t xallocx(void *ptr, size_t size, size_t extra, int flags)
{
	const void *caller = __builtin_return_address(0);
	size_t old_bytes = malloc_usable_size(ptr), bytes = real_size(size, flags), most;

	if (!ptr || !bytes)
		return old_bytes;
	most = real_size(extra <= PTRDIFF_MAX - bytes ? max(size, 1UL) + extra : PTRDIFF_MAX,
			 flags);
	if (old_bytes == most)
		return old_bytes;
	if (!resize_in_place(ptr, most, flags, caller) && old_bytes < bytes)
		resize_in_place(ptr, bytes, flags, caller);
	if (flags & MALLOCX_ZERO)
		clear_rest(ptr, old_bytes);
	return malloc_usable_size(ptr);
}

/* --- Freeing ---------------------------------------------------------------------------------- */

EXPORT_WEAK void dallocx(void *ptr, int flags)
{
	(void)flags;
	free(ptr);
}

/*
 * The caller may state any size from the one that was asked for up to the real one. A guarded
 * object (kfence_sample=) knows one size: the real one if mallocx() allocated it, but the asked one
 * if malloc() did. So the size of a guarded object is not checked.
 */
EXPORT_WEAK void sdallocx(void *ptr, size_t size, int flags)
{
	if (slab_kfence_owns(ptr))
		free(ptr);
	else
		free_aligned_sized(ptr, align_of(flags), max(size, 1UL));
}
