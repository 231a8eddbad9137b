/* SPDX-License-Identifier: MIT */
/*
 * Scatter lists: arrays of pieces of memory. An array's last entry may lead to another array. The
 * two lowest bits of page_link tell the kind of an entry. Chained tables (__sg_alloc_table(),
 * sg_alloc_table_chained()), appending and splitting are in the kernel's lib/scatterlist.c,
 * lib/sg_pool.c and lib/sg_split.c, which a module may include as sources of its own: see
 * docs/kernel-tests.md.
 */
#ifndef _LINUX_SCATTERLIST_H
#define _LINUX_SCATTERLIST_H

#include <asm/io.h>
#include <linux/bug.h>
#include <linux/fs.h>
#include <linux/huge_mm.h>
#include <linux/kobject.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/types.h>

struct scatterlist {
	unsigned long page_link;
	unsigned int offset;
	unsigned int length;
	dma_addr_t dma_address;
	unsigned int dma_length;
};

struct sg_table {
	struct scatterlist *sgl;
	unsigned int nents;		/* mapped entries */
	unsigned int orig_nents;	/* entries in the list */
};

struct sg_append_table {
	struct sg_table sgt;
	struct scatterlist *prv;	/* the last filled entry */
	unsigned int total_nents;
};

#define SG_CHAIN 0x01UL		/* the entry leads to another array */
#define SG_END 0x02UL		/* the last entry */
#define SG_PAGE_LINK_MASK (SG_CHAIN | SG_END)
#define SG_MAX_SINGLE_ALLOC (PAGE_SIZE / sizeof(struct scatterlist))
#define SG_CHUNK_SIZE 128	/* entries in a pool's array */
#define SG_MAX_SEGMENTS 2048

#define sg_dma_address(sg) ((sg)->dma_address)
#define sg_dma_len(sg) ((sg)->dma_length)

static inline unsigned int __sg_flags(struct scatterlist *sg)
{
	return sg->page_link & SG_PAGE_LINK_MASK;
}

static inline bool sg_is_chain(struct scatterlist *sg)
{
	return sg->page_link & SG_CHAIN;
}

static inline bool sg_is_last(struct scatterlist *sg)
{
	return sg->page_link & SG_END;
}

static inline struct scatterlist *sg_chain_ptr(struct scatterlist *sg)
{
	return (struct scatterlist *)(sg->page_link & ~SG_PAGE_LINK_MASK);
}

static inline struct page *sg_page(struct scatterlist *sg)
{
	return (struct page *)(sg->page_link & ~SG_PAGE_LINK_MASK);
}

static inline void sg_assign_page(struct scatterlist *sg, struct page *page)
{
	BUG_ON((unsigned long)page & SG_PAGE_LINK_MASK);
	sg->page_link = __sg_flags(sg) | (unsigned long)page;
}

static inline void sg_set_page(struct scatterlist *sg, struct page *page, unsigned int len,
			       unsigned int offset)
{
	sg_assign_page(sg, page);
	sg->offset = offset;
	sg->length = len;
}

static inline void sg_set_folio(struct scatterlist *sg, struct folio *folio, size_t len,
				size_t offset)
{
	WARN_ON_ONCE(len > UINT_MAX);
	WARN_ON_ONCE(offset > UINT_MAX);
	sg_set_page(sg, &folio->page, (unsigned int)len, (unsigned int)offset);
}

static inline void sg_set_buf(struct scatterlist *sg, const void *buf, unsigned int buflen)
{
	sg_set_page(sg, virt_to_page(buf), buflen, offset_in_page(buf));
}

static inline void __sg_chain(struct scatterlist *chain_sg, struct scatterlist *sgl)
{
	chain_sg->offset = chain_sg->length = 0;
	chain_sg->page_link = ((unsigned long)sgl | SG_CHAIN) & ~SG_END;
}

/* Makes the last entry of the array lead to sgl. */
static inline void sg_chain(struct scatterlist *prv, unsigned int prv_nents,
			    struct scatterlist *sgl)
{
	__sg_chain(&prv[prv_nents - 1], sgl);
}

