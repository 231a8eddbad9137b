/* SPDX-License-Identifier: MIT */
/*
 * malloc's blocks of whole pages inside the window: more than 32 KiB, up to the
 * largest buddy block. The first page's PG_block flag and index say that there is
 * a block and how many bytes it has; sizes are rounded up to an eighth of the
 * power of two above, so blocks fit together again.
 */
#ifndef MALLOC_PAGE_BLOCKS_H
#define MALLOC_PAGE_BLOCKS_H

#include "base/compiler.h"
#include "usermm/page.h"

#define BLOCK_MAX_BYTES (PAGE_SIZE << MAX_PAGE_ORDER)

/* align is a power of two <= BLOCK_MAX_BYTES. *zeroed: is the memory zero? */
void *block_alloc(size_t bytes, size_t align, gfp_t gfp, bool *zeroed);
/* How many bytes it has. */
size_t block_bytes_for(size_t bytes, size_t align);
/* block_alloc() of less than a block usually has: block_bytes() says so many. */
void *block_alloc_small(size_t bytes, gfp_t gfp);
/* Bytes of the block at exactly this address of the window; 0 if there is none. */
size_t block_bytes(const void *block);
/* False if there is no block at this address of the window. */
bool block_free(void *block);
/* Blocks since start. */
size_t block_allocations(void);

#endif
