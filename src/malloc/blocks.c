/* SPDX-License-Identifier: MIT */
#include "malloc/blocks.h"

#include "mm/page_flags.h"
#include "page/exact.h"

/* Sync: atomic relaxed; statistics */
static size_t allocations;

/* Small blocks, which only a large alignment brings here, are powers of two. */
static unsigned long pages_for(size_t bytes, size_t align)
{
	unsigned long nr = DIV_ROUND_UP(max(bytes, 1UL), PAGE_SIZE);
	unsigned long step = roundup_pow_of_two(nr) / 8;

	if (step <= 1)
		return roundup_pow_of_two(max(nr, min(align, 8 * PAGE_SIZE) / PAGE_SIZE));
	return ALIGN(nr, step);
}

void *block_alloc(size_t bytes, size_t align, gfp_t gfp, bool *zeroed)
{
	unsigned long nr = pages_for(bytes, align);
	struct page *page = alloc_frozen_exact(gfp, nr, (unsigned int)get_order(align), zeroed);

	if (!page)
		return NULL;
	atomic_add_relaxed(&allocations, 1);
	page->index = nr * PAGE_SIZE;
	page_set_flags(page, PG_block);
	return page_address(page);
}

size_t block_bytes(const void *block)
{
	const struct page *page = virt_to_page(block);

	if (((unsigned long)block & ~PAGE_MASK) || !(page_flags(page) & PG_block))
		return 0;
	return page->index;
}

/*
 * The mark is taken with one atomic step, so of two threads that free the same
 * block one gets nothing, and reports it.
 */
bool block_free(void *block)
{
	struct page *page = virt_to_page(block);
	size_t bytes = block_bytes(block);
	unsigned long marked = PG_block;

	if (!bytes || !atomic_cas_relaxed(&page->flags, &marked, 0))
		return false;
	free_frozen_exact(page, bytes / PAGE_SIZE);
	return true;
}

size_t block_allocations(void)
{
	return atomic_load_relaxed(&allocations);
}
