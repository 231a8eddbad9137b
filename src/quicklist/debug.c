/* SPDX-License-Identifier: MIT */
/*
 * quicklist_debug=verify checks a page's state after ctor, when the page is freed, and when it
 * leaves a list for its next user.
 */
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "quicklist/cache.h"

static bool verifying(void)
{
	return options.quicklist_debug == QUICKLIST_DEBUG_VERIFY;
}

/* Checks that this is a page of order 0 in use, with one reference. */
static void check_page(const struct quicklist_cache *cache, const void *address)
{
	const struct page *page = virt_to_page(address);
	unsigned long flags = page_flags(page);

	CHECK(!(flags & PG_quicklist), "quicklist '%s': page %p is freed a second time",
	      cache->name, address);
	CHECK(!(flags & (PG_buddy | PG_head | PG_block)) && !*mm_slab_cache(page) &&
	      page_ref_count(page) == 1,
	      "quicklist '%s': %p is no single page in use", cache->name, address);
}

/* The offset of the first byte that is not 0, or -1. The first word belongs to the list. */
static long find_nonzero(const unsigned char *page)
{
	for (long i = sizeof(void *); i < (long)PAGE_SIZE; i++)
		if (page[i])
			return i;
	return -1;
}

/* The offset of the first wrong byte, or -1. A state that has no check counts as right. */
static long find_wrong(const struct quicklist_cache *cache, const void *page)
{
	if (cache->check)
		return cache->check(page);
	return atomic_load_relaxed(&cache->has_ctor) ? -1 : find_nonzero(page);
}

/* event: a part of the message, such as "is freed". */
static void check_state(const struct quicklist_cache *cache, const void *page, const char *event)
{
	long offset = find_wrong(cache, page);

	CHECK(offset < 0 || offset >= (long)PAGE_SIZE,
	      "quicklist '%s': page %p %s with 0x%x at offset %ld%s", cache->name, page, event,
	      ((const unsigned char *)page)[offset], offset,
	      cache->check ? ", which is not its state" : " instead of 0");
}

void quicklist_verify_free(const struct quicklist_cache *cache, const void *page)
{
	if (!verifying())
		return;
	check_page(cache, page);
	check_state(cache, page, "is freed");
}

void quicklist_verify_hit(const struct quicklist_cache *cache, const void *page)
{
	if (verifying())
		check_state(cache, page, "was written to while it was free, and is left");
}

void quicklist_verify_ctor(const struct quicklist_cache *cache, const void *page)
{
	if (!verifying())
		return;
	CHECK(!*(void *const *)page, "quicklist '%s': ctor leaves page %p with a first word of %p, "
	      "which has to be 0", cache->name, page, *(void *const *)page);
	check_state(cache, page, "is left by ctor");
}

void quicklist_mark(const void *page)
{
	if (verifying())
		page_set_flags(virt_to_page(page), page_flags(virt_to_page(page)) | PG_quicklist);
}

void quicklist_unmark(const void *page)
{
	if (verifying())
		page_set_flags(virt_to_page(page), page_flags(virt_to_page(page)) & ~PG_quicklist);
}
