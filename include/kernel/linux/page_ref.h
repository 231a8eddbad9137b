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

static inline int page_ref_add_return(struct page *page, int nr)
{
	return __atomic_add_fetch(&page->_refcount, nr, __ATOMIC_SEQ_CST);
}

static inline int page_ref_sub_return(struct page *page, int nr)
{
	return __atomic_sub_fetch(&page->_refcount, nr, __ATOMIC_SEQ_CST);
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
#define page_ref_inc_return(page) page_ref_add_return(page, 1)
#define page_ref_dec_return(page) page_ref_sub_return(page, 1)
#define page_ref_dec_and_test(page) (!page_ref_sub_return(page, 1))
#define page_ref_sub_and_test(page, nr) (!page_ref_sub_return(page, nr))

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
