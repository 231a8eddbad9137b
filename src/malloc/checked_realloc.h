/* SPDX-License-Identifier: MIT */
/* Resizes the blocks that fast paths do not serve (checked_blocks.h). */
#ifndef MALLOC_CHECKED_REALLOC_H
#define MALLOC_CHECKED_REALLOC_H

#include "base/compiler.h"

/* realloc() of a block that the fast path does not serve. */
void *checked_realloc(void *pointer, size_t size, const void *caller) slow_path;
/*
 * Resizes a block of any kind at its address; false (and no change) if there is no room. function
 * is the entry point's name, for reports.
 */
bool checked_resize_in_place(void *pointer, size_t size, const char *function,
			     const void *caller) slow_path;

#endif
