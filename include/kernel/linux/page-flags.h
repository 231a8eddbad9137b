/* SPDX-License-Identifier: MIT */
/*
 * Page types, which the allocator sets (Head, Tail, Compound, Slab, Buddy), and flags for the
 * page's owner, in the bits above the allocator's.
 */
#ifndef _LINUX_PAGE_FLAGS_H
#define _LINUX_PAGE_FLAGS_H

#include <linux/bug.h>
#include <linux/mm_types.h>
#include <linux/mmdebug.h>
#include <linux/percpu_counter.h>

enum pageflags {
	PG_locked = 16,
	PG_writeback, PG_referenced, PG_uptodate, PG_dirty, PG_lru, PG_workingset, PG_active,
	PG_owner_priv_1, PG_arch_1, PG_reserved, PG_private, PG_private_2, PG_mappedtodisk,
	PG_reclaim, PG_swapbacked, PG_unevictable,
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	PG_error,
#else
	USERMM_PG_ERROR,
#endif
	__NR_PAGEFLAGS,
	PG_checked = PG_owner_priv_1,
};

/* The page that holds a flag: the page itself, or the head of its compound page. */
#define USERMM_OWN_FLAG(page) (page)
#define USERMM_HEAD_FLAG(page) compound_head(page)

#define USERMM_PAGE_FLAG(Name, bit, holder)					\
static inline int Page##Name(const struct page *page)				\
{										\
	return __atomic_load_n(&USERMM_FLAGS_OF(holder(page)), __ATOMIC_RELAXED) >> (bit) & 1; \
}										\
static inline void SetPage##Name(struct page *page)				\
{										\
	__atomic_or_fetch(&USERMM_FLAGS_OF(holder(page)), 1UL << (bit), __ATOMIC_RELAXED); \
}										\
static inline void ClearPage##Name(struct page *page)				\
{										\
	__atomic_and_fetch(&USERMM_FLAGS_OF(holder(page)), ~(1UL << (bit)), __ATOMIC_RELAXED); \
}										\
static inline int TestSetPage##Name(struct page *page)				\
{										\
	return __atomic_fetch_or(&USERMM_FLAGS_OF(holder(page)), 1UL << (bit), \
		__ATOMIC_SEQ_CST) >> (bit) & 1;					\
}										\
static inline int TestClearPage##Name(struct page *page)			\
{										\
	return __atomic_fetch_and(&USERMM_FLAGS_OF(holder(page)), ~(1UL << (bit)), \
		__ATOMIC_SEQ_CST) >> (bit) & 1;					\
}										\
static inline void __SetPage##Name(struct page *page)				\
{										\
	USERMM_FLAGS_OF(holder(page)) |= 1UL << (bit);					\
}										\
static inline void __ClearPage##Name(struct page *page)				\
{										\
	USERMM_FLAGS_OF(holder(page)) &= ~(1UL << (bit));				\
}

/* The folio's forms: its first page has the flags. */
#define USERMM_FOLIO_FLAG(name, bit)						\
static inline bool folio_test_##name(const struct folio *folio)			\
{										\
	return __atomic_load_n(&USERMM_FLAGS_OF(&folio->page), __ATOMIC_RELAXED) >> (bit) & 1; \
}										\
static inline void folio_set_##name(struct folio *folio)			\
{										\
	__atomic_or_fetch(&USERMM_FLAGS_OF(&folio->page), 1UL << (bit), __ATOMIC_RELAXED);	\
}										\
static inline void folio_clear_##name(struct folio *folio)			\
{										\
	__atomic_and_fetch(&USERMM_FLAGS_OF(&folio->page), ~(1UL << (bit)), __ATOMIC_RELAXED); \
}

