/* SPDX-License-Identifier: MIT */
#include "malloc/checked_realloc.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "malloc/block_kind.h"
#include "malloc/checked_blocks.h"
#include "malloc/family.h"
#include "malloc/hardened/zero_size.h"
#include "malloc/malloc.h"
#include "malloc/malloc_slow.h"
#include "malloc/mapped/mapped.h"
#include "malloc/profile/profile.h"
#include "malloc/realloc.h"
#include "malloc/size_classes.h"
#include "os/os.h"
#include "slab/debug/debug.h"
#include "slab/hardened/hardened.h"
#include "slab/kfence/kfence.h"
#include "slab/kmalloc/kmalloc.h"

/* May realloc() leave an object of the cache in place for size bytes? */
static bool is_for_size(const struct kmem_cache *cache, size_t size)
{
	return block_may_stay(cache->object_size - (cache->is_hardened ? SLAB_SEAL_BYTES : 0),
			      size);
}

/*
 * A sampled block stands for an object of a class. So it moves where that object would have to move
 * (malloc/profile/profile.h).
 */
static bool may_stay(const void *pointer, size_t size)
{
	const struct kmem_cache *cache;
	struct profile_sample sample;

	if (!profile_has_samples() || !profile_take(pointer, &sample))
		return true;
	profile_put(pointer, &sample);
	if (sample.size > CLASS_MAX_BYTES - SLAB_SEAL_BYTES)
		return true;
	cache = class_of(sample.size + SLAB_SEAL_BYTES);
	return is_for_size(cache, size) && size <= cache->size - SLAB_SEAL_BYTES;
}

/* Tells the object's cache its new size; false if the object has no room for size bytes. */
static bool set_size(struct kmem_cache *cache, void *object, size_t size)
{
	if (cache->is_hardened)
		return slab_hardened_resize(cache, object, size);
	if (size > cache->object_size)
		return false;
	slab_debug_resize(cache, object, size);
	return true;
}

static bool resize_object(struct kmem_cache *cache, void *object, size_t size)
{
	return is_for_size(cache, size) && set_size(cache, object, size);
}

/*
 * A mapping that keeps its number of pages stays. Otherwise realloc_mapping() may move its pages,
 * unless the new size fits an object.
 */
static void *resize_mapping(void *block, size_t old_size, size_t size, const void *caller)
{
	if (!may_stay(block, size))
		return NULL;
	if (ALIGN(old_size, os_page_bytes()) == ALIGN(size, os_page_bytes()))
		return mapped_resize(block, size, caller);
	return size + SLAB_SEAL_BYTES > CLASS_MAX_BYTES ?
	       realloc_mapping(block, old_size, size, caller) : NULL;
}

/* The resized block; NULL if the contents have to be copied to a new block. */
static void *resize(struct kmem_cache *cache, void *pointer, size_t old_size, size_t size,
		    const void *caller)
{
	if (cache)
		return resize_object(cache, pointer, size) ? pointer : NULL;
	if (zero_size_owns(pointer))
		return NULL;
	return resize_mapping(pointer, old_size, size, caller);
}

/*
 * Called when there is no memory for a smaller block. The old block stays, and knows its new size.
 */
static void *shrink_in_place(struct kmem_cache *cache, void *pointer, size_t size,
			     const void *caller)
{
	if (slab_kfence_owns(pointer)) {
		slab_kfence_shrink(pointer, size);
		return pointer;
	}
	if (cache)
		return set_size(cache, pointer, size) ? pointer : NULL;
	return mapped_resize(pointer, size, caller);
}

/* A page block keeps its pages. */
static bool resize_pages_in_place(void *pointer, size_t size, const void *caller)
{
	if (!block_is_mapping(pointer))
		return size <= block_bytes_outside_slabs(pointer);
	return realloc_mapping_in_place(pointer, size, caller);
}

/*
 * Has a cache with debugging flags found that the object is not in use? Then it has reported the
 * object. Other caches do not check this.
 */
static bool is_not_in_use(struct kmem_cache *cache, void *pointer, const char *function,
			  const void *caller)
{
	return cache && !cache->is_hardened &&
	       !slab_debug_check_in_use(cache, pointer, function, caller);
}

bool checked_resize_in_place(void *pointer, size_t size, const char *function, const void *caller)
{
	struct kmem_cache *cache = cache_of(pointer);

	if (cache && object_may_be_freed(cache, pointer))
		return size <= cache_object_bytes(cache);
	cache = checked_cache(pointer, function, caller);
	if (is_not_in_use(cache, pointer, function, caller))
		return false;
	if (cache)
		return set_size(cache, pointer, size);
	if (zero_size_owns(pointer))
		return !size;
	if (!slab_kfence_owns(pointer))
		return resize_pages_in_place(pointer, size, caller);
	if (size > slab_kfence_size(pointer, function, caller))
		return false;
	slab_kfence_shrink(pointer, size);
	return true;
}

static void release(struct kmem_cache *cache, void *pointer, const void *caller)
{
	if (cache)
		slab_free_checked(cache, pointer, "realloc", caller);
	else
		own_free(pointer);
}

static void *refuse_foreign_block(void *pointer)
{
	REPORT_ONCE(true, "realloc(%p): the program has its own malloc() or free(), and not "
			  "realloc(), which knows the size of its blocks; define that as well",
		    pointer);
	errno = ENOMEM;
	return NULL;
}

void *checked_realloc(void *pointer, size_t size, const void *caller)
{
	struct kmem_cache *cache;
	int saved_errno = errno;
	size_t old_size;
	void *block;
	bool exact;

	if (!family_is_own() && !checked_owns(pointer))
		return refuse_foreign_block(pointer);
	cache = checked_cache(pointer, "realloc", caller);
	if (is_not_in_use(cache, pointer, "realloc", caller)) {
		errno = ENOMEM;
		return NULL;
	}
	if (!size) {
		release(cache, pointer, caller);
		return NULL;
	}
	old_size = checked_size(pointer, "realloc", &exact, caller);
	block = resize(cache, pointer, old_size, size, caller);
	if (block)
		return block;
	block = malloc_slow(size, caller);
	if (!block && size <= old_size) {
		block = shrink_in_place(cache, pointer, size, caller);
		errno = block ? saved_errno : ENOMEM;
		return block;
	}
	if (!block)
		return NULL;
	memcpy(block, pointer, min(old_size, size));
	release(cache, pointer, caller);
	return block;
}
