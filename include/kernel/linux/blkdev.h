/* SPDX-License-Identifier: MIT */
/*
 * Disks that modules make. They can be added, and a module can send them bios. Programs cannot open
 * them, and a module finds no other disk.
 */
#ifndef _LINUX_BLKDEV_H
#define _LINUX_BLKDEV_H

#include <linux/backing-dev.h>
#include <linux/bio.h>
#include <linux/blk_types.h>
#include <linux/device.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/sched.h>
#include <linux/scatterlist.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <usermm/compiler.h>

#define DISK_NAME_LEN 32
#define DISK_MAX_PARTS 256
#define BLKDEV_DEFAULT_RQ 128
#define GENHD_FL_REMOVABLE (1 << 0)
#define GENHD_FL_NO_PART (1 << 2)
#define GENHD_FL_NO_PART_SCAN GENHD_FL_NO_PART
#define GENHD_FL_EXT_DEVT 0

struct blk_mq_hw_ctx;
struct blk_mq_tag_set;
struct hd_geometry;
struct request;

typedef unsigned int blk_features_t;
#define BLK_FEAT_WRITE_CACHE ((blk_features_t)1)
#define BLK_FEAT_FUA ((blk_features_t)2)
#define BLK_FEAT_ROTATIONAL ((blk_features_t)4)
#define BLK_FEAT_SYNCHRONOUS ((blk_features_t)8)
#define BLK_FEAT_ADD_RANDOM ((blk_features_t)16)
#define BLK_FEAT_IO_STAT ((blk_features_t)32)
#define BLK_FEAT_STABLE_WRITES ((blk_features_t)64)
#define BLK_FEAT_NOWAIT ((blk_features_t)128)
#define BLK_FEAT_POLL ((blk_features_t)256)

struct queue_limits {
	blk_features_t features;
	unsigned int flags;
	unsigned long seg_boundary_mask;
	unsigned int max_hw_sectors, max_sectors, max_user_sectors, max_segment_size;
	unsigned int logical_block_size, physical_block_size, io_min, io_opt;
	unsigned int max_discard_sectors, max_hw_discard_sectors, max_write_zeroes_sectors;
	unsigned int discard_granularity, discard_alignment;
	unsigned short max_segments;
};

struct request_queue {
	void *queuedata;
	struct gendisk *disk;
	struct queue_limits limits;
	unsigned long queue_flags;
	spinlock_t queue_lock;
	unsigned int nr_requests;
	struct blk_mq_tag_set *tag_set;
	struct list_head usermm_free;	/* requests. Sync: queue_lock */
	struct request *usermm_request;
	struct mutex usermm_lock;	/* one request at a time */
};

struct block_device_operations {
	void (*submit_bio)(struct bio *bio);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	int (*open)(struct gendisk *disk, blk_mode_t mode);
	void (*release)(struct gendisk *disk);
	int (*ioctl)(struct block_device *bdev, blk_mode_t mode, unsigned int command,
		     unsigned long argument);
	int (*compat_ioctl)(struct block_device *bdev, blk_mode_t mode, unsigned int command,
			    unsigned long argument);
#else
	int (*open)(struct block_device *bdev, fmode_t mode);
	void (*release)(struct gendisk *disk, fmode_t mode);
	int (*ioctl)(struct block_device *bdev, fmode_t mode, unsigned int command,
		     unsigned long argument);
	int (*compat_ioctl)(struct block_device *bdev, fmode_t mode, unsigned int command,
			    unsigned long argument);
#endif
	unsigned int (*check_events)(struct gendisk *disk, unsigned int clearing);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	int (*getgeo)(struct gendisk *disk, struct hd_geometry *geometry);
#else
	int (*getgeo)(struct block_device *bdev, struct hd_geometry *geometry);
#endif
	int (*set_read_only)(struct block_device *bdev, bool read_only);
	void (*free_disk)(struct gendisk *disk);
	char *(*devnode)(struct gendisk *disk, umode_t *mode);
	int (*rw_page)(struct block_device *bdev, sector_t sector, struct page *page,
		       enum req_op op);
	int (*media_changed)(struct gendisk *disk);
	int (*revalidate_disk)(struct gendisk *disk);
	struct module *owner;
};

struct gendisk {
	int major, first_minor, minors;
	char disk_name[DISK_NAME_LEN];
	struct block_device *part0;
	const struct block_device_operations *fops;
	struct request_queue *queue;
	void *private_data;
	int flags;
	unsigned long state;
	bool usermm_is_added, usermm_owns_queue;
};

USERMM_BEGIN_DECLS

/*
 * A given major: 0. Major 0 asks for a free one, which is returned. -EBUSY: it is taken; -EINVAL.
 */
int register_blkdev(unsigned int major, const char *name) USERMM_API(register_blkdev);
void unregister_blkdev(unsigned int major, const char *name) USERMM_API(unregister_blkdev);

/* A disk whose operations have submit_bio(); an error pointer from 6.9 on, NULL before. */
struct gendisk *usermm_alloc_disk(const struct queue_limits *limits, int node)
	__attribute__((visibility("default")));
