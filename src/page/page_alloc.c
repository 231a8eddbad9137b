/* SPDX-License-Identifier: MIT */
/*
 * Entry points for single blocks. A request that finds no memory at once goes on in slowpath.c.
 * zone.h has the theory of this layer.
 */
#include <string.h>

#include "base/check.h"
#include "base/linux_version.h"
#include "base/upward_hooks.h"
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "os/background.h"
#include "os/once.h"
#include "page/debug/bad_page.h"
#include "page/debug/hooks.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "page/refs.h"
#include "page/slowpath.h"
#include "page/zone.h"

static struct once page_once __read_mostly;

static int bring_up(void)
{
	if (nodes_init() || pcp_init())
		return -1;
	background_set_work(reclaim_background_work, reclaim_forget);
	page_refs_init();
	page_hooks_init();
	return 0;
}

int page_init(void)
{
	return once_run(&page_once, bring_up) ? 0 : -1;
}

bool page_is_up(void)
{
	return once_done(&page_once);
}

bool page_take_zeroed(struct page *page)
{
	unsigned long flags = page_flags(page);

	if (flags)
		page_set_flags(page, 0);
	return flags & PG_zeroed;
}

/* Clears a block from the slow path if gfp asks for that, and tells hooks. NULL stays NULL. */
static struct page *zero_block(struct page *page, gfp_t gfp, unsigned int order)
{
	bool zeroed;

	if (!page)
		return NULL;
	zeroed = page_take_zeroed(page);
	if (unlikely(page_hooks()))
		page_hooks_alloc(page, gfp, order, zeroed);
	else if (!zeroed && (gfp & __GFP_ZERO))
		memset(page_address(page), 0, PAGE_SIZE << order);
	return page;
}

/* Brings the layer up, and asks the hooks whether the request may succeed. */
static bool may_begin(gfp_t gfp, unsigned int order)
{
	return !page_init() && page_hooks_may_alloc(gfp, order);
}

static struct page *alloc_slow(gfp_t gfp, unsigned int order)
{
	struct page *page = NULL;

	if (!may_begin(gfp, order))
		return NULL;
	if (order <= MAX_PAGE_ORDER)
		page = pcp_pop_again(gfp, order);
	return page ? page : page_alloc_slow(gfp, order);
}

/* A block from this CPU's list, or NULL. The block's bytes are undefined. */
static __always_inline struct page *alloc_fast(gfp_t gfp, unsigned int order)
{
	return likely(order <= MAX_PAGE_ORDER) ? pcp_pop(gfp, order) : NULL;
}

/* Out of line, and called last: so callers save no registers around it. */
static noinline struct page *clear_block(struct page *page, unsigned int order)
{
	memset(page_address(page), 0, PAGE_SIZE << order);
	return page;
}

static slow_path struct page *alloc_frozen_pages_slow(gfp_t gfp, unsigned int order)
{
	return zero_block(alloc_slow(gfp, order), gfp, order);
}

fast_path struct page *alloc_frozen_pages(gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_fast(gfp, order);

	if (unlikely(!page))
		return alloc_frozen_pages_slow(gfp, order);
	return unlikely(gfp & __GFP_ZERO) ? clear_block(page, order) : page;
}

static noinline void free_block_slow(struct page *page, unsigned int order)
{
	if (unlikely(order > MAX_PAGE_ORDER)) {
		page_report_wrong_order(page, order);
		return;
	}
	if (unlikely(page_hooks()) && !page_hooks_free(page, 1UL << order))
		return;
	pcp_free_slow(order, page);
}

/* Gives a block without references to this CPU's list, or to the buddy lists. */
static __always_inline void free_block(struct page *page, unsigned int order)
{
	if (unlikely(order > MAX_PAGE_ORDER || !pcp_push(order, page)))
		free_block_slow(page, order);
}

fast_path void free_frozen_pages(struct page *page, unsigned int order)
{
	free_block(page, order);
}

/* Sets the block's first reference. With __GFP_COMP makes it a compound page. */
static __always_inline struct page *prepare_block(struct page *page, gfp_t gfp,
						  unsigned int order)
{
	page_start_references(page);
	if (order && (gfp & __GFP_COMP)) {
		page->order = (uint8_t)order;
		page_set_flags(page, PG_head);
	}
	return page;
}

