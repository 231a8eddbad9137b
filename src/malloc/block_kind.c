/* SPDX-License-Identifier: MIT */
#include "malloc/block_kind.h"

#include "malloc/early_blocks.h"
#include "malloc/mapped/mapped.h"
#include "malloc/page_blocks.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/mixed/mixed.h"
#include "slab/slab_fast.h"

/* Bytes of the page block, or block of a mixed slab, at this address; 0 if there is none. */
static size_t window_bytes(const void *pointer)
{
	size_t bytes = 0;

	if (mm_is_online(pointer))
		bytes = max(block_bytes(pointer), slab_page_block_bytes(pointer));
	return bytes ? bytes : slab_mixed_bytes(pointer);
}

size_t block_bytes_outside_slabs(void *pointer)
{
	size_t bytes = window_bytes(pointer);

	if (!bytes)
		bytes = mapped_bytes(pointer);
	return bytes ? bytes : early_bytes(pointer);
}

bool block_is_mapping(const void *pointer)
{
	return !window_bytes(pointer);
}
