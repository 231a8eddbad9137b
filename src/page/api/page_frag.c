/* SPDX-License-Identifier: MIT */
/*
 * Pieces of a page that share its reference count. cf. Linux mm/page_frag_cache.c:
 * __page_frag_alloc_align().
 *
 * Pieces are cut from the end of the block downwards. Since Linux 6.13 they are cut upwards, from
 * its beginning, and a piece of more than a page never makes the cache take another block.
 *
 * The cache takes many references of its page at once and hands out one with each piece. Its bias
 * is how many it still has. When a page is used up, the cache drops the bias. If the count becomes
 * 0 then, every piece has been freed already, and the page is used again.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "base/linux_version.h"
#include "mm/page_flags.h"
#include "usermm/page.h"

#define FRAG_ORDER 3
#define FRAG_BYTES (PAGE_SIZE << FRAG_ORDER)
/* A piece has at least one byte, so this is the most pieces that a block can have. */
#define FRAG_REFERENCES ((int)FRAG_BYTES)

static bool goes_upwards(void)
{
	return linux_since(6, 13);
}

/* All of the block is free, and the cache has all references but those that others took. */
static void begin_block(struct page_frag_cache *cache)
{
	cache->pagecnt_bias = FRAG_REFERENCES + 1;
	cache->offset = goes_upwards() ? 0 : cache->size;
}

/* Takes a fresh block: a large one if there is one without effort, else a page. */
static bool refill(struct page_frag_cache *cache, gfp_t gfp)
{
	gfp_t cheap = (gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP | __GFP_NOWARN | __GFP_NORETRY |
		      __GFP_NOMEMALLOC;
	struct page *page = alloc_pages(cheap, FRAG_ORDER);

	cache->size = FRAG_BYTES;
	if (!page) {
		page = alloc_pages(gfp, 0);
		cache->size = PAGE_SIZE;
	}
	cache->va = page ? page_address(page) : NULL;
	if (!page)
		return false;
	cache->pfmemalloc = page_flags(page) & PG_pfmemalloc;
	atomic_add_relaxed(&page->_refcount, FRAG_REFERENCES);
	begin_block(cache);
	return true;
}

/* Drops references that the cache has. True if no reference is left. */
static bool drop_bias(struct page *page, unsigned int bias)
{
	/* pairs with page_drop_slow() of the pieces' owners: what they wrote to the page */
	return atomic_sub_return_acq_rel(&page->_refcount, (int)bias) == 0;
}

/* The page is used up: uses it again if all pieces are freed, else takes another. */
static bool renew(struct page_frag_cache *cache, gfp_t gfp)
{
	struct page *page = virt_to_page(cache->va);

	if (!drop_bias(page, cache->pagecnt_bias))
		return refill(cache, gfp);
	/* A page of the reserve goes back as soon as possible. */
	if (cache->pfmemalloc) {
		atomic_store_relaxed(&page->_refcount, 1);
		put_page(page);
		return refill(cache, gfp);
	}
	atomic_store_relaxed(&page->_refcount, FRAG_REFERENCES + 1);
	begin_block(cache);
	return true;
}

/* Where in the block a piece would begin. False if it does not fit. */
static bool find_place(const struct page_frag_cache *cache, unsigned long bytes,
		       unsigned long align, unsigned long *start)
{
	if (goes_upwards()) {
		*start = ALIGN(cache->offset, align);
		return *start + bytes <= cache->size;
	}
	*start = (cache->offset - bytes) & -align;
	return bytes <= cache->offset;
}

void *page_frag_alloc_align(struct page_frag_cache *cache, unsigned int bytes, gfp_t gfp,
			    unsigned int align)
{
	unsigned long start;

	/* A piece of no bytes must lie in the page, too, not behind its end. */
	bytes = max(bytes, 1u);
	if (!cache->va && !refill(cache, gfp))
		return NULL;
	if (unlikely(!find_place(cache, bytes, align, &start))) {
		if (goes_upwards() && bytes > PAGE_SIZE)
			return NULL;
		if (!renew(cache, gfp) || !find_place(cache, bytes, align, &start))
			return NULL;
	}
	cache->pagecnt_bias--;
	cache->offset = (unsigned int)(goes_upwards() ? start + bytes : start);
	return (char *)cache->va + start;
}

void *page_frag_alloc(struct page_frag_cache *cache, unsigned int bytes, gfp_t gfp)
{
	return page_frag_alloc_align(cache, bytes, gfp, 1);
}

void page_frag_free(void *addr)
{
	put_page(virt_to_head_page(addr));
}

void page_frag_cache_drain(struct page_frag_cache *cache)
{
	if (!cache->va)
		return;
	__page_frag_cache_drain(virt_to_page(cache->va), cache->pagecnt_bias);
	cache->va = NULL;
}

/*
 * Drops all but one reference at once. put_page() drops the last one and frees the page, whatever
 * kind it is.
 */
void __page_frag_cache_drain(struct page *page, unsigned int count)
{
	if (count > 1)
		drop_bias(page, count - 1);
	if (count)
		put_page(page);
}
