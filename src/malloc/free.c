/* SPDX-License-Identifier: MIT */
/*
 * malloc: the entry points that free blocks. malloc.c says which kinds of blocks there are, and how
 * the address tells them apart.
 *
 * A call waits for its code, cache line by cache line, so free() takes as long as the lines that it
 * runs through. A jump target that would begin in the last bytes of a line is therefore moved to
 * the next line (-falign-jumps in CMakeLists.txt). Otherwise hardened objects would need one line
 * more.
 */
#include "malloc/malloc.h"

#include "malloc/checked_blocks.h"
#include "malloc/early_blocks.h"
#include "malloc/family.h"
#include "malloc/hardened/hardened.h"
#include "malloc/hardened/zero_size.h"
#include "malloc/mapped/mapped.h"
#include "malloc/page_blocks.h"
#include "malloc/perturb.h"
#include "malloc/profile/profile.h"
#include "slab/kfence/kfence.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/mixed/mixed.h"

static slow_path void free_other(void *pointer, const void *caller)
{
	if (early_bytes(pointer))
		return;
	if (slab_kfence_owns(pointer)) {
		slab_kfence_free(NULL, pointer, "free", caller);
		return;
	}
	if (zero_size_owns(pointer)) {
		zero_size_free("free", pointer, caller);
		return;
	}
	if (perturb_is_on())
		perturb_freed_pages(pointer);
	if (profile_has_samples())	/* before another block can have the address */
		profile_forget(pointer);
	if ((mm_is_online(pointer) && (block_free(pointer) || slab_mixed_free(pointer))) ||
	    mapped_free(pointer, caller) || family_free(pointer))
		return;
	if (!mm_is_online(pointer))
		checked_report("free", pointer, caller);
	if (!slab_page_block_bytes(pointer))	/* free() takes kmalloc()'s page blocks too */
		mapped_report_inside("free", pointer, caller);
	slab_free_page_block("free", pointer, caller);
}

/* Every free() comes here at once where mm_window.free_bytes is 0. */
static __always_inline void free_slow(void *pointer, const void *caller)
{
	struct kmem_cache *cache = cache_of(pointer);

	if (likely(cache))
		cache->free_checked(pointer, cache, caller);
	else if (likely(pointer))
		free_other(pointer, caller);
}

static __always_inline bool free_fast(void *pointer)
{
	struct kmem_cache *cache = cache_if_freeable(pointer);

	return likely(cache) && likely(slab_free_fast(cache, pointer, true));
}

void free(void *pointer)
{
	struct kmem_cache *cache = cache_if_freeable(pointer);

	if (unlikely(!cache))
		free_slow(pointer, __builtin_return_address(0));
	else if (unlikely(!slab_free_fast(cache, pointer, true)))
		cache->free_checked(pointer, cache, __builtin_return_address(0));
}

OWN_NAME(free);

/*
 * C23 free_sized() and free_aligned_sized(): the caller states the size and the alignment. They are
 * checked with hardened=1, against the size that the block was asked for. A block in no slab always
 * knows its room, so a larger size is always reported. Other objects are freed as by free().
 */
static slow_path void free_sized_slow(void *pointer, size_t size, size_t align,
				      const void *caller)
{
	if (pointer && family_free(pointer))
		return;
	if (pointer && (hardened_is_on() || !cache_of(pointer)))
		hardened_check_sized(pointer, size, align, caller);
	free_slow(pointer, caller);
}

static __always_inline void free_sized_aligned(void *pointer, size_t size, size_t align)
{
	if (unlikely(!free_fast(pointer)))
		free_sized_slow(pointer, size, align, __builtin_return_address(0));
}

void free_sized(void *pointer, size_t size)
{
	free_sized_aligned(pointer, size, 1);
}

void free_aligned_sized(void *pointer, size_t align, size_t size)
{
	free_sized_aligned(pointer, size, align);
}

ALSO_NAMED(usermm_free, free);
ALSO_NAMED(usermm_free_sized, free_sized);
ALSO_NAMED(usermm_free_aligned_sized, free_aligned_sized);
