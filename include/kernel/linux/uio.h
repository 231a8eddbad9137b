/* SPDX-License-Identifier: MIT */
/*
 * Iterators over memory in pieces. There is no user memory apart from the module's own, so taking
 * the pages of user memory fails with -EFAULT.
 */
#ifndef __LINUX_UIO_H
#define __LINUX_UIO_H

#include <linux/bug.h>
#include <linux/bvec.h>
#include <linux/errno.h>
#include <linux/folio_queue.h>
#include <linux/mm.h>
#include <linux/page-flags-layout.h>
#include <linux/xarray.h>
#include <usermm/compiler.h>

typedef unsigned int __bitwise iov_iter_extraction_t;
#define ITER_ALLOW_P2PDMA ((__force iov_iter_extraction_t)0x01)

/* The system's structure, for sources that include both headers. */
#if !defined(__iovec_defined) && !defined(__DEFINED_struct_iovec)
#define __iovec_defined 1		/* glibc's */
#define __DEFINED_struct_iovec		/* musl's */
struct iovec {
	void __user *iov_base;
	size_t iov_len;
};
#endif

struct kvec {
	void *iov_base;
	size_t iov_len;
};

enum iter_type {
	ITER_UBUF,
	ITER_IOVEC,
	ITER_BVEC,
	ITER_KVEC,
	ITER_FOLIOQ,
	ITER_XARRAY,
	ITER_DISCARD,
};

#define ITER_SOURCE 1
#define ITER_DEST 0

struct iov_iter {
	u8 iter_type;
	bool nofault;
	bool data_source;
	size_t iov_offset;	/* offset in the first piece, or from xarray_start on */
	union {
		const struct iovec *__iov;
		const struct kvec *kvec;
		const struct bio_vec *bvec;
		const struct folio_queue *folioq;
		struct xarray *xarray;
		void __user *ubuf;
	};
	size_t count;		/* bytes left */
	union {
		unsigned long nr_segs;
		u8 folioq_slot;
		loff_t xarray_start;
	};
};

USERMM_BEGIN_DECLS

void iov_iter_advance(struct iov_iter *iter, size_t bytes) USERMM_API(iov_iter_advance);
/*
 * Copy to the iterator's pieces, and from them, and advance it. They return how many bytes were
 * copied. A piece of the calling program's memory that cannot be reached ends the copy. Iterators
 * of the kinds ITER_FOLIOQ and ITER_XARRAY are not supported: 0.
 */
size_t copy_to_iter(const void *from, size_t bytes, struct iov_iter *iter)
	USERMM_API(copy_to_iter);
size_t copy_from_iter(void *to, size_t bytes, struct iov_iter *iter) USERMM_API(copy_from_iter);
size_t iov_iter_zero(size_t bytes, struct iov_iter *iter) USERMM_API(iov_iter_zero);
/* Defined in the kernel's lib/scatterlist.c. */
struct sg_table;
ssize_t extract_iter_to_sg(struct iov_iter *iter, size_t maxsize, struct sg_table *table,
			   unsigned int sg_max, iov_iter_extraction_t flags);

USERMM_END_DECLS

#define usermm_iter(kind, direction, bytes, ...)			\
	((struct iov_iter){ .iter_type = (kind), .data_source = (direction), \
			    .count = (bytes), __VA_ARGS__ })

static inline void iov_iter_kvec(struct iov_iter *iter, unsigned int direction,
				 const struct kvec *kvec, unsigned long nr_segs, size_t count)
{
	*iter = usermm_iter(ITER_KVEC, direction, count, .kvec = kvec, .nr_segs = nr_segs);
}

static inline void iov_iter_bvec(struct iov_iter *iter, unsigned int direction,
				 const struct bio_vec *bvec, unsigned long nr_segs, size_t count)
{
	*iter = usermm_iter(ITER_BVEC, direction, count, .bvec = bvec, .nr_segs = nr_segs);
}

