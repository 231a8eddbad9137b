// SPDX-License-Identifier: MIT
/*
 * Disks of modules, and bios for them: see linux/blkdev.h. A disk with a tag set turns each bio
 * into a request, and hands out one request at a time. cf. Linux block/blk-mq.c, block/genhd.c.
 */
#include <linux/blk-mq.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#define MAX_MAJOR 512
#define FIRST_FREE_MAJOR 254

static const char *majors[MAX_MAJOR];	/* Sync: lock */
static DEFINE_MUTEX(lock);

int register_blkdev(unsigned int major, const char *name)
{
	int result = 0;

	if (major >= MAX_MAJOR)
		return -EINVAL;
	mutex_lock(&lock);
	if (!major) {
		for (major = FIRST_FREE_MAJOR; major && majors[major]; major--)
			;
		result = major ? (int)major : -EBUSY;
	} else if (majors[major]) {
		result = -EBUSY;
	}
	if (result >= 0)
		majors[major] = name;
	mutex_unlock(&lock);
	return result;
}

void unregister_blkdev(unsigned int major, const char *name)
{
	mutex_lock(&lock);
	if (major >= MAX_MAJOR || !majors[major] || strcmp(majors[major], name))
		WARN_ON(1);
	else
		majors[major] = NULL;
	mutex_unlock(&lock);
}

static struct request_queue *alloc_queue(const struct queue_limits *limits)
{
	struct request_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL);

	if (!queue)
		return NULL;
	if (limits)
		queue->limits = *limits;
	if (!queue->limits.logical_block_size)
		queue->limits.logical_block_size = SECTOR_SIZE;
	if (!queue->limits.physical_block_size)
		queue->limits.physical_block_size = queue->limits.logical_block_size;
	spin_lock_init(&queue->queue_lock);
	mutex_init(&queue->usermm_lock);
	return queue;
}

static void free_queue(struct request_queue *queue)
{
	struct request *request = queue->usermm_request;

	if (request) {
		struct blk_mq_hw_ctx *context = request->mq_hctx;
		const struct blk_mq_ops *operations = context->usermm_set->ops;

		if (operations->exit_request)
			operations->exit_request(context->usermm_set, request, 0);
		if (operations->exit_hctx)
			operations->exit_hctx(context, 0);
		kfree(context);
		kfree(request);
	}
	kfree(queue);
}

struct gendisk *usermm_disk_with_queue(struct request_queue *queue)
{
	struct gendisk *disk = kzalloc(sizeof(*disk), GFP_KERNEL);

	if (disk)
		disk->part0 = kzalloc(sizeof(*disk->part0), GFP_KERNEL);
	if (disk && disk->part0)
		disk->queue = queue ? queue : alloc_queue(NULL);
	if (!disk || !disk->part0 || !disk->queue) {
		kfree(disk ? disk->part0 : NULL);
		kfree(disk);
		return ERR_PTR(-ENOMEM);
	}
	disk->queue->disk = disk;
	disk->part0->bd_disk = disk;
	disk->part0->bd_queue = disk->queue;
	return disk;
}

struct gendisk *usermm_alloc_disk(const struct queue_limits *limits, int node)
{
	struct request_queue *queue = alloc_queue(limits);
	struct gendisk *disk;

	(void)node;
	if (!queue)
		return ERR_PTR(-ENOMEM);
	disk = usermm_disk_with_queue(queue);
	if (IS_ERR(disk))
		free_queue(queue);
	return disk;
}

int device_add_disk(struct device *parent, struct gendisk *disk,
		    const struct attribute_group **groups)
{
	(void)parent;
	(void)groups;
	if (!disk->disk_name[0] || !disk->fops || disk->usermm_is_added)
		return -EINVAL;
	disk->part0->bd_dev = MKDEV((unsigned int)disk->major, (unsigned int)disk->first_minor);
	disk->usermm_is_added = true;
	return 0;
}

void del_gendisk(struct gendisk *disk)
{
	disk->usermm_is_added = false;
}

void put_disk(struct gendisk *disk)
{
	if (!disk)
		return;
	if (disk->fops && disk->fops->free_disk)
		disk->fops->free_disk(disk);
	free_queue(disk->queue);
	kfree(disk->part0);
	kfree(disk);
}

void set_capacity(struct gendisk *disk, sector_t sectors)
{
	disk->part0->bd_nr_sectors = sectors;
}

int blk_mq_alloc_tag_set(struct blk_mq_tag_set *set)
{
	if (!set->nr_hw_queues || !set->queue_depth || !set->ops || !set->ops->queue_rq)
		return -EINVAL;
	return 0;
}

void blk_mq_free_tag_set(struct blk_mq_tag_set *set)
{
	(void)set;
}

/* The one request of the queue, with the driver's own data behind it. */
static int make_request(struct request_queue *queue, struct blk_mq_tag_set *set)
{
	struct blk_mq_hw_ctx *context = kzalloc(sizeof(*context), GFP_KERNEL);
	struct request *request = kzalloc(sizeof(*request) + set->cmd_size, GFP_KERNEL);
	int error = context && request ? 0 : -ENOMEM;

	if (!error) {
		context->queue = queue;
		context->usermm_set = set;
		request->q = queue;
		request->mq_hctx = context;
	}
	if (!error && set->ops->init_hctx)
		error = set->ops->init_hctx(context, set->driver_data, 0);
	if (!error && set->ops->init_request) {
		error = set->ops->init_request(set, request, 0, 0);
		if (error && set->ops->exit_hctx)
			set->ops->exit_hctx(context, 0);
	}
	if (error) {
		kfree(context);
		kfree(request);
		return error;
	}
	queue->tag_set = set;
	queue->usermm_request = request;
	return 0;
}

