/* SPDX-License-Identifier: MIT */
/*
 * Reference counts. These functions act on the page given; page_count(), get_page() and put_page()
 * act on its compound head.
 */
#ifndef _LINUX_PAGE_REF_H
#define _LINUX_PAGE_REF_H

#include <linux/mm_types.h>
#include <linux/page-flags-layout.h>
#include <linux/page-flags.h>

/* Replaces usermm's own function of this name, which acts on the head. */
static inline int usermm_page_own_count(const struct page *page)
{
	return __atomic_load_n(&page->_refcount, __ATOMIC_RELAXED);
}
#define page_ref_count(page) usermm_page_own_count(page)

static inline int page_count(const struct page *page)
{
	return page_ref_count(compound_head(page));
}

static inline void set_page_count(struct page *page, int count)
{
	__atomic_store_n(&page->_refcount, count, __ATOMIC_RELAXED);
}

static inline void init_page_count(struct page *page)
{
	set_page_count(page, 1);
}

/* Returns the new count. */
static inline int usermm_page_ref_change(struct page *page, int nr)
{
	return __atomic_add_fetch(&page->_refcount, nr, __ATOMIC_SEQ_CST);
}

static inline void page_ref_add(struct page *page, int nr)
{
	__atomic_add_fetch(&page->_refcount, nr, __ATOMIC_RELAXED);
}

static inline void page_ref_sub(struct page *page, int nr)
{
	__atomic_sub_fetch(&page->_refcount, nr, __ATOMIC_RELAXED);
}

#define page_ref_inc(page) page_ref_add(page, 1)
#define page_ref_dec(page) page_ref_sub(page, 1)
#define page_ref_inc_return(page) usermm_page_ref_change(page, 1)
#define page_ref_dec_return(page) usermm_page_ref_change(page, -1)
#define page_ref_dec_and_test(page) (!usermm_page_ref_change(page, -1))
#define page_ref_sub_and_test(page, nr) (!usermm_page_ref_change(page, -(nr)))
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define page_ref_sub_return(page, nr) usermm_page_ref_change(page, -(nr))
#else
USERMM_REMOVED(page_ref_sub_return, "6.12", "page_ref_sub_and_test()")
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
static inline bool page_ref_add_unless_zero(struct page *page, int nr)
{
	return page_ref_add_unless(page, nr, 0);
}

#define folio_ref_add_unless_zero(folio, nr) page_ref_add_unless_zero(&(folio)->page, nr)
#define page_ref_add_unless usermm_removed_page_ref_add_unless
USERMM_REMOVED(page_ref_add_unless, "7.2", "page_ref_add_unless_zero()")
#endif

static inline bool page_ref_freeze(struct page *page, int count)
{
	return __atomic_compare_exchange_n(&page->_refcount, &count, 0, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static inline void page_ref_unfreeze(struct page *page, int count)
{
	__atomic_store_n(&page->_refcount, count, __ATOMIC_RELEASE);
}

#define folio_ref_count(folio) page_ref_count(&(folio)->page)
#define folio_ref_add(folio, nr) page_ref_add(&(folio)->page, nr)
#define folio_ref_sub(folio, nr) page_ref_sub(&(folio)->page, nr)
#define folio_ref_inc(folio) page_ref_inc(&(folio)->page)
#define folio_ref_dec(folio) page_ref_dec(&(folio)->page)

#endif
