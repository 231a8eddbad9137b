// SPDX-License-Identifier: MIT
/* Disks of a module, which serve requests or bios, and bios that a module sends to them. */
#include <kunit/test.h>
#include <linux/blk-mq.h>
#include <linux/gfp.h>
#include <linux/workqueue.h>

#define SECTORS 64

static u8 storage[SECTORS * SECTOR_SIZE];
static unsigned int nr_requests;

static void copy_piece(struct bio_vec *vec, loff_t pos, bool writes)
{
	void *data = page_address(vec->bv_page) + vec->bv_offset;

	memcpy(writes ? storage + pos : data, writes ? data : storage + pos, vec->bv_len);
}

static blk_status_t queue_rq(struct blk_mq_hw_ctx *context, const struct blk_mq_queue_data *data)
{
	loff_t pos = (loff_t)blk_rq_pos(data->rq) << SECTOR_SHIFT;
	struct req_iterator iterator;
	struct bio_vec vec;

	(void)context;
	nr_requests++;
	blk_mq_start_request(data->rq);
	rq_for_each_segment(vec, data->rq, iterator) {
		copy_piece(&vec, pos, rq_data_dir(data->rq) == WRITE);
		pos += vec.bv_len;
	}
	blk_mq_end_request(data->rq, BLK_STS_OK);
	return BLK_STS_OK;
}

static void take_bio(struct bio *bio)
{
	loff_t pos = (loff_t)bio->bi_iter.bi_sector << SECTOR_SHIFT;
	struct bvec_iter iterator;
	struct bio_vec vec;

	bio_for_each_segment(vec, bio, iterator) {
		copy_piece(&vec, pos, bio_data_dir(bio) == WRITE);
		pos += vec.bv_len;
	}
	bio_endio(bio);
}

static int transfer(struct gendisk *disk, enum req_op op, sector_t sector, struct page *page,
		    unsigned int n)
{
	struct bio *bio = bio_alloc(disk->part0, 2, op, GFP_KERNEL);
	int error;

	if (!bio)
		return -ENOMEM;
	bio->bi_iter.bi_sector = sector;
	bio_add_page(bio, page, n / 2, 0);
	bio_add_page(bio, page, n / 2, n / 2);
	error = submit_bio_wait(bio);
	bio_put(bio);
	return error;
}

static void test_bio_has_segments(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct bio *bio = bio_alloc(NULL, 2, REQ_OP_READ, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_NOT_NULL(test, bio);
	KUNIT_EXPECT_EQ(test, bio_segments(bio), 0U);
	bio_add_page(bio, page, 512, 512);
	bio_add_page(bio, page, 512, 1280);
	KUNIT_EXPECT_EQ(test, bio_segments(bio), 2U);
	KUNIT_EXPECT_EQ(test, bio->bi_iter.bi_size, 1024U);
	bio_advance_iter_single(bio, &bio->bi_iter, 512);
	KUNIT_EXPECT_EQ(test, bio_segments(bio), 1U);
	bio_put(bio);
	__free_page(page);
}

static void test_bio_is_zeroed(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct bio *bio = bio_alloc(NULL, 2, REQ_OP_READ, GFP_KERNEL);
	unsigned char *bytes;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_NOT_NULL(test, bio);
	bytes = page_address(page);
	memset(bytes, 0x77, 2048);
	bio_add_page(bio, page, 512, 512);
	bio_add_page(bio, page, 512, 1280);
	bio_advance_iter_single(bio, &bio->bi_iter, 512);
	zero_fill_bio(bio);
	KUNIT_EXPECT_EQ(test, bio->bi_iter.bi_size, 512U);
	for (unsigned int i = 0; i < 2048; i++)
		KUNIT_ASSERT_EQ(test, bytes[i], i >= 1280 && i < 1792 ? 0 : 0x77);
	bio_put(bio);
	__free_page(page);
}

static void use_disk(struct kunit *test, struct gendisk *disk)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	snprintf(disk->disk_name, DISK_NAME_LEN, "test");
	set_capacity(disk, SECTORS);
	KUNIT_ASSERT_EQ(test, add_disk(disk), 0);
	memset(page_address(page), 0x77, 2048);
	KUNIT_EXPECT_EQ(test, transfer(disk, REQ_OP_WRITE, 8, page, 2048), 0);
	KUNIT_EXPECT_EQ(test, storage[8 * SECTOR_SIZE + 2047], 0x77);
	memset(page_address(page), 0, 2048);
	KUNIT_EXPECT_EQ(test, transfer(disk, REQ_OP_READ, 8, page, 2048), 0);
	KUNIT_EXPECT_EQ(test, ((u8 *)page_address(page))[2047], 0x77);
	KUNIT_EXPECT_EQ(test, transfer(disk, REQ_OP_READ, SECTORS - 1, page, 1024), -EIO);
	del_gendisk(disk);
	put_disk(disk);
	__free_page(page);
}

