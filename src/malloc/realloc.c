/* SPDX-License-Identifier: MIT */
/*
 * malloc: blocks get other sizes. As in glibc realloc(p, 0) frees and returns NULL, and a block
 * that is to be smaller is never refused.
 *
 * An object stays where it is if another would not be much smaller, or it moves; a block of pages
 * and a mapping may also be cut, or grow, where they are (checked_blocks.c, grown.c). Nothing is
 * saved, and no frame made, before it is known that there is something to do.
 */
#include "malloc/malloc.h"

#include <errno.h>
#include <string.h>

#include "malloc/checked_blocks.h"
#include "malloc/grown.h"
#include "malloc/malloc_fast.h"
#include "malloc/page_blocks.h"

/*
 * A new size for a block in no slab, which may be elsewhere then; NULL if its contents have to be
 * copied. A mapping that cannot give anything back stays as it is.
 */
static void *resize_pages(void *pointer, size_t old_bytes, size_t size, const void *caller)
{
	bool may_stay = block_may_stay(old_bytes, size);
	void *resized = NULL;

	if (old_bytes > CLASS_MAX_BYTES && checked_is_mapping(pointer) &&
	    (!may_stay || realloc_grown_gives_back(old_bytes, size)))
		resized = realloc_grown_resize(pointer, old_bytes, size, caller);
	return resized || !may_stay ? resized : pointer;
}

/* What was in a block is in another now; if there is none, one that is large enough stays. */
static void *move_contents(void *pointer, size_t old_bytes, size_t size, void *block,
			   int saved_errno)
{
	if (!block && size <= old_bytes) {
		errno = saved_errno;
		return pointer;
	}
	if (!block)
		return NULL;
	memcpy(block, pointer, min(old_bytes, size));
	free(pointer);
	return block;
}

/* Where a block moves to that becomes larger: if not a mapping, then what malloc() gives. */
static inline void *alloc_grown(size_t old_bytes, size_t size, const void *caller)
{
	return size > old_bytes ? realloc_grown_alloc(size, caller) : NULL;
}

/* Of a block that is in no slab. */
static noinline void *realloc_pages(void *pointer, size_t size, const void *caller)
{
	size_t old_bytes = checked_pages_bytes(pointer);
	int saved_errno = errno;
	void *block;

	if (unlikely(!old_bytes))
		return checked_realloc(pointer, size, caller);
	if (!size) {
		free(pointer);
		return NULL;
	}
	block = resize_pages(pointer, old_bytes, size, caller);
	if (block)
		return block;
	block = alloc_grown(old_bytes, size, caller);
	if (!block)
		block = malloc_slow(size, caller);
	return move_contents(pointer, old_bytes, size, block, saved_errno);
}

/* malloc() in the name of a caller. */
static __always_inline void *malloc_for(size_t size, const void *caller)
{
	void *object = malloc_at_hand(size);

	return almost_always(object) ? object : malloc_without_sheaf(size, caller);
}

static noinline __hot void *realloc_new(size_t size, const void *caller)
{
	return malloc_for(size, caller);
}

/* To a smaller object, or the end of one. */
static noinline void *realloc_smaller(void *pointer, size_t old_bytes, size_t size,
				      const void *caller)
{
	int saved_errno = errno;

	if (!size) {
		free(pointer);
		return NULL;
	}
	return move_contents(pointer, old_bytes, size, malloc_slow(size, caller), saved_errno);
}

static noinline __hot void *realloc_larger(void *pointer, size_t old_bytes, size_t size,
					   const void *caller)
{
	void *block = NULL;

	if (unlikely(size >= GROWN_MIN_BYTES))
		block = realloc_grown_alloc(size, caller);
	if (likely(!block))
		block = malloc_for(size, caller);
	if (unlikely(!block))
		return NULL;
	memcpy(block, pointer, old_bytes);
	free(pointer);
	return block;
}

/* In the name of whoever called the function that it is part of. */
static __always_inline void *realloc_inline(void *pointer, size_t size)
{
	const void *caller = __builtin_return_address(0);
	struct kmem_cache *cache = cache_of(pointer);
	size_t old_bytes;

	if (!pointer)
		return realloc_new(size, caller);
	if (unlikely(!cache))
		return realloc_pages(pointer, size, caller);
	if (unlikely(!object_may_be_freed(cache, pointer)))
		return checked_realloc(pointer, size, caller);
	old_bytes = cache_object_bytes(cache);
	if (size > old_bytes)
		return realloc_larger(pointer, old_bytes, size, caller);
	if (likely(size) && block_may_stay(old_bytes, size))
		return pointer;
	return realloc_smaller(pointer, old_bytes, size, caller);
}

EXPORT __hot void *(realloc)(void *pointer, size_t size)
{
	return realloc_inline(pointer, size);
}

EXPORT void *(reallocarray)(void *pointer, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return malloc_out_of_memory();
	return realloc_inline(pointer, bytes);
}