static inline void sg_mark_end(struct scatterlist *sg)
{
	sg->page_link = (sg->page_link | SG_END) & ~SG_CHAIN;
}

static inline void sg_unmark_end(struct scatterlist *sg)
{
	sg->page_link &= ~SG_END;
}

static inline void sg_init_marker(struct scatterlist *sgl, unsigned int nents)
{
	sg_mark_end(&sgl[nents - 1]);
}

static inline dma_addr_t sg_phys(struct scatterlist *sg)
{
	return page_to_phys(sg_page(sg)) + sg->offset;
}

static inline void *sg_virt(struct scatterlist *sg)
{
	return (char *)page_address(sg_page(sg)) + sg->offset;
}

/* There are no bus addresses and no bounce buffers. */
#define sg_dma_is_bus_address(sg) ((void)(sg), false)
#define sg_dma_mark_bus_address(sg) ((void)(sg))
#define sg_dma_unmark_bus_address(sg) ((void)(sg))
#define sg_dma_is_swiotlb(sg) ((void)(sg), false)
#define sg_dma_mark_swiotlb(sg) ((void)(sg))

typedef struct scatterlist *(sg_alloc_fn)(unsigned int, gfp_t);
typedef void (sg_free_fn)(struct scatterlist *, unsigned int);

/* Up to Linux 6.18 it is in lib/scatterlist.c. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
struct scatterlist *sg_next(struct scatterlist *sg);
#else
static inline struct scatterlist *sg_next(struct scatterlist *sg)
{
	if (sg_is_last(sg))
		return NULL;
	sg++;
	return sg_is_chain(sg) ? sg_chain_ptr(sg) : sg;
}
#endif
struct scatterlist *sg_last(struct scatterlist *sgl, unsigned int nents);
int sg_nents(struct scatterlist *sg);
int sg_nents_for_len(struct scatterlist *sg, u64 len);
void sg_init_table(struct scatterlist *sgl, unsigned int nents);
void sg_init_one(struct scatterlist *sg, const void *buf, unsigned int buflen);
int sg_split(struct scatterlist *in, const int in_mapped_nents, const off_t skip,
	     const int nb_splits, const size_t *split_sizes, struct scatterlist **out,
	     int *out_mapped_nents, gfp_t gfp);

int __sg_alloc_table(struct sg_table *table, unsigned int nents, unsigned int max_ents,
		     struct scatterlist *first_chunk, unsigned int nents_first_chunk, gfp_t gfp,
		     sg_alloc_fn *alloc);
int sg_alloc_table(struct sg_table *table, unsigned int nents, gfp_t gfp);
void __sg_free_table(struct sg_table *table, unsigned int max_ents,
		     unsigned int nents_first_chunk, sg_free_fn *free, unsigned int num_ents);
void sg_free_table(struct sg_table *table);
void sg_free_append_table(struct sg_append_table *table);
int sg_alloc_append_table_from_pages(struct sg_append_table *table, struct page **pages,
				     unsigned int n_pages, unsigned int offset,
				     unsigned long size, unsigned int max_segment,
				     unsigned int left_pages, gfp_t gfp);
int sg_alloc_table_from_pages_segment(struct sg_table *table, struct page **pages,
				      unsigned int n_pages, unsigned int offset,
				      unsigned long size, unsigned int max_segment, gfp_t gfp);

static inline int sg_alloc_table_from_pages(struct sg_table *table, struct page **pages,
					    unsigned int n_pages, unsigned int offset,
					    unsigned long size, gfp_t gfp)
{
	return sg_alloc_table_from_pages_segment(table, pages, n_pages, offset, size, UINT_MAX,
						 gfp);
}

struct scatterlist *sgl_alloc_order(unsigned long long length, unsigned int order,
				    bool chainable, gfp_t gfp, unsigned int *nent_p);
struct scatterlist *sgl_alloc(unsigned long long length, gfp_t gfp, unsigned int *nent_p);
void sgl_free_n_order(struct scatterlist *sgl, int nents, int order);
void sgl_free_order(struct scatterlist *sgl, int order);
void sgl_free(struct scatterlist *sgl);

/* Tables whose arrays come from pools. */
int sg_alloc_table_chained(struct sg_table *table, int nents, struct scatterlist *first_chunk,
			   unsigned int nents_first_chunk);
