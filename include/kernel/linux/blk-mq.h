/* SPDX-License-Identifier: MIT */
/* Disks whose driver is given requests. There is one hardware queue; a request is one bio. */
#ifndef BLK_MQ_H
#define BLK_MQ_H

#include <linux/blkdev.h>
#include <usermm/compiler.h>

struct blk_mq_ops;
struct blk_mq_queue_data;

#define BLK_MQ_F_SHOULD_MERGE (1 << 0)
#define BLK_MQ_F_TAG_QUEUE_SHARED (1 << 1)
#define BLK_MQ_F_BLOCKING (1 << 5)
#define BLK_MQ_F_NO_SCHED (1 << 6)
#define BLK_MQ_RQ_QUEUE_OK BLK_STS_OK
#define BLK_MQ_NO_HCTX_IDX (-1U)
#define RQF_STARTED (1 << 1)

typedef u32 req_flags_t;

struct blk_mq_tag_set {
	const struct blk_mq_ops *ops;
	unsigned int nr_maps, nr_hw_queues, queue_depth, reserved_tags, cmd_size;
	int numa_node;
	unsigned int timeout, flags;
	void *driver_data;
};

struct blk_mq_hw_ctx {
	void *driver_data;
	struct request_queue *queue;
	unsigned int queue_num;
	struct blk_mq_tag_set *usermm_set;
};

struct request {
	struct request_queue *q;
	struct blk_mq_hw_ctx *mq_hctx;
	blk_opf_t cmd_flags;
	req_flags_t rq_flags;
	int tag;
	unsigned int timeout;
	unsigned int __data_len;
	sector_t __sector;
	struct bio *bio, *biotail;
	struct list_head queuelist;
	u64 start_time_ns;
	unsigned short nr_phys_segments;
	bool usermm_ended;
	/* The driver's own data follow. */
};

struct blk_mq_queue_data {
	struct request *rq;
	bool last;
};

struct blk_mq_ops {
	blk_status_t (*queue_rq)(struct blk_mq_hw_ctx *hctx,
				 const struct blk_mq_queue_data *data);
	void (*commit_rqs)(struct blk_mq_hw_ctx *hctx);
	int (*timeout)(struct request *request);
	void (*complete)(struct request *request);
	int (*init_hctx)(struct blk_mq_hw_ctx *hctx, void *data, unsigned int index);
	void (*exit_hctx)(struct blk_mq_hw_ctx *hctx, unsigned int index);
	int (*init_request)(struct blk_mq_tag_set *set, struct request *request,
			    unsigned int index, unsigned int node);
	void (*exit_request)(struct blk_mq_tag_set *set, struct request *request,
			     unsigned int index);
	void (*map_queues)(struct blk_mq_tag_set *set);
};

USERMM_BEGIN_DECLS

/* -EINVAL without a queue, a depth, or queue_rq(). */
int blk_mq_alloc_tag_set(struct blk_mq_tag_set *set) USERMM_API(blk_mq_alloc_tag_set);
void blk_mq_free_tag_set(struct blk_mq_tag_set *set) USERMM_API(blk_mq_free_tag_set);
struct gendisk *usermm_mq_alloc_disk(struct blk_mq_tag_set *set,
				     const struct queue_limits *limits, void *data)
	__attribute__((visibility("default")));
void blk_mq_end_request(struct request *request, blk_status_t status)
	USERMM_API(blk_mq_end_request);
/* True while bytes of the request remain. */
bool blk_update_request(struct request *request, blk_status_t status, unsigned int bytes)
	USERMM_API(blk_update_request);

USERMM_END_DECLS

/* Tags of one queue. The depth and the flags are those of blk_mq_alloc_tag_set(). */
static inline int blk_mq_alloc_sq_tag_set(struct blk_mq_tag_set *set, const struct blk_mq_ops *ops,
					  unsigned int queue_depth, unsigned int set_flags)
{
	*set = (struct blk_mq_tag_set){
		.ops = ops, .nr_hw_queues = 1, .nr_maps = 1, .queue_depth = queue_depth,
		.numa_node = NUMA_NO_NODE, .flags = set_flags,
	};
	return blk_mq_alloc_tag_set(set);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define blk_mq_alloc_disk(set, limits, data) usermm_mq_alloc_disk(set, limits, data)
#else
#define blk_mq_alloc_disk(set, data) usermm_mq_alloc_disk(set, NULL, data)
#endif
#define blk_mq_start_request(request) ((void)((request)->rq_flags |= RQF_STARTED))
#define blk_mq_complete_request(request)					\
	((request)->mq_hctx->usermm_set->ops->complete ?			\
	 (request)->mq_hctx->usermm_set->ops->complete(request) :		\
	 blk_mq_end_request(request, BLK_STS_OK))
#define __blk_mq_end_request(request, status) blk_mq_end_request(request, status)
#define blk_mq_rq_to_pdu(request) ((void *)((request) + 1))
#define blk_mq_rq_from_pdu(data) ((struct request *)(data) - 1)
#define blk_mq_start_stopped_hw_queues(queue, async) ((void)(queue), (void)(async))
#define blk_mq_stop_hw_queues(queue) ((void)(queue))
#define blk_mq_freeze_queue(queue) ((void)(queue))
#define blk_mq_unfreeze_queue(queue) ((void)(queue))
#define blk_mq_destroy_queue(queue) ((void)(queue))
#define blk_rq_pos(request) ((request)->__sector)
#define blk_rq_bytes(request) ((request)->__data_len)
#define blk_rq_sectors(request) (blk_rq_bytes(request) >> SECTOR_SHIFT)
#define blk_rq_cur_bytes(request) ((request)->bio ? bio_cur_bytes((request)->bio) : 0)
#define blk_rq_cur_sectors(request) (blk_rq_cur_bytes(request) >> SECTOR_SHIFT)
#define blk_rq_is_passthrough(request) ((void)(request), false)
#define req_op(request) ((enum req_op)((request)->cmd_flags & REQ_OP_MASK))
#define rq_data_dir(request) (op_is_write(req_op(request)) ? WRITE : READ)
#define rq_for_each_bio(bio_ptr, request) \
	for (bio_ptr = (request)->bio; bio_ptr; bio_ptr = bio_ptr->bi_next)

struct req_iterator {
	struct bvec_iter iter;
	struct bio *bio;
};

#define rq_for_each_segment(vec, request, iterator)			\
	for ((iterator).bio = (request)->bio; (iterator).bio;		\
	     (iterator).bio = (iterator).bio->bi_next)			\
		bio_for_each_segment(vec, (iterator).bio, (iterator).iter)
#define rq_for_each_bvec(vec, request, iterator) rq_for_each_segment(vec, request, iterator)

#endif
