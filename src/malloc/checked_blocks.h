/* SPDX-License-Identifier: MIT */
/*
 * What malloc.c's short ways do not serve: blocks of which more is known than their place
 * (slab_debug=, hardened=1), and pointers that are no blocks.
 */
#ifndef MALLOC_CHECKED_BLOCKS_H
#define MALLOC_CHECKED_BLOCKS_H

#include "base/compiler.h"
#include "usermm/gfp.h"

#define MALLOC_GFP (GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)
#define MIN_ALIGN 16
/* What a smaller block has to save to be worth a copy: glibc's smallest block. */
#define LEAST_SAVING 32

/*
 * May realloc() leave a block with room for so many bytes where it is? It moves to a smaller
 * one if that saves half of its room and LEAST_SAVING bytes. So none keeps more than twice
 * what it needs, the smallest apart, and a size that goes up and down a little is not copied
 * each time.
 */
static inline bool block_may_stay(size_t room, size_t size)
{
	return size <= room &&
	       (size >= room / 2 || ALIGN(size, MIN_ALIGN) + LEAST_SAVING > room);
}

/*
 * More than the largest class: pages of the window, or a mapping; or NULL. zeroed: if it is not
 * NULL zero is preferred, and *zeroed says whether it is so.
 */
void *malloc_pages(size_t size, size_t align, bool *zeroed);

/* malloc() without its fast path, in the name of a caller. */
void *malloc_slow(size_t size, const void *caller);
/* The rest of it, where hardened caches have nothing at hand. */
void *malloc_dispatch(size_t size, const void *caller);
/* NULL, and ENOMEM. */
void *malloc_out_of_memory(void);

/*
 * Bytes of a block in no slab: pages of the window, or a mapping; 0: there is none. Mappings may
 * lie between pages of the window, where free sections made room for them.
 */
size_t checked_pages_bytes(void *pointer);
/* Of what has some: is it a mapping? */
bool checked_is_mapping(const void *pointer);
/* Ends the process: this is no block that may be freed. */
void checked_report(const char *function, void *pointer, const void *caller) slow_path
	__attribute__((__noreturn__));
/* The bytes that were asked for; or at most so many, then *exact is false. */
size_t checked_size(void *pointer, const char *function, bool *exact, const void *caller) slow_path;
/* Of a new block the bytes that malloc_usable_size() will not clear when it gives them away. */
size_t checked_clear_bytes(void *pointer) slow_path;
/* malloc_usable_size() and realloc() for what they have no answer to. */
size_t checked_usable(void *pointer, const void *caller) slow_path;
void *checked_realloc(void *pointer, size_t size, const void *caller) slow_path;
/*
 * Gives a block another size where it is, as far as its kind can; false (and no change) if it has
 * no room for it. function is who asks, for reports.
 */
bool checked_resize_in_place(void *pointer, size_t size, const char *function,
			     const void *caller) slow_path;

#endif