void sg_free_table_chained(struct sg_table *table, unsigned int nents_first_chunk);

size_t sg_copy_buffer(struct scatterlist *sgl, unsigned int nents, void *buf, size_t buflen,
		      off_t skip, bool to_buffer);
size_t sg_copy_from_buffer(struct scatterlist *sgl, unsigned int nents, const void *buf,
			   size_t buflen);
size_t sg_copy_to_buffer(struct scatterlist *sgl, unsigned int nents, void *buf, size_t buflen);
size_t sg_pcopy_from_buffer(struct scatterlist *sgl, unsigned int nents, const void *buf,
			    size_t buflen, off_t skip);
size_t sg_pcopy_to_buffer(struct scatterlist *sgl, unsigned int nents, void *buf, size_t buflen,
			  off_t skip);
size_t sg_zero_buffer(struct scatterlist *sgl, unsigned int nents, size_t buflen, off_t skip);

#define for_each_sg(sglist, sg, nr, i) \
	for (i = 0, sg = (sglist); i < (nr); i++, sg = sg_next(sg))
#define for_each_sgtable_sg(table, sg, i) for_each_sg((table)->sgl, sg, (table)->orig_nents, i)
#define for_each_sgtable_dma_sg(table, sg, i) for_each_sg((table)->sgl, sg, (table)->nents, i)

/* Iterates page by page. */
struct sg_page_iter {
	struct scatterlist *sg;
	unsigned int sg_pgoffset;	/* page within the entry */
	unsigned int __nents;		/* entries left */
	int __pg_advance;		/* pages that the next step advances */
};

struct sg_dma_page_iter {
	struct sg_page_iter base;
};

bool __sg_page_iter_next(struct sg_page_iter *piter);
bool __sg_page_iter_dma_next(struct sg_dma_page_iter *dma_iter);
void __sg_page_iter_start(struct sg_page_iter *piter, struct scatterlist *sglist,
			  unsigned int nents, unsigned long pgoffset);

static inline struct page *sg_page_iter_page(struct sg_page_iter *piter)
{
	return sg_page(piter->sg) + piter->sg_pgoffset;
}

static inline dma_addr_t sg_page_iter_dma_address(struct sg_dma_page_iter *dma_iter)
{
	return sg_dma_address(dma_iter->base.sg) +
	       ((dma_addr_t)dma_iter->base.sg_pgoffset << PAGE_SHIFT);
}

#define for_each_sg_page(sglist, piter, nents, pgoffset)		\
	for (__sg_page_iter_start(piter, sglist, nents, pgoffset);	\
	     __sg_page_iter_next(piter);)
#define for_each_sg_dma_page(sglist, dma_iter, dma_nents, pgoffset)	\
	for (__sg_page_iter_start(&(dma_iter)->base, sglist, dma_nents, pgoffset); \
	     __sg_page_iter_dma_next(dma_iter);)
#define for_each_sgtable_page(table, piter, pgoffset) \
	for_each_sg_page((table)->sgl, piter, (table)->orig_nents, pgoffset)
#define for_each_sgtable_dma_page(table, dma_iter, pgoffset) \
	for_each_sg_dma_page((table)->sgl, dma_iter, (table)->nents, pgoffset)

/* Flags of an iterator that maps each page. */
#define SG_MITER_ATOMIC (1 << 0)
#define SG_MITER_TO_SG (1 << 1)
#define SG_MITER_FROM_SG (1 << 2)
#define SG_MITER_LOCAL (1 << 3)

struct sg_mapping_iter {
	struct page *page;
	void *addr;
	size_t length;
	size_t consumed;
	struct sg_page_iter piter;
	unsigned int __offset;
	unsigned int __remaining;
	unsigned int __flags;
};

void sg_miter_start(struct sg_mapping_iter *miter, struct scatterlist *sgl, unsigned int nents,
		    unsigned int flags);
bool sg_miter_skip(struct sg_mapping_iter *miter, off_t offset);
bool sg_miter_next(struct sg_mapping_iter *miter);
void sg_miter_stop(struct sg_mapping_iter *miter);

#endif
