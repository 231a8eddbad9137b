/* SPDX-License-Identifier: MIT */
/*
 * The page allocator: blocks of 2^order pages of 4096 bytes, order 0 to 10.
 *
 * Every page has a struct page in one array, and all pages lie in one window
 * of addresses, so page and address convert by arithmetic alone. The allocator
 * page is 4096 bytes whatever the machine's page size is.
 *
 * Context. All functions may be called from any thread and from a fork child; none is
 * a cancellation point.
 * They may wait only if gfp contains __GFP_DIRECT_RECLAIM. A signal handler may
 * call them; above a thread that holds one of the library's locks an allocation
 * may fail at once, even with __GFP_NOFAIL. Failure is NULL (or a smaller count)
 * and leaves errno alone; a failed request without __GFP_NOWARN is reported once.
 *
 * Ownership. A block is owned by whoever allocated it until its references are
 * dropped. Frozen blocks carry no reference count and go back by their own free
 * functions; the two kinds must not be mixed.
 *
 * Semantics: Linux 6.12 mm/page_alloc.c and include/linux/gfp.h.
 */
#ifndef USERMM_PAGE_H
#define USERMM_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "gfp.h"
#include "list.h"

#ifndef PAGE_SHIFT
#define PAGE_SHIFT 12
#undef PAGE_SIZE	/* musl has some */
#undef PAGE_MASK
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))
#endif
#define MAX_PAGE_ORDER 10
#define NR_PAGE_ORDERS (MAX_PAGE_ORDER + 1)
#define PAGE_ALLOC_COSTLY_ORDER 3

struct kmem_cache;
struct address_space;

/*
 * One page frame, 64 bytes. Which of the fields counts follows from the page's
 * type bits in flags; src/mm/page_flags.h has the table. A user may use lru, private,
 * index and mapping of a page that it owns, and nothing else; mapping is NULL when it
 * gets the page and has to be NULL when it gives it back.
 */
struct page {
	unsigned long flags;
	struct list_head lru;			/* free, or on the owner's list */
	unsigned long reserved;			/* so that the next two are 16 bytes */
	/* A slab's next two words change together: src/slab/slab_word.h. */
	union {
#ifdef __cplusplus
		unsigned long private_;		/* `private` is a word of C++ */
#else
		unsigned long private;		/* the owner's */
#endif
		void *freelist;			/* slab: first free object */
	};
	union {
		unsigned long index;		/* the owner's; malloc's block: bytes in use */
		__extension__ struct {		/* slab: how its objects stand */
			uint16_t inuse;		/* objects handed out */
			uint16_t carved;	/* objects that ever left the slab */
			uint16_t opened;	/* objects whose memory was prepared */
			uint16_t objects : 15;	/* objects in all */
			uint16_t frozen : 1;	/* it is some CPU's */
		};
	};
	int32_t _refcount;
	uint8_t order;				/* free or compound head */
	uint8_t on_partial;			/* slab: is on its node's partial list */
	uint8_t disabled;			/* slab: failed its checks, not used any more */
	uint8_t debugged;			/* free: what debugging did to it (hooks.h) */
	struct address_space *mapping;		/* the owner's */
};

USERMM_BEGIN_DECLS

/* The window; constant after the first call into the library. */
struct usermm_memmap {
	struct page *pages;	/* struct page of the window's first page */
	struct kmem_cache **slab_caches;	/* of each page; NULL where it is no slab's */
	unsigned long base;	/* address of the window's first page */
} __attribute__((aligned(16)));
extern struct usermm_memmap usermm_memmap __attribute__((visibility("default")));

/* Conversions: arithmetic only; valid for addresses inside the window. */
static inline struct page *virt_to_page(const void *addr)
{
	return usermm_memmap.pages +
	       (((unsigned long)addr - usermm_memmap.base) >> PAGE_SHIFT);
}

static inline void *page_address(const struct page *page)
{
	return (void *)(usermm_memmap.base +
			((unsigned long)(page - usermm_memmap.pages) << PAGE_SHIFT));
}

static inline unsigned long page_to_pfn(const struct page *page)
{
	return (unsigned long)(page - usermm_memmap.pages);
}

static inline struct page *pfn_to_page(unsigned long pfn)
{
	return usermm_memmap.pages + pfn;
}

/*
 * The page that stands for its compound page; itself if it is in none. The tails
 * of a compound page are not marked: a page without references is looked up by
 * the alignment of the blocks that may hold it (at most 10 steps).
 */
