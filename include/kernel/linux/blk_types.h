/* SPDX-License-Identifier: MIT */
/* Requests to block devices. */
#ifndef __LINUX_BLK_TYPES_H
#define __LINUX_BLK_TYPES_H

#include <linux/bvec.h>
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/types.h>

#ifndef SECTOR_SHIFT
#define SECTOR_SHIFT 9
#define SECTOR_SIZE (1 << SECTOR_SHIFT)
#endif
#define PAGE_SECTORS_SHIFT (PAGE_SHIFT - SECTOR_SHIFT)
#define PAGE_SECTORS (1 << PAGE_SECTORS_SHIFT)

typedef u8 blk_status_t;
#define BLK_STS_OK 0
#define BLK_STS_NOTSUPP ((blk_status_t)1)
#define BLK_STS_TIMEOUT ((blk_status_t)2)
#define BLK_STS_NOSPC ((blk_status_t)3)
#define BLK_STS_TRANSPORT ((blk_status_t)4)
#define BLK_STS_TARGET ((blk_status_t)5)
#define BLK_STS_MEDIUM ((blk_status_t)7)
#define BLK_STS_RESOURCE ((blk_status_t)9)
#define BLK_STS_IOERR ((blk_status_t)10)
#define BLK_STS_AGAIN ((blk_status_t)12)
#define BLK_STS_DEV_RESOURCE ((blk_status_t)13)

typedef u32 blk_opf_t;
typedef unsigned int blk_qc_t;
typedef u32 blk_mode_t;
#define BLK_QC_T_NONE (-1U)
#define BLK_OPEN_READ (1u << 0)
#define BLK_OPEN_WRITE (1u << 1)
#define BLK_OPEN_EXCL (1u << 2)

enum req_op {
	REQ_OP_READ = 0, REQ_OP_WRITE = 1, REQ_OP_FLUSH = 2, REQ_OP_DISCARD = 3,
	REQ_OP_SECURE_ERASE = 5, REQ_OP_WRITE_ZEROES = 9, REQ_OP_DRV_IN = 34, REQ_OP_DRV_OUT = 35,
};
#define REQ_OP_BITS 8
#define REQ_OP_MASK ((1u << REQ_OP_BITS) - 1)
#define REQ_SYNC (1u << 11)
#define REQ_META (1u << 12)
#define REQ_PRIO (1u << 13)
#define REQ_FUA (1u << 17)
#define REQ_PREFLUSH (1u << 18)
#define REQ_RAHEAD (1u << 19)
#define REQ_NOWAIT (1u << 21)
#define op_is_write(op) (((op) & 1) != 0)

struct bio;
struct gendisk;
struct request_queue;
typedef void bio_end_io_t(struct bio *bio);

struct bvec_iter {
	sector_t bi_sector;
	unsigned int bi_size, bi_idx, bi_bvec_done;
};

struct block_device {
	sector_t bd_start_sect, bd_nr_sectors;
	struct gendisk *bd_disk;
	struct request_queue *bd_queue;
	dev_t bd_dev;
	struct device bd_device;
	struct inode *bd_inode;
	void *bd_holder;
};

struct bio {
	struct bio *bi_next;
	struct block_device *bi_bdev;
	blk_opf_t bi_opf;
	unsigned short bi_flags, bi_ioprio;
	blk_status_t bi_status;
	struct bvec_iter bi_iter;
	bio_end_io_t *bi_end_io;
	void *bi_private;
	unsigned short bi_vcnt, bi_max_vecs;
	atomic_t __bi_cnt;
	struct bio_vec *bi_io_vec;
	struct bio_vec usermm_vecs[];
};

#define bio_op(bio) ((enum req_op)((bio)->bi_opf & REQ_OP_MASK))
#define bdev_whole(bdev) ((bdev)->bd_disk->part0)

#endif
