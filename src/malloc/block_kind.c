/* SPDX-License-Identifier: MIT */
#include "malloc/block_kind.h"

#include "malloc/mapped/mapped.h"
#include "malloc/page_blocks.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/slab_fast.h"

/* Bytes of the page block at this address; 0 if there is none. */
static size_t window_bytes(const void *pointer)
{
	return mm_is_online(pointer) ?
		       max(block_bytes(pointer), slab_page_block_bytes(pointer)) : 0;
}

size_t block_bytes_outside_slabs(void *pointer)
{
	size_t bytes = window_bytes(pointer);

	return bytes ? bytes : mapped_bytes(pointer);
}

bool block_is_mapping(const void *pointer)
{
	return !window_bytes(pointer);
}