struct page *compound_head(const struct page *page) USERMM_API(compound_head);

static inline struct page *virt_to_head_page(const void *addr)
{
	return compound_head(virt_to_page(addr));
}

/* Is addr a byte of a page that the library has brought online? */
bool virt_addr_valid(const void *addr) USERMM_API(virt_addr_valid);

/* Is this the head or a tail of a compound page? The order of its head. */
bool PageCompound(const struct page *page) USERMM_API(PageCompound);
unsigned int compound_order(const struct page *head) USERMM_API(compound_order);

/* The smallest order whose block holds size bytes (size > 0). */
static inline int get_order(unsigned long size)
{
	if (size <= PAGE_SIZE)
		return 0;
	return 64 - PAGE_SHIFT - __builtin_clzl(size - 1);
}

/*
 * 2^order pages, contiguous and aligned to their size; the first page. With
 * __GFP_COMP one compound page with one reference; without it a block whose
 * first page has one reference and whose other pages have none, to be freed
 * with the same order. NULL if order > MAX_PAGE_ORDER or there is no memory.
 */
struct page *alloc_pages(gfp_t gfp, unsigned int order)
	USERMM_API(alloc_pages) USERMM_MUST_CHECK;
/* alloc_pages(gfp, 0) */
struct page *alloc_page(gfp_t gfp) USERMM_API(alloc_page) USERMM_MUST_CHECK;

/*
 * The same, first from node preferred_nid and then from the others by distance (-1: the
 * caller's own node); only from the nodes whose bits are set in *nodemask, unless that
 * is NULL. With __GFP_THISNODE from preferred_nid alone. NULL for a node that there is
 * not.
 */
struct page *__alloc_pages(gfp_t gfp, unsigned int order, int preferred_nid,
			   const unsigned long *nodemask)
	USERMM_API(__alloc_pages) USERMM_MUST_CHECK;
static inline struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order)
{
	return __alloc_pages(gfp, order, nid, NULL);
}

/* The same by address; 0 on failure. __GFP_HIGHMEM is ignored. */
unsigned long __get_free_pages(gfp_t gfp, unsigned int order)
	USERMM_API(__get_free_pages) USERMM_MUST_CHECK;
#define __get_free_page(gfp) __get_free_pages(gfp, 0)
/* One page of zero bytes. */
unsigned long get_zeroed_page(gfp_t gfp) USERMM_API(get_zeroed_page) USERMM_MUST_CHECK;

/*
 * Drops one reference; the last one frees 2^order pages. If references remain
 * and the block is not compound, its pages behind the first are freed at once
 * and the first one goes with the last put_page(). page is the block's first.
 */
void __free_pages(struct page *page, unsigned int order) USERMM_API(__free_pages);
#define __free_page(page) __free_pages(page, 0)
/* The same by address; 0 is allowed and does nothing. */
void free_pages(unsigned long addr, unsigned int order) USERMM_API(free_pages);
#define free_page(addr) free_pages(addr, 0)

/*
 * References. A tail of a compound page stands for its head. The last put frees
 * a compound page whole, and of any other block only that one page.
 */
void get_page(struct page *page) USERMM_API(get_page);
void put_page(struct page *page) USERMM_API(put_page);
int page_ref_count(const struct page *page) USERMM_API(page_ref_count);

/*
 * References for somebody who has none yet and only knows where a page was: false if its
 * count is 0 (or `unless`). The page may have been freed and allocated anew meanwhile, so
 * the caller looks again whether it is the one. They act on the page given, not on a head.
 * The first use of one of them in a process makes every later put a locked operation.
 */
bool get_page_unless_zero(struct page *page) USERMM_API(get_page_unless_zero);
bool page_ref_add_unless(struct page *page, int nr, int unless)
	USERMM_API(page_ref_add_unless);

/*
 * A block without a reference count, for an owner who needs none (Linux >=
 * 6.14). It must be freed with the same order by free_frozen_pages().
 */
struct page *alloc_frozen_pages(gfp_t gfp, unsigned int order)
	USERMM_API(alloc_frozen_pages) USERMM_MUST_CHECK;
void free_frozen_pages(struct page *page, unsigned int order)
	USERMM_API(free_frozen_pages);

/*
 * Bulk allocation (seed 1): order-0 pages with one reference each.
 *
 * The array form fills the NULL entries of array[0 .. nr-1], skips the others,
 * and returns the index it reached: nr if the array is now full, less if memory
 * ran out (entries behind the first gap are then not counted). The list form
 * adds up to nr pages at the head of list, through page->lru, and returns how
 * many. Neither reclaims for more than one page; fewer than asked is legal and
 * not reported.
 */