/* prepare_block() for a slow path's block, or NULL. PG_pfmemalloc stays: the owner may ask. */
static struct page *prepare_block_slow(struct page *page, gfp_t gfp, unsigned int order)
{
	unsigned long reserve;

	if (!page)
		return NULL;
	reserve = page_flags(page) & PG_pfmemalloc;
	prepare_block(zero_block(page, gfp, order), gfp, order);
	if (reserve)
		page_set_flags(page, page_flags(page) | reserve);
	return page;
}

static slow_path struct page *alloc_pages_slow(gfp_t gfp, unsigned int order)
{
	return prepare_block_slow(alloc_slow(gfp, order), gfp, order);
}

static __always_inline struct page *alloc_block(gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_fast(gfp, order);

	if (unlikely(!page))
		return alloc_pages_slow(gfp, order);
	prepare_block(page, gfp, order);
	return unlikely(gfp & __GFP_ZERO) ? clear_block(page, order) : page;
}

fast_path struct page *alloc_pages(gfp_t gfp, unsigned int order)
{
	return alloc_block(gfp, order);
}

/* As alloc_pages() with order 0. The constant order saves six instructions. */
struct page *alloc_page(gfp_t gfp)
{
	return alloc_block(gfp, 0);
}

fast_path struct page *__alloc_pages(gfp_t gfp, unsigned int order, int preferred_nid,
			   const unsigned long *nodemask)
{
	struct page *page;

	/* A request that names no node and no set of nodes is an ordinary one. */
	if (preferred_nid == NUMA_NO_NODE && !nodemask)
		return alloc_pages(gfp, order);
	if (!may_begin(gfp, order))
		return NULL;
	page = page_alloc_node(gfp, order, preferred_nid, nodemask);
	return prepare_block_slow(page, gfp, order);
}

fast_path unsigned long __get_free_pages(gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(gfp & ~__GFP_HIGHMEM, order);

	return page ? (unsigned long)page_address(page) : 0;
}

unsigned long get_zeroed_page(gfp_t gfp)
{
	return __get_free_pages(gfp | __GFP_ZERO, 0);
}

/*
 * The byte offset of page among the window's struct pages. Ends the program if page is none of
 * them.
 */
static __always_inline unsigned long check_is_page(const struct page *page, const char *what)
{
	unsigned long map_offset = mm_map_offset(page);

	CHECK(mm_map_is_online(map_offset),
	      "%s(%p), which is no struct page of this allocator's", what, page);
	return map_offset;
}

static slow_path bool prepare_free_slow(struct page *page, unsigned int order, unsigned long flags)
{
	if (flags & PG_buddy) {
		page_report_unowned(page, "free");
		return false;
	}
	if (flags & PG_head && page->order != order) {
		page_report_wrong_order(page, order);
		return false;
	}
	page_set_flags(page, 0);
	if (flags & PAGE_FLAGS_CHECK_AT_FREE) {
		page_report_bad(page, "PAGE_FLAGS_CHECK_AT_FREE flag(s) set");
		return false;
	}
	return true;
}

/* Is it a plain block, or a compound page of that order? Then nothing has to be checked. */
static __always_inline bool needs_no_check(const struct page *page, unsigned int order,
					   unsigned long flags)
{
	return likely(!flags) || likely(flags == PG_head && page->order == order);
}

/*
 * Clears the flags of a block that has lost its last reference: those of a compound page, and those
 * that its owner left and the next owner must not find. False if the block may not be freed. It
 * reads the flags only now, because other owners may have changed them until now. cf. Linux
 * free_pages_prepare()
 */
static bool prepare_free(struct page *page, unsigned int order)
{
	unsigned long flags = page_flags(page);

	if (!needs_no_check(page, order, flags))
		return prepare_free_slow(page, order, flags);
	page_set_flags(page, 0);
	return true;
}

void page_free_dropped(struct page *page, unsigned int order)
{
	if (prepare_free(page, order))
		free_block(page, order);
}

/* Frees the pages behind the first, as the blocks that a split leaves. */
static slow_path void free_tail_blocks(struct page *page, unsigned int order)
{
	if (order > MAX_PAGE_ORDER) {
		page_report_wrong_order(page, order);
		return;
	}
	while (order-- > 0)
		free_block(page + (1UL << order), order);
}