/* A disk with this queue (NULL: a new queue). An error pointer on failure. */
struct gendisk *usermm_disk_with_queue(struct request_queue *queue)
	__attribute__((visibility("default")));
int device_add_disk(struct device *parent, struct gendisk *disk,
		    const struct attribute_group **groups) USERMM_API(device_add_disk);
void del_gendisk(struct gendisk *disk) USERMM_API(del_gendisk);
/* Frees the disk and its queue. NULL has no effect. */
void put_disk(struct gendisk *disk) USERMM_API(put_disk);
void set_capacity(struct gendisk *disk, sector_t sectors) USERMM_API(set_capacity);

USERMM_END_DECLS

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define blk_alloc_disk(limits, node) usermm_alloc_disk(limits, node)
#else
#define blk_alloc_disk(node)							\
	({									\
		struct gendisk *disk_ = usermm_alloc_disk(NULL, node);		\
										\
		IS_ERR(disk_) ? NULL : disk_;					\
	})
#endif
#define blk_cleanup_disk(disk) put_disk(disk)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
#define alloc_disk(nr_minors)							\
	({									\
		struct gendisk *disk_ = usermm_disk_with_queue(NULL);		\
										\
		if (!IS_ERR(disk_))						\
			disk_->minors = (nr_minors);				\
		IS_ERR(disk_) ? NULL : disk_;					\
	})
#endif

static inline int add_disk(struct gendisk *disk)
{
	return device_add_disk(NULL, disk, NULL);
}

#define get_capacity(disk) ((disk)->part0->bd_nr_sectors)
#define set_capacity_and_notify(disk, n) (set_capacity(disk, n), true)
#define disk_to_dev(disk) (&(disk)->part0->bd_device)
#define dev_to_disk(device) (container_of(device, struct block_device, bd_device)->bd_disk)
#define disk_devt(disk) MKDEV((disk)->major, (disk)->first_minor)
#define set_disk_ro(disk, read_only) ((void)(disk), (void)(read_only))
#define get_disk_ro(disk) ((void)(disk), 0)
#define bdev_get_queue(bdev) ((bdev)->bd_queue)
#define bdev_nr_sectors(bdev) ((bdev)->bd_nr_sectors)
#define bdev_nr_bytes(bdev) ((loff_t)bdev_nr_sectors(bdev) << SECTOR_SHIFT)
#define bdev_logical_block_size(bdev) queue_logical_block_size((bdev)->bd_queue)
#define queue_logical_block_size(queue) ((queue)->limits.logical_block_size)
#define queue_physical_block_size(queue) ((queue)->limits.physical_block_size)
#define blk_queue_logical_block_size(queue, n) \
	((void)((queue)->limits.logical_block_size = (n)))
#define blk_queue_physical_block_size(queue, n) \
	((void)((queue)->limits.physical_block_size = (n)))
#define blk_queue_max_hw_sectors(queue, n) ((void)((queue)->limits.max_hw_sectors = (n)))
#define blk_queue_max_segments(queue, n) ((void)((queue)->limits.max_segments = (n)))
#define blk_queue_max_segment_size(queue, n) ((void)((queue)->limits.max_segment_size = (n)))
#define blk_queue_io_min(queue, n) ((void)((queue)->limits.io_min = (n)))
#define blk_queue_io_opt(queue, n) ((void)((queue)->limits.io_opt = (n)))
#define blk_queue_max_discard_sectors(queue, n) \
	((void)((queue)->limits.max_discard_sectors = (n)))
#define blk_queue_write_cache(queue, cache, fua) \
	((void)(queue), (void)(cache), (void)(fua))
#define QUEUE_FLAG_NONROT 6
#define QUEUE_FLAG_ADD_RANDOM 10
#define QUEUE_FLAG_DISCARD 15
#define blk_queue_flag_set(flag, queue) ((void)((queue)->queue_flags |= 1UL << (flag)))
#define blk_queue_flag_clear(flag, queue) ((void)((queue)->queue_flags &= ~(1UL << (flag))))
#define blk_cleanup_queue(queue) ((void)(queue))
#define blk_put_queue(queue) ((void)(queue))
/* No other disk is found. */
#define blkdev_get_by_path(path, ...) \
	((void)(path), (struct block_device *)ERR_PTR(-ENOENT))
#define bdev_open_by_path(path, mode, holder, ops) \
	((void)(path), (void)(mode), (void)(holder), (void)(ops), (void *)ERR_PTR(-ENOENT))
#define bdev_fput(file) fput(file)
#define bdev_file_open_by_path(path, mode, holder, ops) \
	((void)(path), (void)(mode), (void)(holder), (void)(ops), \
	 (struct file *)ERR_PTR(-ENOENT))
#define file_bdev(file) ((void)(file), (struct block_device *)NULL)
#define blkdev_put(bdev, holder) ((void)(bdev), (void)(holder))
#define lookup_bdev(path, number) ((void)(path), (void)(number), -ENOENT)
#define bio_start_io_acct(bio) ((void)(bio), jiffies)
#define bio_end_io_acct(bio, start) ((void)(bio), (void)(start))

#endif
