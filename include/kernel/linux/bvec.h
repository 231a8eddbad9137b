/* SPDX-License-Identifier: MIT */
/* Pieces of memory, given by first page, offset and length. */
#ifndef __LINUX_BVEC_H
#define __LINUX_BVEC_H

#include <linux/bug.h>
#include <linux/highmem.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/types.h>

struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len;
	unsigned int bv_offset;
};

static inline void bvec_set_page(struct bio_vec *bv, struct page *page, unsigned int len,
				 unsigned int offset)
{
	*bv = (struct bio_vec){ .bv_page = page, .bv_len = len, .bv_offset = offset };
}

static inline void bvec_set_folio(struct bio_vec *bv, struct folio *folio, size_t len,
				  size_t offset)
{
	WARN_ON_ONCE(len > UINT_MAX);
	bvec_set_page(bv, folio_page(folio, offset / PAGE_SIZE), (unsigned int)len,
		      (unsigned int)(offset % PAGE_SIZE));
}

static inline void bvec_set_virt(struct bio_vec *bv, void *addr, unsigned int len)
{
	bvec_set_page(bv, virt_to_page(addr), len, (unsigned int)offset_in_page(addr));
}

static inline void *bvec_virt(struct bio_vec *bv)
{
	return (char *)page_address(bv->bv_page) + bv->bv_offset;
}

static inline phys_addr_t bvec_phys(const struct bio_vec *bv)
{
	return page_to_phys(bv->bv_page) + bv->bv_offset;
}

static inline void memcpy_from_bvec(char *to, struct bio_vec *bv)
{
	memcpy(to, bvec_virt(bv), bv->bv_len);
}

static inline void memcpy_to_bvec(struct bio_vec *bv, const char *from)
{
	memcpy(bvec_virt(bv), from, bv->bv_len);
}

static inline void memzero_bvec(struct bio_vec *bv)
{
	memset(bvec_virt(bv), 0, bv->bv_len);
}

#endif
