/* SPDX-License-Identifier: MIT */
/* What realloc.c decides for those who resize blocks too: checked_realloc.c and mallocx.c. */
#ifndef MALLOC_REALLOC_H
#define MALLOC_REALLOC_H

#include "malloc/size_classes.h"

/* What a smaller block has to save to be worth a copy: glibc's smallest block. */
#define LEAST_SAVING 32

/*
 * May realloc() leave a block of room bytes in place for size bytes? The block moves to a smaller
 * one if that saves half of its room and at least LEAST_SAVING bytes. So no block but the smallest
 * keeps more than twice what it needs, and a size that goes up and down a little costs no copies.
 */
static inline bool block_may_stay(size_t room, size_t size)
{
	return size <= room &&
	       (size >= room / 2 || ALIGN(size, MIN_ALIGN) + LEAST_SAVING > room);
}

/*
 * Resizes a mapping block of old_bytes, which may move to another address. A mapping that becomes
 * larger gets room to grow further. NULL (and no change) if the contents have to be copied.
 */
void *realloc_mapping(void *block, size_t old_bytes, size_t size, const void *caller);
/* Resizes a mapping block at its address, without extra room; false (and no change) on failure. */
bool realloc_mapping_in_place(void *block, size_t size, const void *caller);

#endif
