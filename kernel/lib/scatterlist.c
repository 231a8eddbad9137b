// SPDX-License-Identifier: MIT
/*
 * Memory in pieces: see linux/scatterlist.h. A table's entries are one array here. The kernel's
 * lib/scatterlist.c beside a module, which chains arrays and takes them from pools, replaces these.
 */
/* The header's function stays in this file, beside the one for modules. */
#define sg_next sg_next_inline
#include <linux/errno.h>
#include <linux/highmem.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
struct scatterlist *usermm_sg_next(struct scatterlist *sg) __asm__("sg_next");

/* For modules of a kernel that has it as a function. */
struct scatterlist *usermm_sg_next(struct scatterlist *sg)
{
	return sg_next(sg);
}
#endif

int sg_nents(struct scatterlist *sg)
{
	int n = 0;

	for (; sg; sg = sg_next(sg))
		n++;
	return n;
}

int sg_nents_for_len(struct scatterlist *sg, u64 len)
{
	u64 total = 0;
	int n = 0;

	if (!len)
		return 0;
	for (; sg; sg = sg_next(sg)) {
		n++;
		total += sg->length;
		if (total >= len)
			return n;
	}
	return -EINVAL;
}

struct scatterlist *sg_last(struct scatterlist *sgl, unsigned int nents)
{
	struct scatterlist *sg, *last = NULL;
	unsigned int i;

	for_each_sg(sgl, sg, nents, i)
		last = sg;
	return last;
}

void sg_init_table(struct scatterlist *sgl, unsigned int nents)
{
	memset(sgl, 0, sizeof(*sgl) * nents);
	sg_init_marker(sgl, nents);
}

void sg_init_one(struct scatterlist *sg, const void *buf, unsigned int buflen)
{
	sg_init_table(sg, 1);
	sg_set_buf(sg, buf, buflen);
}

int sg_alloc_table(struct sg_table *table, unsigned int nents, gfp_t gfp)
{
	*table = (struct sg_table){ .sgl = NULL };
	if (!nents)
		return -EINVAL;
	table->sgl = kmalloc_array(nents, sizeof(*table->sgl), gfp);
	if (!table->sgl)
		return -ENOMEM;
	sg_init_table(table->sgl, nents);
	table->nents = table->orig_nents = nents;
	return 0;
}

void sg_free_table(struct sg_table *table)
{
	kfree(table->sgl);
	*table = (struct sg_table){ .sgl = NULL };
}

/* How many pages from the first on are one piece of at most most bytes. */
static unsigned int run_of_pages(struct page **pages, unsigned int n, unsigned int most)
{
	unsigned int run = 1;

	while (run < n && page_to_pfn(pages[run]) == page_to_pfn(pages[0]) + run &&
	       (run + 1UL) * PAGE_SIZE <= most)
		run++;
	return run;
}

int sg_alloc_table_from_pages_segment(struct sg_table *table, struct page **pages,
				      unsigned int n_pages, unsigned int offset,
				      unsigned long size, unsigned int max_segment, gfp_t gfp)
{
	unsigned int runs = 0, run;
	struct scatterlist *sg;
	int error;

	max_segment = ALIGN_DOWN(max_segment, (unsigned int)PAGE_SIZE);
	if (!max_segment || !n_pages)
		return -EINVAL;
	for (unsigned int i = 0; i < n_pages; i += run, runs++)
		run = run_of_pages(pages + i, n_pages - i, max_segment);
	error = sg_alloc_table(table, runs, gfp);
	if (error)
		return error;
	sg = table->sgl;
	for (unsigned int i = 0; i < n_pages; i += run, sg = sg_next(sg)) {
		run = run_of_pages(pages + i, n_pages - i, max_segment);
		sg_set_page(sg, pages[i],
			    (unsigned int)min(size, run * PAGE_SIZE - offset), offset);
		size -= sg->length;
		offset = 0;
	}
	return 0;
}

struct scatterlist *sgl_alloc(unsigned long long length, gfp_t gfp, unsigned int *nent_p)
{
	unsigned int nents = (unsigned int)DIV_ROUND_UP_ULL(length, PAGE_SIZE), i;
	struct scatterlist *sgl = kmalloc_array(nents ? nents : 1, sizeof(*sgl), gfp), *sg;

	if (!sgl)
		return NULL;
	sg_init_table(sgl, nents ? nents : 1);
	for_each_sg(sgl, sg, nents, i) {
		struct page *page = alloc_page(gfp);

		if (!page) {
			sgl_free(sgl);
			return NULL;
		}
		sg_set_page(sg, page, (unsigned int)min_t(u64, PAGE_SIZE, length), 0);
		length -= sg->length;
	}
	if (nent_p)
		*nent_p = nents;
	return sgl;
}

void sgl_free(struct scatterlist *sgl)
{
	for (struct scatterlist *sg = sgl; sg && sg_page(sg); sg = sg_next(sg))
		__free_page(sg_page(sg));
	kfree(sgl);
}

