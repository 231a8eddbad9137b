/* SPDX-License-Identifier: MIT */
/*
 * Blocks that the fast paths do not serve: a mode checks them (slab_debug=, hardened=1,
 * kfence_sample=), or the pointer is no block at all. Here are their sizes and reports;
 * checked_realloc.h gives them other sizes.
 *
 * function and caller are for reports: the name of the entry point, and its return address.
 */
#ifndef MALLOC_CHECKED_BLOCKS_H
#define MALLOC_CHECKED_BLOCKS_H

#include "base/compiler.h"

struct kmem_cache;

/* Ends the process: this is no block that may be freed. */
void checked_report(const char *function, void *pointer, const void *caller) slow_path
	__attribute__((__noreturn__));
/*
 * The block's cache, or NULL if the block is in no slab. Ends the process if the pointer is no
 * block, as far as a look at it can tell.
 */
struct kmem_cache *checked_cache(void *pointer, const char *function, const void *caller) slow_path;
/*
 * The bytes that the block was asked for, and *exact is true; or the most that it may have been
 * asked for, and *exact is false.
 */
size_t checked_size(void *pointer, const char *function, bool *exact, const void *caller) slow_path;
/*
 * calloc() has to clear those bytes of a new block that malloc_usable_size() may hand out
 * uncleared. Returns how many these are; 0 if they are no more than were asked for.
 */
size_t checked_clear_bytes(void *pointer) slow_path;
/* malloc_usable_size() of a block that the fast path does not serve. */
size_t checked_usable(void *pointer, const void *caller) slow_path;

#endif
