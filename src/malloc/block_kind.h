/* SPDX-License-Identifier: MIT */
/* Blocks in no slab: is it a page block (of malloc's or kmalloc's), or a mapping block? */
#ifndef MALLOC_BLOCK_KIND_H
#define MALLOC_BLOCK_KIND_H

#include "base/compiler.h"

/*
 * Bytes of the block at exactly this address; 0 if there is none. The address may lie inside the
 * window and still be a mapping's: where sections were given back, mappings may take their place.
 */
size_t block_bytes_outside_slabs(void *pointer);
/* Is this block, which block_bytes_outside_slabs() knows, a mapping? */
bool block_is_mapping(const void *pointer);

#endif
