/* SPDX-License-Identifier: MIT */
/* Blocks as single pages. cf. Linux mm/page_alloc.c: split_page(), make_alloc_exact(). */
#include "base/atomic.h"
#include "base/check.h"
#include "mm/page_flags.h"
#include "page/debug/bad_page.h"
#include "page/debug/hooks.h"
#include "page/slowpath.h"
#include "page/zone.h"
#include "usermm/page.h"

void split_page(struct page *page, unsigned int order)
{
	if (unlikely(PageCompound(page) || page_ref_count(page) <= 0 || order > MAX_PAGE_ORDER)) {
		page_report_bad(page, "split_page() of a page that begins no plain block");
		return;
	}
	for (unsigned long i = 1; i < 1UL << order; i++)
		atomic_store_relaxed(&page[i]._refcount, 1);
	if (unlikely(page_hooks() & HOOK_OWNER))
		page_owner_split(page, order);
}

/*
 * The order for size bytes. For no bytes and for too many it is one that no block has, so the
 * request fails in the usual way.
 */
static unsigned int exact_order(size_t size)
{
	if (!size || size > PAGE_SIZE << MAX_PAGE_ORDER)
		return MAX_PAGE_ORDER + 1;
	return (unsigned int)get_order(size);
}

/* Keeps the pages that size needs, with one reference each, and frees the others. */
static void *make_exact(struct page *page, unsigned int order, size_t size)
{
	unsigned long nr = DIV_ROUND_UP(size, PAGE_SIZE);

	if (!page)
		return NULL;
	split_page(page, order);
	for (unsigned long i = nr; i < 1UL << order; i++)
		__free_page(page + i);
	return page_address(page);
}

static gfp_t exact_gfp(gfp_t gfp)
{
	REPORT_ONCE(gfp & (__GFP_COMP | __GFP_HIGHMEM),
		    "alloc_pages_exact() with __GFP_COMP or __GFP_HIGHMEM, which are left out");
	return gfp & ~(__GFP_COMP | __GFP_HIGHMEM);
}

void *alloc_pages_exact(size_t size, gfp_t gfp)
{
	return alloc_pages_exact_nid(NUMA_NO_NODE, size, gfp);
}

void *alloc_pages_exact_nid(int nid, size_t size, gfp_t gfp)
{
	unsigned int order = exact_order(size);

	gfp = exact_gfp(gfp);
	return make_exact((__alloc_pages)(gfp, order, nid, NULL), order, size);
}

void free_pages_exact(void *addr, size_t size)
{
	for (size_t offset = 0; offset < size; offset += PAGE_SIZE)
		free_page((unsigned long)addr + offset);
}
