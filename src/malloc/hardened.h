/* SPDX-License-Identifier: MIT */
/*
 * malloc with hardened=1. Blocks up to a class's size are objects of hardened caches
 * (slab/hardened.h); all others are mappings between pages that cannot be touched
 * (large.h). Both know the bytes that were asked for, so malloc_usable_size() says these.
 * Caches with debugging flags (slab_debug=) have their own checks, and keep them.
 */
#ifndef MALLOC_HARDENED_H
#define MALLOC_HARDENED_H

#include "base/compiler.h"
#include "base/options.h"

static inline bool hardened_is_on(void)
{
	return unlikely(options.hardened);
}

/* Is malloc() hardened_malloc()? Not with profile=. Sync: constant after classes_init() */
extern bool hardened_is_up __hidden;
/* There are: classes_init() has made them. */
void hardened_init(void);

/* malloc(), when that is so. */
void *hardened_malloc(size_t size, const void *caller);
/* A block of a class, if the size fits one with what belongs behind it; else of pages. */
void *hardened_alloc(size_t size, size_t align, const void *caller);
/* Ends the process unless the block is one of so many bytes, aligned to align. */
void hardened_check_sized(void *pointer, size_t size, size_t align, const void *caller);

#endif
