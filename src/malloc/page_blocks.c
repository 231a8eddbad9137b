/* SPDX-License-Identifier: MIT */
#include "malloc/page_blocks.h"

#include "mm/page_flags.h"
#include "page/api/exact.h"

size_t block_allocated;

/* A small block comes here only for a large alignment, and gets a power of two of pages. */
static unsigned long pages_for(size_t bytes, size_t align)
{
	unsigned long nr = DIV_ROUND_UP(max(bytes, 1UL), PAGE_SIZE);
	unsigned long step = roundup_pow_of_two(nr) / 8;

	if (step <= 1)
		return roundup_pow_of_two(max(nr, min(align, 8 * PAGE_SIZE) / PAGE_SIZE));
	return ALIGN(nr, step);
}

static void *block_make(struct page *page, size_t bytes)
{
	if (!page)
		return NULL;
	atomic_add_relaxed(&block_allocated, 1);
	page->index = bytes;
	page_set_flags(page, PG_block);
	return page_address(page);
}

void *block_alloc(size_t bytes, size_t align, gfp_t gfp, bool *zeroed)
{
	unsigned long nr = pages_for(bytes, align);

	return block_make(alloc_frozen_exact(gfp, nr, (unsigned int)get_order(align), zeroed),
			  nr * PAGE_SIZE);
}

void *block_alloc_small(size_t bytes, gfp_t gfp)
{
	bool zeroed;

	return block_make(alloc_frozen_exact(gfp, DIV_ROUND_UP(bytes, PAGE_SIZE), 0, &zeroed),
			  bytes);
}

size_t block_bytes_for(size_t bytes, size_t align)
{
	return pages_for(bytes, align) * PAGE_SIZE;
}

size_t block_bytes(const void *block)
{
	const struct page *page = virt_to_page(block);

	if (((unsigned long)block & ~PAGE_MASK) || !(page_flags(page) & PG_block))
		return 0;
	return page->index;
}

/*
 * One atomic step takes the flag PG_block. If two threads free the same block, only one gets the
 * flag; the other one's caller reports a double free.
 */
bool block_free(void *block)
{
	struct page *page = virt_to_page(block);
	size_t bytes = block_bytes(block);
	unsigned long marked = PG_block;

	if (!bytes || !atomic_cas_relaxed(&page->flags, &marked, 0))
		return false;
	free_frozen_exact(page, DIV_ROUND_UP(bytes, PAGE_SIZE));
	return true;
}

size_t block_allocations(void)
{
	return atomic_load_relaxed(&block_allocated);
}
