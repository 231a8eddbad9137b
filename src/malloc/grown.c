/* SPDX-License-Identifier: MIT */
/*
 * Blocks that grow.
 *
 * A block that realloc() makes larger is likely to be made larger again. As blocks of the
 * window each step is a copy, and the old blocks stay behind as free memory that is too small
 * for the next step: a string that grows to n bytes by doubling has touched 2n. From
 * GROWN_MIN_BYTES on such a block is therefore a mapping of its own (mapped.h), which grows by
 * moving its pages, not their contents. A mapping has room for an eighth more than was asked
 * for, so that small steps are no system calls; what is not touched takes no memory. Where
 * there is not as much to spare it has what was asked for: nobody gives anything back for room.
 * A large one that is made smaller is cut to size: what it held there is memory, too.
 *
 * Pages of new mappings cost a page fault each, and those of the window are warm, as is what stays
 * of mappings that were freed (mapped_cache.h). So a program that grows more blocks than these
 * serve, and frees them again in turns, gets blocks of the window (mapped_churn_is_high()).
 * Mappings are also left to others where a process may have only so many.
 *
 * A block of the window, as what was never made larger is, has to be copied once: it cannot
 * grow where a limit= has no room for it and its copy. What grows on as a mapping can have all
 * that is left.
 *
 * With hardened=1 all such blocks are mappings, and get no room for more (checked_blocks.c).
 */
#include "malloc/grown.h"

#include "base/atomic.h"
#include "malloc/hardened/hardened.h"
#include "malloc/mapped/mapped.h"
#include "malloc/profile/profile.h"
#include "os/os.h"

static bool may_be_mapped(size_t size)
{
	return size >= GROWN_MIN_BYTES && size <= BLOCK_MAX_BYTES;
}

static size_t with_room(size_t size)
{
	return size + size / GROWN_ROOM_SHARE;
}

void *realloc_grown_alloc(size_t size, const void *caller)
{
	void *block;

	if (hardened_is_on())		/* malloc() makes a mapping without room to spare */
		return NULL;
	if (!may_be_mapped(size) || !mapped_may_be_mapped() || mapped_churn_is_high())
		return NULL;
	block = mapped_alloc_spare(with_room(size), PAGE_SIZE);
	if (!block)
		block = mapped_alloc(size, PAGE_SIZE, false);
	if (profile_is_on() && block)
		profile_count(block, size, caller);
	return block;
}

static void *resize(void *block, size_t old_bytes, size_t size, const void *caller)
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

static void *resize_in_place(void *block, size_t old_bytes, size_t size, const void *caller)
{
	(void)old_bytes;
	return mapped_resize_in_place(block, size, caller) ? block : NULL;
}

typedef void *resize_fn(void *block, size_t old_bytes, size_t size, const void *caller);

/* To the profile it is a block that goes, and one that comes. */
static void *resize_counted(resize_fn *how, void *block, size_t old_bytes, size_t size,
			    const void *caller)
{
	struct profile_sample sample;
	bool was_sampled;
	void *resized;

	if (!profile_is_on())
		return how(block, old_bytes, size, caller);
	was_sampled = profile_take(block, &sample);	/* before it can be another's */
	resized = how(block, old_bytes, size, caller);
	if (!resized && was_sampled)
		profile_put(block, &sample);
	if (resized && was_sampled)
		profile_end(&sample);
	if (resized)
		profile_count(resized, size, caller);
	return resized;
}

void *realloc_grown_resize(void *block, size_t old_bytes, size_t size, const void *caller)
{
	return resize_counted(resize, block, old_bytes, size, caller);
}

bool realloc_resize_in_place(void *block, size_t size, const void *caller)
{
	return resize_counted(resize_in_place, block, 0, size, caller);
}
