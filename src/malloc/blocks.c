/* SPDX-License-Identifier: MIT */
#include "malloc/blocks.h"

#include "base/check.h"
#include "mm/page_flags.h"
#include "page/exact.h"

/* Sync: atomic relaxed; statistics */
static size_t allocations;

static unsigned long pages_for(size_t bytes)
{
	unsigned long nr = DIV_ROUND_UP(bytes, PAGE_SIZE);
	unsigned long step = roundup_pow_of_two(nr) / 8;

	return step ? ALIGN(nr, step) : nr;
}

void *block_alloc(size_t bytes, size_t align, gfp_t gfp, bool *zeroed)
{
	unsigned long nr = max(pages_for(bytes), 1UL);
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
