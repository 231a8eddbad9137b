/* SPDX-License-Identifier: MIT */
/* Marks of the blocks of mixed slabs: where malloc's classes have them, by size (free_mark.h). */
#ifndef SLAB_MIXED_MIXED_MARK_H
#define SLAB_MIXED_MIXED_MARK_H

#include "slab/free_mark.h"

static inline bool mixed_has_byte_mark(size_t bytes)
{
	return bytes > KMALLOC_SMALL_BYTES;
}

static inline void mixed_mark_in_use(void *block, size_t bytes)
{
	if (mixed_has_byte_mark(bytes))
		*byte_mark(block) = BYTE_MARK_IN_USE;
	else
		*object_mark(block, SLAB_MARK_OFFSET) = 0;
}

static inline void mixed_mark_free(void *block, size_t bytes)
{
	if (mixed_has_byte_mark(bytes))
		*byte_mark(block) = BYTE_MARK_FREE;
	else
		*object_mark(block, SLAB_MARK_OFFSET) = free_mark(block);
}

static inline bool mixed_says_free(const void *block, size_t bytes)
{
	return mixed_has_byte_mark(bytes) ? *byte_mark(block) >= BYTE_MARK_FREE :
				      mark_says_free(*object_mark(block, SLAB_MARK_OFFSET), block);
}

#endif
