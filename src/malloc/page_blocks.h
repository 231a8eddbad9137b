/* SPDX-License-Identifier: MIT */
/*
 * malloc's page blocks: whole pages of the window, for more than 32 KiB and up to the largest buddy
 * block. In the first page's struct page the flag PG_block says that a block begins here, and index
 * says how many bytes the block has. The number of pages is rounded up to an eighth of the next
 * power of two, so that freed blocks fit new ones.
 */
#ifndef MALLOC_PAGE_BLOCKS_H
#define MALLOC_PAGE_BLOCKS_H

#include "base/compiler.h"
#include "usermm/page.h"

#define BLOCK_MAX_BYTES (PAGE_SIZE << MAX_PAGE_ORDER)

/*
 * A block, or NULL without memory. align is a power of two up to BLOCK_MAX_BYTES. *zeroed says
 * whether the block is zero.
 */
void *block_alloc(size_t bytes, size_t align, gfp_t gfp, bool *zeroed);
/* The bytes of the block that block_alloc() makes for this request. */
size_t block_bytes_for(size_t bytes, size_t align);
/* A page block for fewer bytes than usual. block_bytes() returns exactly `bytes` for it. */
void *block_alloc_small(size_t bytes, gfp_t gfp);
/* Bytes of the block at exactly this address of the window; 0 if there is none. */
size_t block_bytes(const void *block);
/* Frees the block; false if there is none at this address of the window. */
bool block_free(void *block);
extern size_t block_allocated;	/* Sync: atomic relaxed; statistics */
/* How many blocks were allocated since start. */
size_t block_allocations(void);

#endif