struct gendisk *usermm_mq_alloc_disk(struct blk_mq_tag_set *set,
				     const struct queue_limits *limits, void *data)
{
	struct gendisk *disk = usermm_alloc_disk(limits, set->numa_node);
	int error;

	if (IS_ERR(disk))
		return disk;
	disk->queue->queuedata = data;
	error = make_request(disk->queue, set);
	if (error) {
		put_disk(disk);
		return ERR_PTR(error);
	}
	return disk;
}

struct bio *usermm_bio_alloc(struct block_device *bdev, unsigned short n, blk_opf_t operation,
			     gfp_t gfp)
{
	struct bio *bio;

	if (n > BIO_MAX_VECS)
		return NULL;
	bio = kzalloc(struct_size(bio, usermm_vecs, n), gfp);
	if (!bio)
		return NULL;
	bio->bi_bdev = bdev;
	bio->bi_opf = operation;
	bio->bi_max_vecs = n;
	bio->bi_io_vec = bio->usermm_vecs;
	atomic_set(&bio->__bi_cnt, 1);
	return bio;
}

void bio_put(struct bio *bio)
{
	if (atomic_dec_and_test(&bio->__bi_cnt))
		kfree(bio);
}

int bio_add_page(struct bio *bio, struct page *page, unsigned int n, unsigned int offset)
{
	if (bio->bi_vcnt >= bio->bi_max_vecs || n > UINT_MAX - bio->bi_iter.bi_size)
		return 0;
	bvec_set_page(&bio->bi_io_vec[bio->bi_vcnt++], page, n, offset);
	bio->bi_iter.bi_size += n;
	return (int)n;
}

void bio_endio(struct bio *bio)
{
	if (bio->bi_end_io)
		bio->bi_end_io(bio);
}

bool blk_update_request(struct request *request, blk_status_t status, unsigned int bytes)
{
	if (status && request->bio)
		request->bio->bi_status = status;
	bytes = min(bytes, request->__data_len);
	request->__data_len -= bytes;
	request->__sector += bytes >> SECTOR_SHIFT;
	return request->__data_len != 0;
}

void blk_mq_end_request(struct request *request, blk_status_t status)
{
	struct bio *bio = request->bio;

	WARN_ON(!bio);
	if (!bio)
		return;
	if (status)
		bio->bi_status = status;
	request->bio = request->biotail = NULL;
	bio_endio(bio);
	/* Release: pairs with the acquire in queue_bio(): the request is the next bio's. */
	smp_store_release(&request->usermm_ended, true);
}

/* The request belongs to the driver until it ends it, from whatever thread. */
static void queue_bio(struct request_queue *queue, struct bio *bio)
{
	struct request *request = queue->usermm_request;
	struct blk_mq_queue_data data = { .rq = request, .last = true };
	blk_status_t status;

	mutex_lock(&queue->usermm_lock);
	request->bio = request->biotail = bio;
	request->cmd_flags = bio->bi_opf;
	request->rq_flags = 0;
	request->__sector = bio->bi_iter.bi_sector;
	request->__data_len = bio->bi_iter.bi_size;
	request->nr_phys_segments = bio->bi_vcnt;
	request->start_time_ns = ktime_get_ns();
	request->usermm_ended = false;
	status = queue->tag_set->ops->queue_rq(request->mq_hctx, &data);
	if (status && !request->usermm_ended)
		blk_mq_end_request(request, status);
	while (!smp_load_acquire(&request->usermm_ended))
		schedule_timeout_uninterruptible(1);
	mutex_unlock(&queue->usermm_lock);
}

static bool is_past_end(const struct bio *bio)
{
	return bio->bi_iter.bi_size && bio_end_sector(bio) > bio->bi_bdev->bd_nr_sectors;
}

void submit_bio(struct bio *bio)
{
	struct gendisk *disk = bio->bi_bdev ? bio->bi_bdev->bd_disk : NULL;

	if (!disk || is_past_end(bio))
		bio_io_error(bio);
	else if (disk->queue->usermm_request)
		queue_bio(disk->queue, bio);
	else if (disk->fops && disk->fops->submit_bio)
		disk->fops->submit_bio(bio);
	else
		bio_io_error(bio);
}

static void wake_waiter(struct bio *bio)
{
	complete(bio->bi_private);
}

int submit_bio_wait(struct bio *bio)
{
	DECLARE_COMPLETION_ONSTACK(done);

	bio->bi_private = &done;
	bio->bi_end_io = wake_waiter;
	submit_bio(bio);
	wait_for_completion(&done);
	return blk_status_to_errno(bio->bi_status);
}

static const struct {
	blk_status_t status;
	int error;
} statuses[] = {
	{ BLK_STS_NOTSUPP, -EOPNOTSUPP }, { BLK_STS_TIMEOUT, -ETIMEDOUT },
	{ BLK_STS_NOSPC, -ENOSPC }, { BLK_STS_TRANSPORT, -ENOLINK },
	{ BLK_STS_MEDIUM, -ENODATA }, { BLK_STS_RESOURCE, -ENOMEM }, { BLK_STS_AGAIN, -EAGAIN },
};

int blk_status_to_errno(blk_status_t status)
{
	if (!status)
		return 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].status == status)
			return statuses[i].error;
	return -EIO;
}

blk_status_t errno_to_blk_status(int error)
{
	if (!error)
		return BLK_STS_OK;
	for (unsigned int i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].error == error)
			return statuses[i].status;
	return BLK_STS_IOERR;
}
