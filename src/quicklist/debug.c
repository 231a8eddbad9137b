/* SPDX-License-Identifier: MIT */
/*
 * quicklist_debug: hits are counted, and with "verify" a page is looked at when it is
 * freed. Every call comes by here, since the fast paths see no list.
 */
#include "mm/page_flags.h"
#include "quicklist/cache.h"

static bool verifying(void)
{
	return options.quicklist_debug == QUICKLIST_DEBUG_VERIFY;
}

void *quicklist_debug_alloc(struct quicklist_cache *cache)
{
	void *page = percpu_list_pop(cache->lists);

	if (!page)
		return NULL;
	quicklist_debug_forget(page);
	atomic_add_relaxed(&cache->hits, 1);
	*(void **)page = NULL;
	return page;
}

/* A page of order 0 that is in use, by one user? */
static void check_page(const struct quicklist_cache *cache, const void *address)
{
	const struct page *page = virt_to_page(address);
	unsigned long flags = page_flags(page);

	CHECK(!(flags & PG_quicklist), "quicklist '%s': page %p is freed a second time",
	      cache->name, address);
	CHECK(!(flags & (PG_buddy | PG_head | PG_block)) && !page->slab_cache &&
	      page_ref_count(page) == 1,
	      "quicklist '%s': %p is no single page in use", cache->name, address);
}

/* The first word links the list, so it is free to be anything. */
static void check_zero(const struct quicklist_cache *cache, const unsigned char *page)
{
	for (unsigned int i = sizeof(void *); i < PAGE_SIZE; i++)
		CHECK(!page[i], "quicklist '%s': page %p is freed with 0x%x at offset %u instead "
		      "of 0", cache->name, page, page[i], i);
}

bool quicklist_debug_free(struct quicklist_cache *cache, void *page)
{
	if (verifying()) {
		check_page(cache, page);
		if (!atomic_load_relaxed(&cache->has_ctor))
			check_zero(cache, page);
		page_set_flags(virt_to_page(page), page_flags(virt_to_page(page)) | PG_quicklist);
	}
	if (quicklist_push(cache, page))
		return true;
	quicklist_debug_forget(page);
	return false;
}

void quicklist_debug_forget(void *page)
{
	if (verifying())
		page_set_flags(virt_to_page(page), page_flags(virt_to_page(page)) & ~PG_quicklist);
}
