/* SPDX-License-Identifier: MIT */
/*
 * The page allocator: blocks of 2^order pages of 4096 bytes, order 0 to 10.
 *
 * Every page has a struct page in one array, and all pages lie in one window of addresses. So
 * pages and addresses convert by arithmetic alone. The allocator's page is 4096 bytes, whatever
 * the machine's page size is.
 *
 * Context. Any thread, a fork child and a signal handler may call all functions; none is a
 * cancellation point. A call waits only if gfp contains __GFP_DIRECT_RECLAIM. If a signal handler
 * interrupted its thread while the thread held a lock of the library, an allocation may fail at
 * once, even with __GFP_NOFAIL.
 *
 * Failure is NULL (or a smaller count) and leaves errno alone. A failed request without
 * __GFP_NOWARN is reported once.
 *
 * Ownership. A block belongs to whoever allocated it until its references are dropped. Frozen
 * blocks have no reference count and their own free functions; the two kinds must not be mixed.
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

USERMM_BEGIN_DECLS

struct kmem_cache;
struct address_space;

/*
 * One page frame, 64 bytes. The page's type bits in flags tell which fields are valid; the table
 * is in src/mm/page_flags.h. The owner of a page may use lru, private, index and mapping, and
 * nothing else. mapping is NULL when a page is allocated and must be NULL when it is freed.
 */
/* Since Linux 6.18 kernel sources say flags.f: linux/mm_types.h. */
#ifndef USERMM_PAGE_FLAGS
#define USERMM_PAGE_FLAGS unsigned long
#endif
struct page {
	USERMM_PAGE_FLAGS flags;
	struct list_head lru;			/* free, or on the owner's list */
	unsigned long reserved;			/* aligns the next two words to 16 bytes */
	/* In a slab the next two words change together: src/slab/slab_word.h. */
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
		__extension__ struct {		/* slab: the counts of its objects */
			uint16_t inuse;		/* objects handed out */
			uint16_t carved;	/* objects that ever left the slab */
			uint16_t opened;	/* objects whose memory was prepared */
			uint16_t objects : 15;	/* objects in all */
			uint16_t frozen : 1;	/* the slab belongs to one CPU */
		};
	};
	int32_t _refcount;
	uint8_t order;				/* free or compound head */
	uint8_t on_partial;			/* slab: is on its node's partial list */
	uint8_t disabled;			/* slab: failed a check, not used any more */
	uint8_t debugged;			/* free: what debugging did (page/debug/hooks.h) */
	struct address_space *mapping;		/* the owner's */
};

/* The window; constant after the first call into the library. */
struct usermm_memmap {
	struct page *pages;	/* the array of struct pages, from the window's first page on */
	struct kmem_cache **slab_caches;	/* a page's cache; NULL if it is in no slab */
	unsigned long base;	/* address of the window's first page */
} __attribute__((aligned(16)));
extern struct usermm_memmap usermm_memmap __attribute__((visibility("default")));

/* Conversions, by arithmetic alone. Valid only for addresses inside the window. */
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
 * The head of the compound page that holds this page; the page itself if there is none. Tails
 * are not marked: for a page without references the function tries the start of each aligned
 * block that could hold it (at most 10 steps).
 */
struct page *compound_head(const struct page *page) USERMM_API(compound_head);

static inline struct page *virt_to_head_page(const void *addr)
{
	return compound_head(virt_to_page(addr));
}

/* Is addr a byte of a page that the library has brought online? */
bool virt_addr_valid(const void *addr) USERMM_API(virt_addr_valid);

/* Is this the head or a tail of a compound page? */
bool PageCompound(const struct page *page) USERMM_API(PageCompound);
/* The order of a compound page, given its head. */
unsigned int compound_order(const struct page *head) USERMM_API(compound_order);

/* The smallest order whose block holds size bytes (size > 0). */
static inline int get_order(unsigned long size)
{
	if (size <= PAGE_SIZE)
		return 0;
	return 64 - PAGE_SHIFT - __builtin_clzl(size - 1);
}

/*
 * Allocates 2^order pages, contiguous and aligned to their size, and returns the first one. With
 * __GFP_COMP they are one compound page with one reference. Without it only the first page has a
 * reference, and the block must be freed with the same order. NULL if order > MAX_PAGE_ORDER or
 * there is no memory.
 */
