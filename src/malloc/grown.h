/* SPDX-License-Identifier: MIT */
/*
 * Blocks that grow: see grown.c.
 */
#ifndef MALLOC_GROWN_H
#define MALLOC_GROWN_H

#include "malloc/page_blocks.h"

/* A grown block has room for one such part more. */
#define GROWN_ROOM_SHARE 8
/* Smaller ones are as others. */
#define GROWN_MIN_BYTES (128 * KIB)

/*
 * A block of size bytes for what realloc() makes larger: a mapping with room for more; NULL if
 * it should be a block like any other. errno is left alone.
 * caller is who asks, for the profile.
 */
void *realloc_grown_alloc(size_t size, const void *caller);
/* The same block, a mapping of old_bytes, with so many; NULL (and no change) if it has to move. */
void *realloc_grown_resize(void *block, size_t old_bytes, size_t size, const void *caller);
/* The same at the same address, without room to spare; false (and no change) if it cannot be. */
bool realloc_resize_in_place(void *block, size_t size, const void *caller);

/*
 * Should a mapping with room for so many bytes be cut to size, though it would not be half empty?
 * From BLOCK_MAX_BYTES on that is worth a system call if it has more to give back than the room
 * that a block has to grow.
 */
static inline bool realloc_grown_gives_back(size_t room, size_t size)
{
	return room > BLOCK_MAX_BYTES && size < room - room / GROWN_ROOM_SHARE;
}

#endif
