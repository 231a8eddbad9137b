/* SPDX-License-Identifier: MIT */
/* Pieces of input and output. A bio of a module's own goes to the disk that it names. */
#ifndef __LINUX_BIO_H
#define __LINUX_BIO_H

#include <linux/blk_types.h>
#include <linux/mempool.h>
#include <linux/slab.h>
#include <usermm/compiler.h>

#define BIO_MAX_VECS 256U
#define BIO_MAX_PAGES BIO_MAX_VECS

struct bio_set {
	unsigned int front_pad;
};
#define BIOSET_NEED_BVECS 1

USERMM_BEGIN_DECLS

/* With one reference. NULL without memory, or if n is more than BIO_MAX_VECS. */
struct bio *usermm_bio_alloc(struct block_device *bdev, unsigned short n, blk_opf_t operation,
			     gfp_t gfp) __attribute__((visibility("default")));
void bio_put(struct bio *bio) USERMM_API(bio_put);
/* The bytes that were added: n, or 0 if there is no room. */
int bio_add_page(struct bio *bio, struct page *page, unsigned int n, unsigned int offset)
	USERMM_API(bio_add_page);
void bio_endio(struct bio *bio) USERMM_API(bio_endio);
/* Ends with -EIO if the disk has no function for it. */
void submit_bio(struct bio *bio) USERMM_API(submit_bio);
int submit_bio_wait(struct bio *bio) USERMM_API(submit_bio_wait);
int blk_status_to_errno(blk_status_t status) USERMM_API(blk_status_to_errno);
blk_status_t errno_to_blk_status(int error) USERMM_API(errno_to_blk_status);

USERMM_END_DECLS

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define bio_alloc(bdev, n, operation, gfp) usermm_bio_alloc(bdev, n, operation, gfp)
#else
#define bio_alloc(gfp, n) usermm_bio_alloc(NULL, n, 0, gfp)
#endif
#define submit_bio_noacct(bio) submit_bio(bio)
#define bio_get(bio) ((void)atomic_inc(&(bio)->__bi_cnt))
#define bio_data_dir(bio) (op_is_write((bio)->bi_opf) ? WRITE : READ)
#define bio_sectors(bio) ((bio)->bi_iter.bi_size >> SECTOR_SHIFT)
#define bio_end_sector(bio) ((bio)->bi_iter.bi_sector + bio_sectors(bio))
#define bio_set_dev(bio, bdev) ((void)((bio)->bi_bdev = (bdev)))
#define bio_io_error(bio) ((void)((bio)->bi_status = BLK_STS_IOERR), bio_endio(bio))
#define bio_has_data(bio) ((bio)->bi_iter.bi_size != 0)
#define bioset_init(set, size, pad, flags) \
	((void)(set), (void)(size), (void)(pad), (void)(flags), 0)
#define bioset_exit(set) ((void)(set))

static inline struct bio_vec bio_iter_iovec(const struct bio *bio, struct bvec_iter iter)
{
	struct bio_vec vec = bio->bi_io_vec[iter.bi_idx];

	vec.bv_offset += iter.bi_bvec_done;
	vec.bv_len = min(vec.bv_len - iter.bi_bvec_done, iter.bi_size);
	return vec;
}

static inline void bio_advance_iter_single(const struct bio *bio, struct bvec_iter *iter,
					   unsigned int n)
{
	iter->bi_size -= n;
	iter->bi_bvec_done += n;
	iter->bi_sector += n >> SECTOR_SHIFT;
	if (iter->bi_bvec_done == bio->bi_io_vec[iter->bi_idx].bv_len) {
		iter->bi_bvec_done = 0;
		iter->bi_idx++;
	}
}

#define __bio_for_each_segment(vec, bio, iter, start)			\
	for (iter = (start); (iter).bi_size &&				\
	     ((vec = bio_iter_iovec(bio, iter)), 1);			\
	     bio_advance_iter_single(bio, &(iter), (vec).bv_len))
#define bio_for_each_segment(vec, bio, iter) \
	__bio_for_each_segment(vec, bio, iter, (bio)->bi_iter)
#define bio_for_each_bvec(vec, bio, iter) bio_for_each_segment(vec, bio, iter)
/* Of what is left, as bio_for_each_segment() sees it. */
static inline unsigned int bio_segments(struct bio *bio)
{
	unsigned int segments = 0;
	struct bio_vec vec;
	struct bvec_iter iter;

	bio_for_each_segment(vec, bio, iter)
		segments++;
	return segments;
}

/* Fills what the iterator has not passed yet, or all that is left, with zeros. */
static inline void zero_fill_bio_iter(struct bio *bio, struct bvec_iter start)
{
	struct bvec_iter iter;
	struct bio_vec vec;

	__bio_for_each_segment(vec, bio, iter, start)
		memzero_bvec(&vec);
}

static inline void zero_fill_bio(struct bio *bio)
{
	zero_fill_bio_iter(bio, bio->bi_iter);
}

#define bio_page(bio) (bio_iter_iovec(bio, (bio)->bi_iter).bv_page)
#define bio_offset(bio) (bio_iter_iovec(bio, (bio)->bi_iter).bv_offset)
#define bio_cur_bytes(bio) (bio_iter_iovec(bio, (bio)->bi_iter).bv_len)

#endif
