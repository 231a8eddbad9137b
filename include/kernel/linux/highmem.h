/* SPDX-License-Identifier: MIT */
/* All memory is mapped, so kmap() is page_address(). */
#ifndef _LINUX_HIGHMEM_H
#define _LINUX_HIGHMEM_H

#include <asm/hardirq.h>
#include <linux/cacheflush.h>
#include <linux/kmsan.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define kmap(page) page_address(page)
#define kunmap(page) ((void)(page))
#define flush_kernel_vmap_range(addr, size) ((void)(addr))
#define invalidate_kernel_vmap_range(addr, size) ((void)(addr))
#define kmap_atomic(page) page_address(page)
#define kunmap_atomic(addr) ((void)(addr))
#define kmap_local_page(page) page_address(page)
#define kmap_local_folio(folio, offset) ((void *)((char *)folio_address(folio) + (offset)))
#define bvec_kmap_local(vec) ((void *)((char *)page_address((vec)->bv_page) + (vec)->bv_offset))
#define kunmap_local(addr) ((void)(addr))
#define clear_highpage(page) clear_page(page_address(page))
#define clear_user_highpage(page, vaddr) ((void)(vaddr), clear_highpage(page))
#define copy_highpage(to, from) copy_page(page_address(to), page_address(from))

static inline void memcpy_from_page(char *to, struct page *page, size_t offset, size_t length)
{
	memcpy(to, (char *)page_address(page) + offset, length);
}

static inline void memcpy_to_page(struct page *page, size_t offset, const char *from,
				  size_t length)
{
	memcpy((char *)page_address(page) + offset, from, length);
}

static inline void memset_page(struct page *page, size_t offset, int value, size_t length)
{
	memset((char *)page_address(page) + offset, value, length);
}

static inline void memzero_page(struct page *page, size_t offset, size_t length)
{
	memset_page(page, offset, 0, length);
}

static inline void memcpy_page(struct page *to, size_t to_offset, struct page *from,
			       size_t from_offset, size_t length)
{
	memcpy((char *)page_address(to) + to_offset, (char *)page_address(from) + from_offset,
	       length);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define zero_user(page, start, size) memzero_page(page, start, size)
#else
USERMM_REMOVED(zero_user, "6.17", "memzero_page()")
#endif
#define zero_user_segment(page, start, end) memzero_page(page, start, (end) - (start))

static inline void zero_user_segments(struct page *page, unsigned int start1, unsigned int end1,
				      unsigned int start2, unsigned int end2)
{
	if (end1 > start1)
		zero_user_segment(page, start1, end1);
	if (end2 > start2)
		zero_user_segment(page, start2, end2);
}

/* A folio's pages are contiguous, so a range is one piece of memory. */
static inline void folio_zero_range(struct folio *folio, size_t start, size_t length)
{
	memset((char *)folio_address(folio) + start, 0, length);
}

#define folio_zero_segment(folio, start, end) folio_zero_range(folio, start, (end) - (start))

static inline void folio_zero_segments(struct folio *folio, size_t start1, size_t end1,
				       size_t start2, size_t end2)
{
	if (end1 > start1)
		folio_zero_segment(folio, start1, end1);
	if (end2 > start2)
		folio_zero_segment(folio, start2, end2);
}

static inline void memcpy_from_folio(char *to, struct folio *folio, size_t offset, size_t length)
{
	memcpy(to, (char *)folio_address(folio) + offset, length);
}

static inline void memcpy_to_folio(struct folio *folio, size_t offset, const char *from,
				   size_t length)
{
	memcpy((char *)folio_address(folio) + offset, from, length);
}

#endif
