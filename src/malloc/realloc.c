/* SPDX-License-Identifier: MIT */
/*
 * realloc(): blocks get other sizes. As in glibc, realloc(p, 0) frees and returns NULL, and making
 * a block smaller never fails.
 *
 * 1. An object stays where it is, or its contents are copied to another block. block_may_stay()
 *    decides. Page blocks do the same. Mappings may also be cut or grow.
 *
 * 2. A block that realloc() made larger is likely to be made larger again. In the window each such
 *    step is a copy, and leaves a free block that is too small for the next step: a string that
 *    grows to n bytes by doubling has touched 2n. So from GROWN_MIN_BYTES on such a block is a
 *    mapping (mapped.h), which grows by moving its pages and not their contents. The mapping has
 *    room for an eighth more than was asked for, so that small steps need no system call. Room that
 *    is not touched takes no memory. No layer gives up kept memory for room: if there is none to
 *    spare, the mapping has just what was asked for. A large mapping that is made smaller is cut,
 *    since the program has touched what is cut off.
 *
 * 3. Each page of a new mapping costs a page fault. Pages of the window are warm, and so are freed
 *    mappings that are kept (mapped_cache.h). So a program that grows and frees more blocks than
 *    the kept mappings serve gets blocks of the window (mapped_churn_is_high()). So does a process
 *    that has used its share of the mappings that the kernel allows (mapped_may_be_mapped()).
 *
 * 4. The first step from the window to a mapping is a copy. So a block of the window cannot grow
 *    where limit= has no room for both the block and its copy. A mapping can grow to all that is
 *    left.
 *
 * 5. With hardened=1 all blocks of these sizes are mappings without extra room
 *    (checked_realloc.c).
 *
 * The fast path saves no register and makes no stack frame until there is something to do.
 */
#include "malloc/realloc.h"

#include <errno.h>
#include <string.h>

#include "malloc/block_kind.h"
#include "malloc/checked_realloc.h"
#include "malloc/early_blocks.h"
#include "malloc/hardened/hardened.h"
#include "malloc/malloc.h"
#include "malloc/malloc_fast.h"
#include "malloc/mapped/mapped.h"
#include "malloc/page_blocks.h"
#include "malloc/profile/profile.h"

/* A grown block has room for 1/GROWN_ROOM_SHARE more than was asked for. */
#define GROWN_ROOM_SHARE 8
/* A block that realloc() makes larger becomes a mapping from this size on. */
#define GROWN_MIN_BYTES (128 * KIB)

/* --- Mappings --------------------------------------------------------------------------------- */

static bool may_be_mapped(size_t size)
{
	return size >= GROWN_MIN_BYTES && size <= BLOCK_MAX_BYTES;
}

static size_t with_room(size_t size)
{
	return size + size / GROWN_ROOM_SHARE;
}

/*
 * A mapping with room to grow, for a block that realloc() makes larger; NULL if malloc() should
 * make the block. Leaves errno alone. caller: who called realloc(), for profile=.
 */
static noinline void *grown_alloc(size_t size, const void *caller)
{
	void *block;

	if (hardened_is_on())		/* malloc() makes a mapping without room to spare */
		return NULL;
	if (!may_be_mapped(size) || !mapped_may_be_mapped() || mapped_churn_is_high())
		return NULL;
	block = mapped_alloc_spare(with_room(size), PAGE_SIZE);
	if (!block)
		block = mapped_alloc(size, PAGE_SIZE, NULL);
	if (profile_is_on() && block)
		profile_count(block, size, caller);
	return block;
}

/*
 * Resizes a mapping, which may move. NULL also if a block of the new size should not be a mapping:
 * the contents are then copied.
 */
static void *resize_mapping(void *block, size_t old_bytes, size_t size, const void *caller)
{
	void *moved = NULL;

	if (size > BLOCK_MAX_BYTES || hardened_is_on())
		return mapped_resize(block, size, caller);
	if (!may_be_mapped(size))
		return NULL;
	if (size > old_bytes)
		moved = mapped_resize_spare(block, with_room(size), caller);
	return moved ? moved : mapped_resize(block, size, caller);
}

static void *resize_mapping_in_place(void *block, size_t old_bytes, size_t size, const void *caller)
{
	(void)old_bytes;
	return mapped_resize_in_place(block, size, caller) ? block : NULL;
}

