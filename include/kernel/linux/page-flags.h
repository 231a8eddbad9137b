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
	PG_reclaim, PG_swapbacked, PG_unevictable, PG_error, __NR_PAGEFLAGS,
	PG_checked = PG_owner_priv_1,
};

/* The page that holds a flag: the page itself, or the head of its compound page. */
#define USERMM_OWN_FLAG(page) (page)
#define USERMM_HEAD_FLAG(page) compound_head(page)

#define USERMM_PAGE_FLAG(Name, name, bit, holder)				\
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
	USERMM_FLAGS_OF(holder(page)) &= ~(1UL << (bit));					\
}										\
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

USERMM_PAGE_FLAG(Locked, locked, PG_locked, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Writeback, writeback, PG_writeback, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Referenced, referenced, PG_referenced, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Uptodate, uptodate, PG_uptodate, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Dirty, dirty, PG_dirty, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(LRU, lru, PG_lru, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Workingset, workingset, PG_workingset, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Active, active, PG_active, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Checked, checked, PG_checked, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Reserved, reserved, PG_reserved, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Private, private, PG_private, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Private2, private_2, PG_private_2, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(MappedToDisk, mappedtodisk, PG_mappedtodisk, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(Reclaim, reclaim, PG_reclaim, USERMM_OWN_FLAG)
USERMM_PAGE_FLAG(SwapBacked, swapbacked, PG_swapbacked, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Unevictable, unevictable, PG_unevictable, USERMM_HEAD_FLAG)
USERMM_PAGE_FLAG(Error, error, PG_error, USERMM_OWN_FLAG)

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

#define PageHighMem(page) ((void)(page), 0)
#define PageAnon(page) ((void)(page), 0)
#define PageTransHuge(page) PageHead(page)

#define page_folio(p) ((struct folio *)compound_head(p))
#define folio_page(folio, n) (&(folio)->page + (n))
#define folio_test_large(folio) PageHead(&(folio)->page)
#define folio_test_slab(folio) PageSlab(&(folio)->page)
#define folio_test_large_kmalloc(folio) PageLargeKmalloc(&(folio)->page)

#endif