static inline void iov_iter_folio_queue(struct iov_iter *iter, unsigned int direction,
					const struct folio_queue *folioq, unsigned int slot,
					unsigned int offset, size_t count)
{
	*iter = usermm_iter(ITER_FOLIOQ, direction, count, .folioq = folioq,
			    .folioq_slot = (u8)slot, .iov_offset = offset);
}

static inline void iov_iter_xarray(struct iov_iter *iter, unsigned int direction,
				   struct xarray *xarray, loff_t start, size_t count)
{
	*iter = usermm_iter(ITER_XARRAY, direction, count, .xarray = xarray,
			    .xarray_start = start);
}

static inline void iov_iter_ubuf(struct iov_iter *iter, unsigned int direction, void __user *buf,
				 size_t count)
{
	*iter = usermm_iter(ITER_UBUF, direction, count, .ubuf = buf, .nr_segs = 1);
}

static inline void iov_iter_discard(struct iov_iter *iter, unsigned int direction, size_t count)
{
	*iter = usermm_iter(ITER_DISCARD, direction, count);
}

/* The caller's pieces, of `count` bytes in all. */
static inline void iov_iter_init(struct iov_iter *iter, unsigned int direction,
				 const struct iovec *iov, unsigned long nr_segs, size_t count)
{
	*iter = usermm_iter(ITER_IOVEC, direction, count, .__iov = iov, .nr_segs = nr_segs);
}

static inline enum iter_type iov_iter_type(const struct iov_iter *iter)
{
	return (enum iter_type)iter->iter_type;
}

static inline size_t iov_iter_count(const struct iov_iter *iter)
{
	return iter->count;
}

static inline unsigned char iov_iter_rw(const struct iov_iter *iter)
{
	return iter->data_source;
}

#define iter_is_ubuf(iter) (iov_iter_type(iter) == ITER_UBUF)
#define iter_is_iovec(iter) (iov_iter_type(iter) == ITER_IOVEC)
#define iov_iter_is_kvec(iter) (iov_iter_type(iter) == ITER_KVEC)
#define iov_iter_is_bvec(iter) (iov_iter_type(iter) == ITER_BVEC)
#define iov_iter_is_discard(iter) (iov_iter_type(iter) == ITER_DISCARD)
#define iov_iter_is_folioq(iter) (iov_iter_type(iter) == ITER_FOLIOQ)
#define iov_iter_is_xarray(iter) (iov_iter_type(iter) == ITER_XARRAY)
#define user_backed_iter(iter) (iter_is_ubuf(iter) || iter_is_iovec(iter))
#define iov_iter_extract_will_pin(iter) user_backed_iter(iter)

static inline void iov_iter_truncate(struct iov_iter *iter, u64 count)
{
	if (iter->count > count)
		iter->count = count;
}

/* Returns whether all was copied. If not, the iterator stays where it was. */
static inline bool usermm_all_or_nothing(size_t copied, size_t bytes, struct iov_iter *iter,
					 struct iov_iter before)
{
	if (copied != bytes)
		*iter = before;
	return copied == bytes;
}

static inline bool copy_to_iter_full(const void *from, size_t bytes, struct iov_iter *iter)
{
	struct iov_iter before = *iter;

	return usermm_all_or_nothing(copy_to_iter(from, bytes, iter), bytes, iter, before);
}

static inline bool copy_from_iter_full(void *to, size_t bytes, struct iov_iter *iter)
{
	struct iov_iter before = *iter;

	return usermm_all_or_nothing(copy_from_iter(to, bytes, iter), bytes, iter, before);
}

#define copy_page_to_iter(page, offset, bytes, iter) \
	copy_to_iter((char *)page_address(page) + (offset), bytes, iter)
#define copy_page_from_iter(page, offset, bytes, iter) \
	copy_from_iter((char *)page_address(page) + (offset), bytes, iter)

static inline ssize_t iov_iter_extract_pages(struct iov_iter *iter, struct page ***pages,
					     size_t maxsize, unsigned int maxpages,
					     iov_iter_extraction_t flags, size_t *offset)
{
	(void)iter, (void)pages, (void)maxsize, (void)maxpages, (void)flags, (void)offset;
	return -EFAULT;
}

#endif