typedef void *resize_fn(void *block, size_t old_bytes, size_t size, const void *caller);

/* profile= counts a resize as a free of the old block and an allocation of the new one. */
static void *resize_counted(resize_fn *how, void *block, size_t old_bytes, size_t size,
			    const void *caller)
{
	struct profile_sample sample;
	bool was_sampled;
	void *resized;

	if (!profile_has_samples())
		return how(block, old_bytes, size, caller);
	was_sampled = profile_take(block, &sample);	/* before it can be another's */
	resized = how(block, old_bytes, size, caller);
	if (!resized && was_sampled)
		profile_put(block, &sample);
	if (resized && was_sampled)
		profile_end(block, &sample);
	if (resized && profile_is_on())
		profile_count(resized, size, caller);
	return resized;
}

void *realloc_mapping(void *block, size_t old_bytes, size_t size, const void *caller)
{
	return resize_counted(resize_mapping, block, old_bytes, size, caller);
}

bool realloc_mapping_in_place(void *block, size_t size, const void *caller)
{
	return resize_counted(resize_mapping_in_place, block, 0, size, caller);
}

/*
 * Should a mapping of room bytes be cut to size, though it is not half empty? Beyond
 * BLOCK_MAX_BYTES that is worth a system call if more can be given back than the extra room of a
 * grown block.
 */
static bool gives_back(size_t room, size_t size)
{
	return room > BLOCK_MAX_BYTES && size < room - room / GROWN_ROOM_SHARE;
}

/* --- Blocks in no slab ------------------------------------------------------------------------ */

/*
 * Resizes a page block or a mapping, which may move; NULL if the contents have to be copied. A
 * mapping stays as it is if there is nothing to give back.
 */
static void *resize_pages(void *pointer, size_t old_bytes, size_t size, const void *caller)
{
	bool may_stay = block_may_stay(old_bytes, size);
	void *resized = NULL;

	if (old_bytes > CLASS_MAX_BYTES && block_is_mapping(pointer) &&
	    (!may_stay || gives_back(old_bytes, size)))
		resized = realloc_mapping(pointer, old_bytes, size, caller);
	return resized || !may_stay ? resized : pointer;
}

/*
 * Copies the contents to block and frees the old block. If block is NULL, the old block is returned
 * where it is large enough, else NULL.
 */
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
	own_free(pointer);
	return block;
}

/* realloc() of a block that is in no slab. */
static noinline void *realloc_pages(void *pointer, size_t size, const void *caller)
{
	size_t old_bytes = block_bytes_outside_slabs(pointer);
	int saved_errno;
	void *block;

	if (unlikely(!old_bytes))
		return checked_realloc(pointer, size, caller);
	if (unlikely(early_bytes(pointer)))
		return early_realloc(pointer, size, caller);
	saved_errno = errno;
	if (!size) {
		own_free(pointer);
		return NULL;
	}
	block = resize_pages(pointer, old_bytes, size, caller);
	if (block)
		return block;
	if (size > old_bytes)
		block = grown_alloc(size, caller);
	if (!block)
		block = malloc_slow(size, caller);
	return move_contents(pointer, old_bytes, size, block, saved_errno);
}

/* --- Objects ---------------------------------------------------------------------------------- */

static noinline __hot void *realloc_new(size_t size, const void *caller)
{
	return malloc_for(size, caller);
}

/* Frees the object, or moves its contents to a smaller block. */
static noinline void *realloc_smaller(void *pointer, size_t old_bytes, size_t size,
				      const void *caller)
{
	int saved_errno = errno;

	if (!size) {
		own_free(pointer);
		return NULL;
	}
	return move_contents(pointer, old_bytes, size, malloc_slow(size, caller), saved_errno);
}

static noinline __hot void *realloc_larger(void *pointer, size_t old_bytes, size_t size,
					   const void *caller)
{
	void *block = NULL;

	if (unlikely(size >= GROWN_MIN_BYTES))
		block = grown_alloc(size, caller);
	if (likely(!block))
		block = malloc_for(size, caller);
	if (unlikely(!block))
		return NULL;
	memcpy(block, pointer, old_bytes);
	own_free(pointer);
	return block;
}

void *realloc(void *pointer, size_t size)
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

OWN_NAME(realloc);
ALSO_NAMED(usermm_realloc, realloc);