static void test_disk_of_requests(struct kunit *test)
{
	static const struct blk_mq_ops operations = { .queue_rq = queue_rq };
	static const struct block_device_operations none;
	struct blk_mq_tag_set set = { .ops = &operations, .nr_hw_queues = 1 };
	struct queue_limits limits = { .logical_block_size = SECTOR_SIZE };
	struct gendisk *disk;

	nr_requests = 0;
	KUNIT_EXPECT_EQ(test, blk_mq_alloc_tag_set(&set), -EINVAL);
	set.queue_depth = 4;
	set.cmd_size = 8;
	KUNIT_ASSERT_EQ(test, blk_mq_alloc_tag_set(&set), 0);
	blk_mq_free_tag_set(&set);
	KUNIT_EXPECT_EQ(test, blk_mq_alloc_sq_tag_set(&set, &operations, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, set.cmd_size, 0U);
	KUNIT_ASSERT_EQ(test, blk_mq_alloc_sq_tag_set(&set, &operations, 4, BLK_MQ_F_BLOCKING), 0);
	KUNIT_EXPECT_EQ(test, set.nr_hw_queues * 100 + set.queue_depth, 104U);
	KUNIT_EXPECT_EQ(test, set.flags, (unsigned int)BLK_MQ_F_BLOCKING);
	disk = blk_mq_alloc_disk(&set, &limits, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(disk));
	disk->fops = &none;
	use_disk(test, disk);
	KUNIT_EXPECT_EQ(test, nr_requests, 2U);
	blk_mq_free_tag_set(&set);
}

static void test_disk_of_bios(struct kunit *test)
{
	static const struct block_device_operations operations = { .submit_bio = take_bio };
	struct gendisk *disk = blk_alloc_disk(NULL, NUMA_NO_NODE);

	KUNIT_ASSERT_FALSE(test, IS_ERR(disk));
	KUNIT_EXPECT_EQ(test, add_disk(disk), -EINVAL);
	disk->fops = &operations;
	use_disk(test, disk);
}

static void test_majors(struct kunit *test)
{
	int major = register_blkdev(0, "one");

	KUNIT_ASSERT_GT(test, major, 0);
	KUNIT_EXPECT_EQ(test, register_blkdev((unsigned int)major, "two"), -EBUSY);
	KUNIT_EXPECT_EQ(test, register_blkdev(100000, "two"), -EINVAL);
	unregister_blkdev((unsigned int)major, "one");
	KUNIT_EXPECT_EQ(test, register_blkdev((unsigned int)major, "two"), 0);
	unregister_blkdev((unsigned int)major, "two");
}

static struct kunit_case disks_cases[] = {
	KUNIT_CASE(test_bio_has_segments),
	KUNIT_CASE(test_bio_is_zeroed), KUNIT_CASE(test_disk_of_requests),
	KUNIT_CASE(test_disk_of_bios), KUNIT_CASE(test_majors),
	{ }
};

static struct kunit_suite disks_suite = { .name = "disks", .test_cases = disks_cases };
kunit_test_suite(disks_suite);