/* Calls memcpy() or memset() for each part behind skip bytes; returns how many bytes there were. */
static size_t each_part(struct scatterlist *sgl, unsigned int nents, char *buf, size_t left,
			off_t skip, bool to_buffer)
{
	struct scatterlist *sg;
	size_t done = 0;
	unsigned int i;

	for_each_sg(sgl, sg, nents, i) {
		char *at = sg_virt(sg);
		size_t size = sg->length;

		if ((size_t)skip >= size) {
			skip -= (off_t)size;
			continue;
		}
		at += skip;
		size = min(size - (size_t)skip, left - done);
		skip = 0;
		if (!buf)
			memset(at, 0, size);
		else if (to_buffer)
			memcpy(buf + done, at, size);
		else
			memcpy(at, buf + done, size);
		done += size;
		if (done == left)
			break;
	}
	return done;
}

size_t sg_copy_buffer(struct scatterlist *sgl, unsigned int nents, void *buf, size_t buflen,
		      off_t skip, bool to_buffer)
{
	return each_part(sgl, nents, buf, buflen, skip, to_buffer);
}

size_t sg_copy_from_buffer(struct scatterlist *sgl, unsigned int nents, const void *buf,
			   size_t buflen)
{
	return sg_copy_buffer(sgl, nents, (void *)buf, buflen, 0, false);
}

size_t sg_copy_to_buffer(struct scatterlist *sgl, unsigned int nents, void *buf, size_t buflen)
{
	return sg_copy_buffer(sgl, nents, buf, buflen, 0, true);
}

size_t sg_pcopy_from_buffer(struct scatterlist *sgl, unsigned int nents, const void *buf,
			    size_t buflen, off_t skip)
{
	return sg_copy_buffer(sgl, nents, (void *)buf, buflen, skip, false);
}

size_t sg_pcopy_to_buffer(struct scatterlist *sgl, unsigned int nents, void *buf, size_t buflen,
			  off_t skip)
{
	return sg_copy_buffer(sgl, nents, buf, buflen, skip, true);
}

size_t sg_zero_buffer(struct scatterlist *sgl, unsigned int nents, size_t buflen, off_t skip)
{
	return each_part(sgl, nents, NULL, buflen, skip, false);
}

void __sg_page_iter_start(struct sg_page_iter *piter, struct scatterlist *sglist,
			  unsigned int nents, unsigned long pgoffset)
{
	*piter = (struct sg_page_iter){
		.sg = sglist, .sg_pgoffset = (unsigned int)pgoffset, .__nents = nents,
	};
}

static bool next_page(struct sg_page_iter *piter, bool dma)
{
	if (!piter->__nents || !piter->sg)
		return false;
	piter->sg_pgoffset += (unsigned int)piter->__pg_advance;
	piter->__pg_advance = 1;
	for (;;) {
		unsigned int size = dma ? piter->sg->dma_length : piter->sg->length;
		unsigned int pages = PAGE_ALIGN(piter->sg->offset + size) >> PAGE_SHIFT;

		if (piter->sg_pgoffset < pages)
			return true;
		piter->sg_pgoffset -= pages;
		piter->sg = sg_next(piter->sg);
		if (!--piter->__nents || !piter->sg)
			return false;
	}
}

bool __sg_page_iter_next(struct sg_page_iter *piter)
{
	return next_page(piter, false);
}

bool __sg_page_iter_dma_next(struct sg_dma_page_iter *dma_iter)
{
	return next_page(&dma_iter->base, true);
}

void sg_miter_start(struct sg_mapping_iter *miter, struct scatterlist *sgl, unsigned int nents,
		    unsigned int flags)
{
	*miter = (struct sg_mapping_iter){ .__flags = flags };
	__sg_page_iter_start(&miter->piter, sgl, nents, 0);
}

/* If the last piece was not consumed whole, its rest comes first. */
bool sg_miter_next(struct sg_mapping_iter *miter)
{
	sg_miter_stop(miter);
	if (!miter->__remaining) {
		struct scatterlist *sg;

		if (!__sg_page_iter_next(&miter->piter))
			return false;
		sg = miter->piter.sg;
		miter->__offset = miter->piter.sg_pgoffset ? 0 : sg->offset;
		miter->__remaining = (unsigned int)min_t(size_t, PAGE_SIZE - miter->__offset,
			sg->offset + sg->length - (miter->piter.sg_pgoffset << PAGE_SHIFT) -
			miter->__offset);
	}
	miter->page = sg_page_iter_page(&miter->piter);
	miter->addr = (char *)page_address(miter->page) + miter->__offset;
	miter->consumed = miter->length = miter->__remaining;
	return true;
}

bool sg_miter_skip(struct sg_mapping_iter *miter, off_t offset)
{
	sg_miter_stop(miter);
	while (offset) {
		size_t consumed;

		if (!sg_miter_next(miter))
			return false;
		consumed = min_t(size_t, (size_t)offset, miter->length);
		miter->consumed = consumed;
		offset -= (off_t)consumed;
		sg_miter_stop(miter);
	}
	return true;
}

void sg_miter_stop(struct sg_mapping_iter *miter)
{
	if (!miter->addr)
		return;
	miter->__offset += (unsigned int)miter->consumed;
	miter->__remaining -= (unsigned int)miter->consumed;
	miter->page = NULL;
	miter->addr = NULL;
	miter->length = miter->consumed = 0;
}
