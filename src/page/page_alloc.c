/* SPDX-License-Identifier: MIT */
/*
 * Entry points for single blocks. What happens when there is no memory at once is
 * in slowpath.c. zone.h has the theory of this layer.
 *
 * References. A block is allocated with count 0 (frozen) and the refcounted
 * entry points set it to 1. A thread that holds a reference and reads a count of
 * 1 is the only owner: nobody can take a second reference without holding one,
 * since there is no way to take a reference speculatively. So the last put needs
 * no locked operation.
 */
#include <string.h>

#include "base/check.h"
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "os/background.h"
#include "os/once.h"
#include "page/pcp.h"
#include "page/reclaim.h"
#include "page/slowpath.h"
#include "page/zone.h"

struct zone zone;
static struct once page_once;

static int bring_up(void)
{
	if (mm_init())
		return -1;
	lock_init(&zone.lock, RANK_ZONE);
	lock_init(&zone.grow_lock, RANK_GROW);
	lock_init(&zone.drain_lock, RANK_DRAIN);
	zone.managed_pages = mm_facts.budget_bytes >> PAGE_SHIFT;
	zone.free_pages = zone.managed_pages;
	zone_set_watermarks(&zone);
	buddy_init(&zone);
	background_set_work(reclaim_background_work);
	return pcp_init(&zone);
}

int page_init(void)
{
	return once_run(&page_once, bring_up) ? 0 : -1;
}

bool page_is_up(void)
{
	return once_done(&page_once);
}

struct page *page_take_block(gfp_t gfp, unsigned int order, unsigned int alloc_flags)
{
	struct page *page;

	(void)gfp;
	if (order <= PCP_MAX_ORDER)
		return pcp_refill(&zone, order, alloc_flags);
	if (!zone_watermark_ok(&zone, order, alloc_flags))
		return NULL;
	return buddy_take(&zone, order, &page, 1) ? page : NULL;
}

bool page_take_zeroed(struct page *page)
{
	bool zeroed = page_flags(page) & PG_zeroed;

	if (zeroed)
		page_set_flags(page, 0);
	return zeroed;
}

static slow_path struct page *alloc_slow_zeroing(gfp_t gfp, unsigned int order)
{
	struct page *page = order <= PCP_MAX_ORDER ? pcp_pop_again(order) : NULL;

	if (!page)
		page = page_alloc_slow(gfp, order);
	if (page && !page_take_zeroed(page) && (gfp & __GFP_ZERO))
		memset(page_address(page), 0, PAGE_SIZE << order);
	return page;
}

struct page *alloc_frozen_pages(gfp_t gfp, unsigned int order)
{
	struct page *page;

	if (unlikely(order > PCP_MAX_ORDER))
		return alloc_slow_zeroing(gfp, order);
	page = pcp_pop(order);
	if (unlikely(!page))
		return alloc_slow_zeroing(gfp, order);
	if (unlikely(gfp & __GFP_ZERO))
		memset(page_address(page), 0, PAGE_SIZE << order);
	return page;
}

/* The block is nobody's any more: to this CPU's list, or to the buddy lists. */
static __always_inline void free_block(struct page *page, unsigned int order)
{
	if (likely(order <= PCP_MAX_ORDER)) {
		if (unlikely(!pcp_push(order, page)))
			pcp_spill(&zone, order, page);
	} else {
		CHECK(order <= MAX_PAGE_ORDER, "free of page %p with order %u, more than %d",
		      page_address(page), order, MAX_PAGE_ORDER);
		buddy_give(&zone, order, &page, 1);
	}
}

void free_frozen_pages(struct page *page, unsigned int order)
{
	free_block(page, order);
}

struct page *alloc_pages(gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_frozen_pages(gfp, order);

	if (unlikely(!page))
		return NULL;
	atomic_store_relaxed(&page->_refcount, 1);
	if (order && (gfp & __GFP_COMP)) {
		page->order = (uint8_t)order;
		page_set_flags(page, PG_head);
	}
	return page;
}

unsigned long __get_free_pages(gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(gfp & ~__GFP_HIGHMEM, order);

	return page ? (unsigned long)page_address(page) : 0;
}

unsigned long get_zeroed_page(gfp_t gfp)
{
	return __get_free_pages(gfp | __GFP_ZERO, 0);
}