/* A plain load, so the check costs the free of a shared page almost nothing. */
static __always_inline bool is_shared(const struct page *page)
{
	return atomic_load_relaxed(&page->_refcount) != 1;
}

/*
 * For a block that is shared, that has other flags, or whose list is full; and for any block if the
 * sequence was interrupted.
 */
static noinline void free_pages_slow(struct page *page, unsigned int order, bool interrupted)
{
	/* Read first: after the reference is dropped, the page may be somebody else's. */
	bool is_compound = page_flags(page) & PG_head;
	enum page_drop dropped = page_drop_reference(page, interrupted, "free");

	if (dropped == PAGE_DROP_LAST)
		page_free_dropped(page, order);
	else if (dropped == PAGE_DROP_SHARED && !is_compound)
		free_tail_blocks(page, order);
}

fast_path void __free_pages(struct page *page, unsigned int order)
{
	unsigned long map_offset = check_is_page(page, "__free_pages");
	unsigned long flags = page_flags(page);
	bool interrupted = false;

	if (unlikely(order > MAX_PAGE_ORDER) || unlikely(!needs_no_check(page, order, flags)) ||
	    is_shared(page) ||
	    unlikely(!pcp_push_last(page_class_at(map_offset), order, page, &interrupted)))
		free_pages_slow(page, order, interrupted);
}

fast_path void free_pages(unsigned long addr, unsigned int order)
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

	/* A page with references of its own is not a tail page of a compound page. */
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

/* Since Linux 6.17 memory of kmalloc() and of caches has no references. */
static bool never_has_references(const struct page *head)
{
	return linux_since(6, 17) &&
	       ((page_flags(head) & PG_large_kmalloc) || *mm_slab_cache(head));
}

static noinline void get_page_slow(struct page *page)
{
	static bool told;	/* Sync: atomic relaxed, as in REPORT_ONCE() */

	page = compound_head(page);
	if (atomic_load_relaxed(&page->_refcount) > 0)
		atomic_add_relaxed(&page->_refcount, 1);
	else if (never_has_references(page) && atomic_exchange_relaxed(&told, true))
		return;
	else if (never_has_references(page))
		report_warning("get_page(%p): this memory is a slab's or kmalloc's, which has no "
			       "references", page_address(page));
	else
		page_report_unowned(page, "get_page");
}

void get_page(struct page *page)
{
	/* A page without references of its own is a tail page of a compound page. */
	if (likely(atomic_load_relaxed(&page->_refcount) > 0))
		atomic_add_relaxed(&page->_refcount, 1);
	else
		get_page_slow(page);
}

/*
 * If the sequence was interrupted, `order` is the order that the page had: its flags may be cleared
 * already.
 */
static noinline void put_page_slow(struct page *page, unsigned int order, bool interrupted)
{
	if (!interrupted && unlikely(!atomic_load_relaxed(&page->_refcount))) {
		page = compound_head(page);
		if (never_has_references(page))
			return;
	}
	if (page_drop_reference(page, interrupted, "put_page") == PAGE_DROP_LAST)
		page_free_dropped(page, interrupted ? order : compound_order(page));
}

static __always_inline void put_page_of_order(struct page *page, unsigned int order,
					      unsigned long map_offset)
{
	bool interrupted = false;

	if (unlikely(!pcp_push_last(page_class_at(map_offset), order, page, &interrupted)))
		put_page_slow(page, order, interrupted);
}

/* A function of its own, so that a page without flags saves no registers for this case. */
static noinline void put_page_with_flags(struct page *page, unsigned long flags,
					 unsigned long map_offset)
{
	if (likely(flags == PG_head))
		put_page_of_order(page, page->order, map_offset);
	else
		put_page_slow(page, 0, false);
}

void put_page(struct page *page)
{
	unsigned long map_offset = check_is_page(page, "put_page");
	unsigned long flags = page_flags(page);

	if (unlikely(flags))
		put_page_with_flags(page, flags, map_offset);
	else
		put_page_of_order(page, 0, map_offset);
}

int page_ref_count(const struct page *page)
{
	return atomic_load_relaxed(&compound_head(page)->_refcount);
}

void drain_local_pages(struct zone *z)
{
	if (!page_init())
		pcp_drain_local(z);
}

void drain_all_pages(struct zone *z)
{
	if (!page_init())
		pcp_drain_all(z);
}

FOR_KERNEL(page_init);
