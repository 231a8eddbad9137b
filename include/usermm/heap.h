/* SPDX-License-Identifier: MIT */
/*
 * Heaps: sets of blocks that can be freed together, in caches of their own.
 *
 * A plugin, a request or a document allocates in a heap of its own. Destroying the heap frees all
 * of its blocks at once, however many. Its blocks share no slab with others, so a heap that goes
 * leaves no holes. A heap's caches are in slabinfo as NAME-SIZE, with malloc's size classes.
 *
 * Memory. A class gets its cache at the heap's first block of this size. Each cache in use has at
 * least one slab (4 to 32 KiB) and its per-CPU arrays, so a heap pays from some hundred KiB on.
 * Blocks beyond 32 KiB are pages or mappings, and the heap keeps a list of them.
 *
 * Context. Any thread allocates and frees in any heap, also blocks that other threads allocated.
 * Blocks stay valid in a fork child, which has its own copy of the heap. A call may wait for
 * memory and for another thread, so signal handlers must not call it.
 *
 * Ownership. A block belongs to its heap: give it to the usermm_heap_ calls of this heap alone. A
 * block of another heap or of malloc(), an address inside a block, and a block that is free already
 * are reported in one line and end the process. With kfence_sample= the report may have more lines.
 * With slab_debug= it may be Linux's, after which the process goes on: nothing is freed, and the
 * call returns NULL or 0.
 *
 * Failure. NULL and errno ENOMEM.
 */
#ifndef USERMM_HEAP_H
#define USERMM_HEAP_H

#include <stddef.h>

#include "compiler.h"

USERMM_BEGIN_DECLS

struct usermm_heap;

/*
 * A new heap without blocks; NULL without memory. The name is copied, up to 15 bytes of it, and
 * only shown to people; NULL means "heap". Several heaps may have the same name.
 */
struct usermm_heap *usermm_heap_create(const char *name)
	__attribute__((visibility("default"))) USERMM_MUST_CHECK;
/*
 * Frees all blocks of the heap, and the heap. No thread may use the heap or its blocks during the
 * call or later. NULL is allowed.
 */
void usermm_heap_destroy(struct usermm_heap *heap) __attribute__((visibility("default")));

/* A block of at least size bytes, aligned to 16 bytes, with undefined content. */
void *usermm_heap_alloc(struct usermm_heap *heap, size_t size)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(2);
/* usermm_heap_alloc() with all bytes zero. */
void *usermm_heap_zalloc(struct usermm_heap *heap, size_t size)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(2);
/* A block aligned to align bytes, a power of two. NULL and EINVAL if it is no such. */
void *usermm_heap_aligned_alloc(struct usermm_heap *heap, size_t align, size_t size)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(3);
/*
 * Changes a block's size. The block may move; its content stays, up to the smaller size, and its
 * alignment stays if it is at most 16. NULL as a block means usermm_heap_alloc(). A size of 0 frees
 * the block and returns NULL. On failure the old block is untouched.
 */
void *usermm_heap_realloc(struct usermm_heap *heap, void *block, size_t size)
	__attribute__((visibility("default"))) USERMM_MUST_CHECK USERMM_ALLOC_SIZE(3);
/* Frees a block of this heap. NULL is allowed. */
void usermm_heap_free(struct usermm_heap *heap, void *block)
	__attribute__((visibility("default")));
/* How many bytes of the block the caller may use; 0 for NULL. */
size_t usermm_heap_usable_size(struct usermm_heap *heap, void *block)
	__attribute__((visibility("default")));

/* What a heap has in use now. Exact while no thread uses the heap. */
struct usermm_heap_stats {
	size_t blocks;		/* blocks in use */
	size_t bytes;		/* their bytes, after requests were rounded up */
	size_t held_bytes;	/* pages and mappings that the heap holds */
};
void usermm_heap_stats_read(struct usermm_heap *heap, struct usermm_heap_stats *stats)
	__attribute__((visibility("default")));

USERMM_END_DECLS

#endif