USERMM_PAGE_FLAG(Locked, PG_locked, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Writeback, PG_writeback, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Uptodate, PG_uptodate, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Dirty, PG_dirty, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(LRU, PG_lru, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Workingset, PG_workingset, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Checked, PG_checked, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Reserved, PG_reserved, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Private, PG_private, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Reclaim, PG_reclaim, USERMM_OWN_FLAG)

USERMM_FOLIO_FLAG(locked, PG_locked)
USERMM_FOLIO_FLAG(writeback, PG_writeback)
USERMM_FOLIO_FLAG(referenced, PG_referenced)
USERMM_FOLIO_FLAG(uptodate, PG_uptodate)
USERMM_FOLIO_FLAG(dirty, PG_dirty)
USERMM_FOLIO_FLAG(lru, PG_lru)
USERMM_FOLIO_FLAG(workingset, PG_workingset)
USERMM_FOLIO_FLAG(active, PG_active)
USERMM_FOLIO_FLAG(checked, PG_checked)
USERMM_FOLIO_FLAG(reserved, PG_reserved)
USERMM_FOLIO_FLAG(private, PG_private)
USERMM_FOLIO_FLAG(private_2, PG_private_2)
USERMM_FOLIO_FLAG(mappedtodisk, PG_mappedtodisk)
USERMM_FOLIO_FLAG(reclaim, PG_reclaim)
USERMM_FOLIO_FLAG(swapbacked, PG_swapbacked)
USERMM_FOLIO_FLAG(unevictable, PG_unevictable)

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
USERMM_PAGE_FLAG(Referenced, PG_referenced, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Active, PG_active, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Private2, PG_private_2, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(SwapBacked, PG_swapbacked, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Unevictable, PG_unevictable, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Error, PG_error, USERMM_OWN_FLAG)
USERMM_FOLIO_FLAG(error, PG_error)
#else
USERMM_REMOVED(PageReferenced, "6.12", "folio_test_referenced()")
USERMM_REMOVED(SetPageReferenced, "6.12", "folio_set_referenced()")
USERMM_REMOVED(ClearPageReferenced, "6.12", "folio_clear_referenced()")
USERMM_REMOVED(PageActive, "6.12", "folio_test_active()")
USERMM_REMOVED(SetPageActive, "6.12", "folio_set_active()")
USERMM_REMOVED(ClearPageActive, "6.12", "folio_clear_active()")
USERMM_REMOVED(PagePrivate2, "6.12", "folio_test_private_2()")
USERMM_REMOVED(SetPagePrivate2, "6.12", "folio_set_private_2()")
USERMM_REMOVED(ClearPagePrivate2, "6.12", "folio_clear_private_2()")
USERMM_REMOVED(PageSwapBacked, "6.12", "folio_test_swapbacked()")
USERMM_REMOVED(SetPageSwapBacked, "6.12", "folio_set_swapbacked()")
USERMM_REMOVED(ClearPageSwapBacked, "6.12", "folio_clear_swapbacked()")
USERMM_REMOVED(PageUnevictable, "6.12", "folio_test_unevictable()")
USERMM_REMOVED(SetPageUnevictable, "6.12", "folio_set_unevictable()")
USERMM_REMOVED(ClearPageUnevictable, "6.12", "folio_clear_unevictable()")
USERMM_REMOVED(PageError, "6.12", "mapping_set_error()")
USERMM_REMOVED(SetPageError, "6.12", "mapping_set_error()")
USERMM_REMOVED(ClearPageError, "6.12", "mapping_set_error()")
USERMM_REMOVED(PG_error, "6.12", "mapping_set_error()")
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
USERMM_PAGE_FLAG(MappedToDisk, PG_mappedtodisk, USERMM_OWN_FLAG)
#else
USERMM_REMOVED(PageMappedToDisk, "6.13", "folio_test_mappedtodisk()")
USERMM_REMOVED(SetPageMappedToDisk, "6.13", "folio_set_mappedtodisk()")
USERMM_REMOVED(ClearPageMappedToDisk, "6.13", "folio_clear_mappedtodisk()")
#endif

static inline int PageTail(const struct page *page)
{
	return compound_head(page) != page;
}

static inline int PageHead(const struct page *page)
{
	return !PageTail(page) && PageCompound(page);
}

static inline int PageSlab(const struct page *page)
{
	return __atomic_load_n(&usermm_memmap.slab_caches[page_to_pfn(page)], __ATOMIC_RELAXED) !=
	       NULL;
}

/* A block of kmalloc() that is larger than its caches' objects; up to Linux 6.16 nothing tells. */
static inline int PageLargeKmalloc(const struct page *page)
{
	return __atomic_load_n(&USERMM_FLAGS_OF(page), __ATOMIC_RELAXED) >> 8 & 1;
}

/* The first page of a block on the free lists. */
static inline int PageBuddy(const struct page *page)
{
	return __atomic_load_n(&USERMM_FLAGS_OF(page), __ATOMIC_RELAXED) & 1;
}

/* Is the page part of a block on the free lists? The answer may be outdated. */
bool is_free_buddy_page(const struct page *page) USERMM_API(is_free_buddy_page);

#define folio_mark_uptodate(folio) folio_set_uptodate(folio)
#define PageHighMem(page) ((void)(page), 0)
#define PageAnon(page) ((void)(page), 0)
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define PageTransHuge(page) PageHead(page)
#else
USERMM_REMOVED(PageTransHuge, "7.2", "folio_test_large()")
#endif

#define page_folio(p) ((struct folio *)compound_head(p))
#define folio_page(folio, n) (&(folio)->page + (n))
#define folio_test_large(folio) PageHead(&(folio)->page)
#define folio_test_slab(folio) PageSlab(&(folio)->page)
#define folio_test_large_kmalloc(folio) PageLargeKmalloc(&(folio)->page)

#endif
