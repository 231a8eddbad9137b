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
/* Is this the start of a block of the library's, or of one that was freed in a slab? */
bool checked_owns(void *pointer) slow_path;
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
 * How many bytes of a new block calloc() has to clear. Beyond the bytes that were asked for these
 * are the ones that malloc_usable_size() lets the program use without clearing them itself. 0: only
 * those that were asked for.
 */
size_t checked_clear_bytes(void *pointer) slow_path;
/* malloc_usable_size() of a block that the fast path does not serve. */
size_t checked_usable(void *pointer, const void *caller) slow_path;

#endif