struct page *alloc_pages(gfp_t gfp, unsigned int order)
	USERMM_API(alloc_pages) USERMM_MUST_CHECK;
/* alloc_pages(gfp, 0) */
struct page *alloc_page(gfp_t gfp) USERMM_API(alloc_page) USERMM_MUST_CHECK;

/*
 * alloc_pages() from node preferred_nid (-1: the caller's node) first, then from the others by
 * distance. If nodemask is not NULL, only the nodes whose bits are set in *nodemask may serve. With
 * __GFP_THISNODE only preferred_nid may. NULL if there is no such node.
 */
struct page *__alloc_pages(gfp_t gfp, unsigned int order, int preferred_nid,
			   const unsigned long *nodemask)
	USERMM_API(__alloc_pages) USERMM_MUST_CHECK;
static inline struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order)
{
	return __alloc_pages(gfp, order, nid, NULL);
}

/* alloc_pages() that returns the address of the block; 0 on failure. Ignores __GFP_HIGHMEM. */
unsigned long __get_free_pages(gfp_t gfp, unsigned int order)
	USERMM_API(__get_free_pages) USERMM_MUST_CHECK;
#define __get_free_page(gfp) __get_free_pages(gfp, 0)
/* The address of one page with all bytes zero; 0 on failure. */
unsigned long get_zeroed_page(gfp_t gfp) USERMM_API(get_zeroed_page) USERMM_MUST_CHECK;

/*
 * Drops one reference of a block, given its first page. The last reference frees 2^order pages.
 * If references remain and the block is not compound, the pages behind the first are freed at
 * once, and the last put_page() frees the first.
 */
void __free_pages(struct page *page, unsigned int order) USERMM_API(__free_pages);
#define __free_page(page) __free_pages(page, 0)
/* __free_pages() by address. 0 is allowed and does nothing. */
void free_pages(unsigned long addr, unsigned int order) USERMM_API(free_pages);
#define free_page(addr) free_pages(addr, 0)

/*
 * References. Given a tail of a compound page, these act on its head. The last put_page() frees a
 * whole compound page; of any other block it frees only this one page.
 */
void get_page(struct page *page) USERMM_API(get_page);
void put_page(struct page *page) USERMM_API(put_page);
int page_ref_count(const struct page *page) USERMM_API(page_ref_count);

/*
 * Take one or nr references of a page of which the caller holds none. False if the page's count is
 * 0 (or `unless`). The page may have been freed and reallocated meanwhile, so the caller must then
 * check again that it is the right one. The calls act on the page given, not on a compound head.
 * After the first such call in a process every put_page() is an atomic operation.
 */
bool get_page_unless_zero(struct page *page) USERMM_API(get_page_unless_zero);
bool page_ref_add_unless(struct page *page, int nr, int unless)
	USERMM_API(page_ref_add_unless);

/*
 * A block without a reference count, for an owner that needs none (Linux >= 6.14). It must be freed
 * by free_frozen_pages() with the same order.
 */
struct page *alloc_frozen_pages(gfp_t gfp, unsigned int order)
	USERMM_API(alloc_frozen_pages) USERMM_MUST_CHECK;
void free_frozen_pages(struct page *page, unsigned int order)
	USERMM_API(free_frozen_pages);

/*
 * Bulk allocation (docs/glossary.md: seed 1): order-0 pages with one reference each.
 *
 * The array form fills the NULL entries of array[0 .. nr-1] and skips the others. It returns the
 * index it reached: nr if the array is now full, less if memory ran out (it does not count entries
 * behind the first gap). The list form adds up to nr pages at the head of list, through page->lru,
 * and returns how many. Neither reclaims for more than one page. Fewer pages than asked for are no
 * error and are not reported.
 */
unsigned long alloc_pages_bulk_array(gfp_t gfp, unsigned long nr, struct page **array)
	USERMM_API(alloc_pages_bulk_array);
unsigned long alloc_pages_bulk_list(gfp_t gfp, unsigned long nr, struct list_head *list)
	USERMM_API(alloc_pages_bulk_list);

