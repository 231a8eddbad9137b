/* SPDX-License-Identifier: MIT */
/* See checked_blocks.h. */
#include "malloc/checked_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "malloc/grown.h"
#include "malloc/hardened/zero_size.h"
#include "malloc/mapped/mapped.h"
#include "malloc/page_blocks.h"
#include "malloc/profile/profile.h"
#include "malloc/size_classes.h"
#include "os/os.h"
#include "slab/debug/debug.h"
#include "slab/debug/report.h"
#include "slab/hardened/hardened.h"
#include "slab/kfence/kfence.h"
#include "slab/kmalloc/kmalloc.h"

void checked_report(const char *function, void *pointer, const void *caller)
{
	mapped_report_inside(function, pointer, caller);
	slab_report_bad_free(function, pointer, caller);
}

/* 0 if there is no block of the window's pages at this address. */
static size_t window_bytes(const void *pointer)
{
	return mm_is_online(pointer) ?
		       max(block_bytes(pointer), slab_page_block_bytes(pointer)) : 0;
}

size_t checked_pages_bytes(void *pointer)
{
	size_t bytes = window_bytes(pointer);

	return bytes ? bytes : mapped_bytes(pointer);
}

bool checked_is_mapping(const void *pointer)
{
	return !window_bytes(pointer);
}

/* The cache that watches over the block; NULL if it is one without. */
static struct kmem_cache *watching_cache(void *pointer, const char *function,
					 const void *caller)
{
	struct kmem_cache *cache;
	size_t asked;
	bool known;

	if (slab_kfence_owns(pointer))
		return NULL;
	if (zero_size_owns(pointer)) {
		zero_size_check(function, pointer, caller);
		return NULL;
	}
	cache = cache_of(pointer);
	if (cache)
		known = cache_is_debugged(cache) || cache->is_hardened;
	else
		known = mapped_asked(pointer, &asked) || checked_pages_bytes(pointer);
	if (!known)
		checked_report(function, pointer, caller);
	return cache;
}

size_t checked_size(void *pointer, const char *function, bool *exact, const void *caller)
{
	struct kmem_cache *cache = cache_of(pointer);
	size_t asked = 0;

	*exact = false;
	/* Of kmalloc() or a program's own cache, which free() takes as well. */
	if (cache && object_may_be_freed(cache, pointer))
		return cache->object_size;
	cache = watching_cache(pointer, function, caller);
	*exact = true;
	if (slab_kfence_owns(pointer))
		return slab_kfence_size(pointer, function, caller);
	if (zero_size_owns(pointer))
		return 0;
	if (cache && cache->is_hardened)
		return slab_hardened_size(cache, pointer, function, caller);
	if (!cache && mapped_asked(pointer, &asked))
		return asked;
	*exact = false;
	if (cache && !slab_debug_is_object(cache, pointer))
		return SIZE_MAX;	/* its free will tell */
	if (cache) {
		asked = slab_debug_size(cache, pointer);
		/* Of the whole object: or malloc_usable_size() has said that it is all theirs. */
		*exact = slab_debug_knows_size(cache) && asked < cache->object_size;
		return asked;
	}
	return checked_pages_bytes(pointer);
}

size_t checked_usable(void *pointer, const void *caller)
{
	struct kmem_cache *cache = watching_cache(pointer, "malloc_usable_size", caller);
	bool exact;

	if (!cache || cache->is_hardened)
		return checked_size(pointer, "malloc_usable_size", &exact, caller);
	if (!slab_debug_check_in_use(cache, pointer, "malloc_usable_size", caller))
		return 0;
	return slab_debug_usable(cache, pointer);
}

size_t checked_clear_bytes(void *pointer)
{
	const struct kmem_cache *cache = cache_of(pointer);

	return cache && cache_is_debugged(cache) && !slab_debug_knows_size(cache) ?
		       cache->usable_bytes : 0;
}

static bool is_for_size(const struct kmem_cache *cache, size_t size)
{
	return block_may_stay(cache->object_size - (cache->is_hardened ? SLAB_SEAL_BYTES : 0),
			      size);
}

/* What the profile has sampled moves where objects of its size would (malloc/profile/profile.h). */
static bool may_stay(const void *pointer, size_t size)
{
	const struct kmem_cache *cache;
	struct profile_sample sample;

	if (!profile_is_on() || !profile_take(pointer, &sample))
		return true;
	profile_put(pointer, &sample);
	if (sample.size > CLASS_MAX_BYTES - SLAB_SEAL_BYTES)
		return true;
	cache = class_of(sample.size + SLAB_SEAL_BYTES);
	return is_for_size(cache, size) && size <= cache->size - SLAB_SEAL_BYTES;
}

/* False if the object has no room for so many bytes. */
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

/* With as many pages it stays; with others its pages move, unless an object would do. */
static void *resize_mapping(void *block, size_t old_size, size_t size, const void *caller)
{
	if (!may_stay(block, size))
		return NULL;
	if (ALIGN(old_size, os_page_bytes()) == ALIGN(size, os_page_bytes()))
		return mapped_resize(block, size, caller);
	return size + SLAB_SEAL_BYTES > CLASS_MAX_BYTES ?
	       realloc_grown_resize(block, old_size, size, caller) : NULL;
}

/* The block with another size; NULL if its contents have to be copied to another one. */
static void *resize(struct kmem_cache *cache, void *pointer, size_t old_size, size_t size,
		    const void *caller)
{
	if (cache)
		return resize_object(cache, pointer, size) ? pointer : NULL;
	if (zero_size_owns(pointer))
		return NULL;
	return resize_mapping(pointer, old_size, size, caller);
}

/* Where there is no memory for a smaller block this one will do. */
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

/* Pages of the window stay as they are. */
static bool resize_pages_in_place(void *pointer, size_t size, const void *caller)
{
	if (!checked_is_mapping(pointer))
		return size <= checked_pages_bytes(pointer);
	return realloc_resize_in_place(pointer, size, caller);
}

bool checked_resize_in_place(void *pointer, size_t size, const char *function, const void *caller)
{
	struct kmem_cache *cache = cache_of(pointer);

	if (cache && object_may_be_freed(cache, pointer))
		return size <= cache_object_bytes(cache);
	cache = watching_cache(pointer, function, caller);
	if (cache && !cache->is_hardened &&
	    !slab_debug_check_in_use(cache, pointer, function, caller))
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
		free(pointer);
}

void *checked_realloc(void *pointer, size_t size, const void *caller)
{
	struct kmem_cache *cache = watching_cache(pointer, "realloc", caller);
	int saved_errno = errno;
	size_t old_size;
	void *block;
	bool exact;

	if (cache && !cache->is_hardened &&
	    !slab_debug_check_in_use(cache, pointer, "realloc", caller)) {
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
