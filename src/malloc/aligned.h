/* SPDX-License-Identifier: MIT */
/* realloc() with an alignment: for usermm_aligned_realloc() and jemalloc's rallocx(). */
#ifndef MALLOC_ALIGNED_H
#define MALLOC_ALIGNED_H

#include "base/compiler.h"

/*
 * realloc() of a block that is not NULL to bytes > 0, aligned to align, a power of two. caller: who
 * called the entry point.
 */
void *aligned_realloc(void *block, size_t align, size_t bytes, const void *caller);
/* Resizes the block at its address; false (and no change) without room, or if it is not aligned. */
bool aligned_resize_in_place(void *block, size_t align, size_t bytes, const void *caller);

#endif