static slow_path void report_unowned(const struct page *page, const char *what)
{
	bool is_free = page_flags(page) & PG_buddy;

	report_fatal("%s of page %p, which is %s (count %d, pfn %lu)", what, page_address(page),
		     is_free ? "already free" : "not allocated or already freed",
		     atomic_load_relaxed(&page->_refcount), page_to_pfn(page));
}

/* Is this one of the window's struct pages? */
static __always_inline void check_is_page(const struct page *page, const char *what)
{
	unsigned long offset = (unsigned long)page - (unsigned long)usermm_memmap.pages;

	CHECK(offset < atomic_load_relaxed(&mm_online_bytes) / PAGE_SIZE * sizeof(*page),
	      "%s(%p), which is no struct page of this allocator's", what, page);
}

/* Drops one reference; was it the last one? */
static __always_inline bool drop_reference(struct page *page, const char *what)
{
	int count = atomic_load_acquire(&page->_refcount);

	if (likely(count == 1)) {
		/* The only owner: see the top of this file. */
		atomic_store_relaxed(&page->_refcount, 0);
		return true;
	}
	if (unlikely(count <= 0))
		report_unowned(page, what);
	/* pairs with the acquire above in the last owner: our writes to the page */
	return atomic_sub_return_acq_rel(&page->_refcount, 1) == 0;
}

/* Is this the first page of a compound page? If so its order; its mark goes. */
static __always_inline unsigned int take_compound_order(struct page *page)
{
	if (!(page_flags(page) & PG_head))
		return 0;
	page_set_flags(page, 0);
	return page->order;
}

/* The pages behind the first, as the blocks that a split leaves. */
static slow_path void free_tail_blocks(struct page *page, unsigned int order)
{
	while (order-- > 0)
		free_block(page + (1UL << order), order);
}

void __free_pages(struct page *page, unsigned int order)
{
	bool compound;

	check_is_page(page, "__free_pages");
	/* Sampled first: after the put the page may be somebody else's. */
	compound = page_flags(page) & PG_head;
	CHECK(!compound || page->order == order,
	      "free of page %p with order %u, but it is a compound page of order %u",
	      page_address(page), order, (unsigned int)page->order);
	if (drop_reference(page, "free")) {
		if (compound)
			page_set_flags(page, 0);
		free_block(page, order);
	} else if (!compound) {
		free_tail_blocks(page, order);
	}
}

void free_pages(unsigned long addr, unsigned int order)
{
	if (!addr)
		return;
	CHECK(mm_is_online((void *)addr) && !(addr & ~PAGE_MASK),
	      "free_pages of %p, which is not the address of a page", (void *)addr);
	__free_pages(virt_to_page((void *)addr), order);
}

struct page *compound_head(const struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	/* A page with references of its own is not behind a compound page's first. */
	if (atomic_load_relaxed(&page->_refcount) > 0)
		return (struct page *)page;
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		struct page *head = pfn_to_page(pfn & ~((1UL << order) - 1));

		if ((page_flags(head) & PG_head) && head->order >= order)
			return head;
	}
	return (struct page *)page;
}

bool PageCompound(const struct page *page)
{
	return page_flags(compound_head(page)) & PG_head;
}

unsigned int compound_order(const struct page *head)
{
	return page_flags(head) & PG_head ? head->order : 0;
}

void get_page(struct page *page)
{
	page = compound_head(page);
	if (unlikely(atomic_load_relaxed(&page->_refcount) <= 0))
		report_unowned(page, "get_page");
	atomic_add_relaxed(&page->_refcount, 1);
}

void put_page(struct page *page)
{
	check_is_page(page, "put_page");
	if (unlikely(!atomic_load_relaxed(&page->_refcount)))
		page = compound_head(page);
	if (drop_reference(page, "put_page"))
		free_block(page, take_compound_order(page));
}

int page_ref_count(const struct page *page)
{
	return atomic_load_relaxed(&compound_head(page)->_refcount);
}

void drain_local_pages(struct zone *z)
{
	if (!page_init())
		pcp_drain_local(z ? z : &zone);
}

void drain_all_pages(struct zone *z)
{
	if (!page_init())
		pcp_drain_all(z ? z : &zone);
}
