/* SPDX-License-Identifier: MIT */
/*
 * What a page is, by the allocator (Head, Tail, Compound, Slab, Buddy), and flags of
 * whoever owns the page. The latter live above the allocator's own bits.
 */
#ifndef _LINUX_PAGE_FLAGS_H
#define _LINUX_PAGE_FLAGS_H

#include <linux/bug.h>
#include <linux/mm_types.h>
#include <linux/mmdebug.h>

enum pageflags {
	PG_locked = 16,
	PG_writeback, PG_referenced, PG_uptodate, PG_dirty, PG_lru, PG_workingset, PG_active,
	PG_owner_priv_1, PG_arch_1, PG_reserved, PG_private, PG_private_2, PG_mappedtodisk,
	PG_reclaim, PG_swapbacked, PG_unevictable, PG_error, __NR_PAGEFLAGS,
	PG_checked = PG_owner_priv_1,
};

#define USERMM_PAGE_FLAG(Name, bit)						\
static inline int Page##Name(const struct page *page)				\
{										\
	return __atomic_load_n(&page->flags, __ATOMIC_RELAXED) >> (bit) & 1;	\
}										\
static inline void SetPage##Name(struct page *page)				\
{										\
	__atomic_or_fetch(&page->flags, 1UL << (bit), __ATOMIC_RELAXED);	\
}										\
static inline void ClearPage##Name(struct page *page)				\
{										\
	__atomic_and_fetch(&page->flags, ~(1UL << (bit)), __ATOMIC_RELAXED);	\
}										\
static inline int TestSetPage##Name(struct page *page)				\
{										\
	return __atomic_fetch_or(&page->flags, 1UL << (bit), __ATOMIC_SEQ_CST) >> (bit) & 1; \
}										\
static inline int TestClearPage##Name(struct page *page)			\
{										\
	return __atomic_fetch_and(&page->flags, ~(1UL << (bit)), __ATOMIC_SEQ_CST) >> (bit) & 1; \
}										\
static inline void __SetPage##Name(struct page *page)				\
{										\
	page->flags |= 1UL << (bit);						\
}										\
static inline void __ClearPage##Name(struct page *page)			\
{										\
	page->flags &= ~(1UL << (bit));						\
}

USERMM_PAGE_FLAG(Locked, PG_locked)
USERMM_PAGE_FLAG(Writeback, PG_writeback)
USERMM_PAGE_FLAG(Referenced, PG_referenced)
USERMM_PAGE_FLAG(Uptodate, PG_uptodate)
USERMM_PAGE_FLAG(Dirty, PG_dirty)
USERMM_PAGE_FLAG(LRU, PG_lru)
USERMM_PAGE_FLAG(Workingset, PG_workingset)
USERMM_PAGE_FLAG(Active, PG_active)
USERMM_PAGE_FLAG(Checked, PG_checked)
USERMM_PAGE_FLAG(Reserved, PG_reserved)
USERMM_PAGE_FLAG(Private, PG_private)
USERMM_PAGE_FLAG(Private2, PG_private_2)
USERMM_PAGE_FLAG(MappedToDisk, PG_mappedtodisk)
USERMM_PAGE_FLAG(Reclaim, PG_reclaim)
USERMM_PAGE_FLAG(SwapBacked, PG_swapbacked)
USERMM_PAGE_FLAG(Unevictable, PG_unevictable)
USERMM_PAGE_FLAG(Error, PG_error)

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
	return __atomic_load_n(&page->slab_cache, __ATOMIC_RELAXED) != NULL;
}

/* The first page of a block on the free lists. */
static inline int PageBuddy(const struct page *page)
{
	return __atomic_load_n(&page->flags, __ATOMIC_RELAXED) & 1;
}

#define PageHighMem(page) ((void)(page), 0)
#define PageAnon(page) ((void)(page), 0)
#define PageTransHuge(page) PageHead(page)

#define page_folio(p) ((struct folio *)compound_head(p))
#define folio_page(folio, n) (&(folio)->page + (n))
#define folio_test_large(folio) PageHead(&(folio)->page)
#define folio_test_slab(folio) PageSlab(&(folio)->page)

#endif