/*
 * The general form. preferred_nid (NUMA_NO_NODE, -1: the caller's node) and nodemask are those of
 * __alloc_pages(). The pages go onto the list or, if list is NULL, into the array. With
 * __GFP_ACCOUNT at most one page. nr <= 0 allocates nothing.
 */
unsigned long __alloc_pages_bulk(gfp_t gfp, int preferred_nid, const unsigned long *nodemask,
				 int nr, struct list_head *list, struct page **array)
	USERMM_API(__alloc_pages_bulk);
/*
 * Adds up to nr blocks of an order at the head of list, and returns how many. This is the form in
 * which bulk allocation was first proposed.
 */
unsigned long alloc_pages_bulk_order(gfp_t gfp, unsigned int order, unsigned long nr,
				     struct list_head *list) USERMM_API(alloc_pages_bulk_order);
/* Drops one reference of each page of the list (linked by page->lru), and empties the list. */
void free_pages_bulk_list(struct list_head *list) USERMM_API(free_pages_bulk_list);

/* Drops one reference of each page of the array; NULL entries are skipped. */
void free_pages_bulk(struct page **array, unsigned long nr)
	USERMM_API(free_pages_bulk);

/*
 * Puts frozen order-0 pages into array[0 .. result-1]. The rest of the array is undefined.
 */
unsigned long alloc_frozen_pages_bulk(gfp_t gfp, unsigned long nr, struct page **array)
	USERMM_API(alloc_frozen_pages_bulk);
void free_frozen_pages_bulk(struct page **array, unsigned long nr)
	USERMM_API(free_frozen_pages_bulk);

/*
 * Turns a block that is not compound into single pages with one reference each. The caller must
 * give the block's real order: it is not checked.
 */
void split_page(struct page *page, unsigned int order) USERMM_API(split_page);
/*
 * size bytes of contiguous single pages, as few as hold them. NULL without memory, or if size is 0
 * or larger than the largest block. They are freed page by page, or together by free_pages_exact()
 * with the same size.
 */
void *alloc_pages_exact(size_t size, gfp_t gfp) USERMM_API(alloc_pages_exact) USERMM_MUST_CHECK;
void *alloc_pages_exact_nid(int nid, size_t size, gfp_t gfp)
	USERMM_API(alloc_pages_exact_nid) USERMM_MUST_CHECK;
void free_pages_exact(void *addr, size_t size) USERMM_API(free_pages_exact);

/*
 * Fragments: small pieces of one block, each with one reference of its page. They are freed in any
 * order, by page_frag_free() or by put_page() of the page. A cache belongs to one thread and starts
 * zeroed. A piece is at most one page, or 8 pages while there is memory for a block of 8.
 */
struct page_frag_cache {
	void *va;			/* the page in use, or NULL */
	/* End of the page's free part; for kernel sources of 6.13 and newer its beginning. */
	unsigned int offset;
	unsigned int size;
	unsigned int pagecnt_bias;	/* references that the cache still has */
	bool pfmemalloc;		/* is the page from the reserves? */
};
void *page_frag_alloc(struct page_frag_cache *cache, unsigned int bytes, gfp_t gfp)
	USERMM_API(page_frag_alloc);
/* The piece is aligned to align, a power of two. */
void *page_frag_alloc_align(struct page_frag_cache *cache, unsigned int bytes, gfp_t gfp,
			    unsigned int align) USERMM_API(page_frag_alloc_align);
void page_frag_free(void *addr) USERMM_API(page_frag_free);
/* Drops the cache's references of its page. The page lives on while pieces of it are in use. */
void page_frag_cache_drain(struct page_frag_cache *cache) USERMM_API(page_frag_cache_drain);
/* Drops count references of a page of fragments. */
void __page_frag_cache_drain(struct page *page, unsigned int count)
	USERMM_API(__page_frag_cache_drain);

/*
 * Give cached pages back to the buddy lists: those of the calling CPU, or of all CPUs. Where other
 * CPUs' lists cannot be stopped (no membarrier(2)), both drain the calling CPU's alone. A NULL zone
 * means every zone.
 */
struct zone;
void drain_local_pages(struct zone *zone) USERMM_API(drain_local_pages);
void drain_all_pages(struct zone *zone) USERMM_API(drain_all_pages);

USERMM_END_DECLS

#endif