unsigned long alloc_pages_bulk_array(gfp_t gfp, unsigned long nr, struct page **array)
	USERMM_API(alloc_pages_bulk_array);
unsigned long alloc_pages_bulk_list(gfp_t gfp, unsigned long nr, struct list_head *list)
	USERMM_API(alloc_pages_bulk_list);

/*
 * The whole form: from a node's zones (NUMA_NO_NODE is -1: the caller's) within a set of
 * nodes, into a list or, if that is NULL, an array. With __GFP_ACCOUNT one page at most.
 * nr <= 0 is nothing.
 */
unsigned long __alloc_pages_bulk(gfp_t gfp, int preferred_nid, const unsigned long *nodemask,
				 int nr, struct list_head *list, struct page **array)
	USERMM_API(__alloc_pages_bulk);
/* Blocks of an order, at the head of list, as the call was first proposed. How many. */
unsigned long alloc_pages_bulk_order(gfp_t gfp, unsigned int order, unsigned long nr,
				     struct list_head *list) USERMM_API(alloc_pages_bulk_order);
/* Drops one reference of each page of the list (by page->lru), which is empty then. */
void free_pages_bulk_list(struct list_head *list) USERMM_API(free_pages_bulk_list);

/* Drops one reference of each page of the array; NULL entries are skipped. */
void free_pages_bulk(struct page **array, unsigned long nr)
	USERMM_API(free_pages_bulk);

/*
 * Frozen order-0 pages in array[0 .. result-1]; what the array holds behind that
 * is undefined.
 */
unsigned long alloc_frozen_pages_bulk(gfp_t gfp, unsigned long nr, struct page **array)
	USERMM_API(alloc_frozen_pages_bulk);
void free_frozen_pages_bulk(struct page **array, unsigned long nr)
	USERMM_API(free_frozen_pages_bulk);

/*
 * Makes a block that is not compound single pages with one reference each. Its order is
 * the caller's word.
 */
void split_page(struct page *page, unsigned int order) USERMM_API(split_page);
/*
 * size bytes as such pages, as few as hold them; NULL without memory, or if size is 0 or
 * more than the largest block. They go page by page, or by free_pages_exact() with the
 * same size.
 */
void *alloc_pages_exact(size_t size, gfp_t gfp) USERMM_API(alloc_pages_exact) USERMM_MUST_CHECK;
void *alloc_pages_exact_nid(int nid, size_t size, gfp_t gfp)
	USERMM_API(alloc_pages_exact_nid) USERMM_MUST_CHECK;
void free_pages_exact(void *addr, size_t size) USERMM_API(free_pages_exact);

/*
 * Pieces of a page that share its references: cheap, small, and freed in any order, each
 * by page_frag_free() or a put_page() of its page. A cache is one thread's and starts as
 * zero. No piece is larger than a page, or 8 if there was memory for so large a block.
 */
struct page_frag_cache {
	void *va;			/* the page in use, or NULL */
	unsigned int offset;		/* of the end of what is left of it */
	unsigned int size;
	unsigned int pagecnt_bias;	/* references that the cache has left */
	bool pfmemalloc;		/* is the page from the reserves? */
};
void *page_frag_alloc(struct page_frag_cache *cache, unsigned int bytes, gfp_t gfp)
	USERMM_API(page_frag_alloc);
/* At a multiple of align, a power of two. */
void *page_frag_alloc_align(struct page_frag_cache *cache, unsigned int bytes, gfp_t gfp,
			    unsigned int align) USERMM_API(page_frag_alloc_align);
void page_frag_free(void *addr) USERMM_API(page_frag_free);
/* The cache gives up its page; pieces that are in use keep it. */
void page_frag_cache_drain(struct page_frag_cache *cache) USERMM_API(page_frag_cache_drain);
/* Drops so many references of a page of fragments. */
void __page_frag_cache_drain(struct page *page, unsigned int count)
	USERMM_API(__page_frag_cache_drain);

/*
 * Gives cached pages back to the buddy lists: the calling CPU's, or all CPUs'
 * (where the kernel lets a slot be stopped; else the calling CPU's). NULL is every
 * zone.
 */
struct zone;
void drain_local_pages(struct zone *zone) USERMM_API(drain_local_pages);
void drain_all_pages(struct zone *zone) USERMM_API(drain_all_pages);

USERMM_END_DECLS

#endif
