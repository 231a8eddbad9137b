/* SPDX-License-Identifier: MIT */
/*
 * malloc: the entry points that take blocks back. malloc.c says what blocks there are; free() tells
 * them apart by the address: inside the window tables by the page know, outside it the table of
 * mappings does.
 *
 * A call from another program waits for its code, line by line, so how many lines free() goes
 * through decides what it takes: places that are jumped to and would begin with a line's last
 * bytes begin with the next line (CMakeLists.txt), or hardened objects would meet one line more.
 */
#include "malloc/malloc.h"

#include "malloc/checked_blocks.h"
#include "malloc/hardened/hardened.h"
#include "malloc/hardened/zero_size.h"
#include "malloc/mapped/mapped.h"
#include "malloc/page_blocks.h"
#include "malloc/profile/profile.h"
#include "slab/kfence/kfence.h"
#include "slab/kmalloc/kmalloc.h"

static slow_path void free_other(void *pointer, const void *caller)
{
	if (slab_kfence_owns(pointer)) {
		slab_kfence_free(NULL, pointer, "free", caller);
		return;
	}
	if (zero_size_owns(pointer)) {
		zero_size_free("free", pointer, caller);
		return;
	}
	if (profile_is_on())	/* before it can be another's */
		profile_forget(pointer);
	if (!pointer || (mm_is_online(pointer) && block_free(pointer)) ||
	    mapped_free(pointer, caller))
		return;
	if (!mm_is_online(pointer))
		checked_report("free", pointer, caller);
	if (!slab_page_block_bytes(pointer))	/* what kmalloc made may be freed here */
		mapped_report_inside("free", pointer, caller);
	slab_free_page_block("free", pointer, caller);
}

/* With hardened=1 each free() comes here at once: mm_window.free_bytes is 0 then. */
static __always_inline void free_slow(void *pointer, const void *caller)
{
	struct kmem_cache *cache = cache_of(pointer);

	if (likely(cache))
		cache->free_checked(pointer, cache, caller);
	else
		free_other(pointer, caller);
}

static __always_inline bool free_fast(void *pointer)
{
	struct kmem_cache *cache = cache_of(pointer);

	return likely(cache) && likely(slab_free_fast(cache, pointer));
}

/* The first of the hot functions that the linker meets: the page of all begins here. */
EXPORT __hot __aligned(PAGE_SIZE) void (free)(void *pointer)
{
	struct kmem_cache *cache = NULL;

	if (likely(mm_offset(pointer) < atomic_load_operand(&mm_window.free_bytes)))
		cache = cache_of_online(pointer);
	if (unlikely(!cache))
		free_slow(pointer, __builtin_return_address(0));
	else if (unlikely(!slab_free_fast(cache, pointer)))
		cache->free_checked(pointer, cache, __builtin_return_address(0));
}

/*
 * C23: the size and the alignment are the caller's word. They are not needed, and where
 * blocks know their sizes they have to be right; blocks that are no objects always know how
 * much they have room for. The fast path is free()'s.
 */
static slow_path void free_sized_slow(void *pointer, size_t size, size_t align,
				      const void *caller)
{
	if (pointer && (hardened_is_on() || !cache_of(pointer)))
		hardened_check_sized(pointer, size, align, caller);
	free_slow(pointer, caller);
}

static __always_inline void free_sized_aligned(void *pointer, size_t size, size_t align)
{
	if (unlikely(!free_fast(pointer)))
		free_sized_slow(pointer, size, align, __builtin_return_address(0));
}

EXPORT __hot void (free_sized)(void *pointer, size_t size)
{
	free_sized_aligned(pointer, size, 1);
}

EXPORT void (free_aligned_sized)(void *pointer, size_t align, size_t size)
{
	free_sized_aligned(pointer, size, align);
}
