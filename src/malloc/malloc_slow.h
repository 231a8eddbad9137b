/* SPDX-License-Identifier: MIT */
/* malloc() when the fast path finds no object at hand: see malloc_slow.c. */
#ifndef MALLOC_MALLOC_SLOW_H
#define MALLOC_MALLOC_SLOW_H

#include "base/compiler.h"
#include "usermm/gfp.h"

#define MALLOC_GFP (GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* malloc() without its fast path. caller: who called malloc(), for reports and profiles. */
void *malloc_slow(size_t size, const void *caller);
/* malloc() when neither a sheaf nor a hardened cache has an object at hand: decides by mode. */
void *malloc_dispatch(size_t size, const void *caller);
/*
 * An object of the class of class_size bytes, for a request of size <= class_size bytes; NULL
 * without memory. The object counts for profile= or kfence_sample=, which may sample it.
 */
void *malloc_object_counted(size_t class_size, size_t size, size_t align, const void *caller)
	slow_path;
/*
 * A block for more than the largest class: pages of the window, or a mapping; NULL without memory.
 * Unless zeroed is NULL, zero memory is preferred and *zeroed says whether the block is zero.
 */
void *malloc_pages(size_t size, size_t align, bool *zeroed);
/* malloc_pages(), counted for profile=. */
void *malloc_pages_counted(size_t size, size_t align, bool *zeroed, const void *caller);
/* Sets errno to ENOMEM and returns NULL. */
void *malloc_out_of_memory(void);

#endif
