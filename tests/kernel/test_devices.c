// SPDX-License-Identifier: MIT
/*
 * Devices, resources that are released with them, memory for them; and walks through memory in
 * pieces.
 */
#include <kunit/device.h>
#include <kunit/test.h>
#include <linux/device.h>
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/miscdevice.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uio.h>

static unsigned int nr_released;

static void count_release(struct device *dev)
{
	(void)dev;
	nr_released++;
}

static void register_device(struct kunit *test, struct device *dev)
{
	memset(dev, 0, sizeof(*dev));
	dev->release = count_release;
	dev->dma_mask = &dev->coherent_dma_mask;
	KUNIT_ASSERT_EQ(test, dev_set_name(dev, "device%d", 5), 0);
	KUNIT_ASSERT_EQ(test, device_register(dev), 0);
	nr_released = 0;
}

static void test_device_lives_by_its_references(struct kunit *test)
{
	struct device dev, nameless = { .release = count_release };

	register_device(test, &dev);
	KUNIT_EXPECT_STREQ(test, dev_name(&dev), "device5");
	KUNIT_EXPECT_TRUE(test, device_is_registered(&dev));
	KUNIT_EXPECT_PTR_EQ(test, get_device(&dev), &dev);
	device_unregister(&dev);
	KUNIT_EXPECT_FALSE(test, device_is_registered(&dev));
	KUNIT_EXPECT_EQ(test, nr_released, 0U);
	put_device(&dev);
	KUNIT_EXPECT_EQ(test, nr_released, 1U);
	KUNIT_EXPECT_EQ(test, device_register(&nameless), -EINVAL);
	put_device(&nameless);
	KUNIT_EXPECT_EQ(test, nr_released, 2U);
}

static unsigned int nr_unbound;

static int count_unbind(struct device *dev)
{
	(void)dev;
	nr_unbound++;
	return 0;
}

/* Whoever makes a device may give it a driver that no bus has found. */
static void test_driver_without_a_bus(struct kunit *test)
{
	struct device_driver silent = { .name = "silent" };
	struct device_driver counting = { .name = "counting", .remove = count_unbind };
	struct device *dev = kunit_device_register_with_driver(test, "one", &silent);

	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	kunit_device_unregister(test, dev);
	nr_unbound = 0;
	dev = kunit_device_register_with_driver(test, "two", &counting);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	kunit_device_unregister(test, dev);
	KUNIT_EXPECT_EQ(test, nr_unbound, 1U);
}

static void test_device_of_a_class(struct kunit *test)
{
	struct class *class = class_create("kind");
	struct device *one, *two;

	KUNIT_ASSERT_FALSE(test, IS_ERR(class));
	one = device_create(class, NULL, MKDEV(1, 1), &nr_released, "kind%d", 1);
	two = device_create(class, one, MKDEV(1, 2), NULL, "kind%d", 2);
	KUNIT_ASSERT_FALSE(test, IS_ERR(one));
	KUNIT_ASSERT_FALSE(test, IS_ERR(two));
	KUNIT_EXPECT_STREQ(test, dev_name(two), "kind2");
	KUNIT_EXPECT_STREQ(test, dev_driver_string(two), "kind");
	KUNIT_EXPECT_PTR_EQ(test, dev_get_drvdata(one), (void *)&nr_released);
	device_destroy(class, MKDEV(1, 2));
	device_destroy(class, MKDEV(1, 2));	/* there is none any more */
	device_destroy(class, MKDEV(1, 1));
	class_destroy(class);
}

static void test_misc_devices(struct kunit *test)
{
	struct miscdevice one = { .minor = MISC_DYNAMIC_MINOR, .name = "one" };
	struct miscdevice two = { .minor = MISC_DYNAMIC_MINOR, .name = "two" };
	struct miscdevice fixed = { .minor = 130, .name = "fixed" };
	struct miscdevice again = { .minor = 130, .name = "again" };

	KUNIT_ASSERT_EQ(test, misc_register(&one), 0);
	KUNIT_ASSERT_EQ(test, misc_register(&two), 0);
	KUNIT_EXPECT_NE(test, one.minor, two.minor);
	KUNIT_EXPECT_STREQ(test, dev_name(one.this_device), "one");
	KUNIT_EXPECT_PTR_EQ(test, dev_get_drvdata(two.this_device), (void *)&two);
	KUNIT_EXPECT_STREQ(test, dev_driver_string(two.this_device), "misc");
	misc_deregister(&one);
	misc_deregister(&two);
	KUNIT_EXPECT_EQ(test, one.minor, MISC_DYNAMIC_MINOR);
	KUNIT_ASSERT_EQ(test, misc_register(&fixed), 0);
	KUNIT_EXPECT_EQ(test, misc_register(&again), -EBUSY);
	misc_deregister(&fixed);
	KUNIT_EXPECT_EQ(test, misc_register(&again), 0);
	misc_deregister(&again);
}

static char order[8];

static void note(void *letter)
{
	order[strlen(order)] = *(char *)letter;
}

static void release_letter(struct device *dev, void *resource)
{
	(void)dev;
	note(resource);
}

static int match_letter(struct device *dev, void *resource, void *letter)
{
	(void)dev;
	return *(char *)resource == *(char *)letter;
}

static char *new_letter(struct kunit *test, char letter)
{
	char *resource = devres_alloc(release_letter, 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, resource);
	*resource = letter;
	return resource;
}

/* Resources are released in reverse order; a resource that was removed is not released. */
static void test_devres_order(struct kunit *test)
{
	struct device dev;
	char a = 'a', c = 'c', x = 'x', *b, *again;

	register_device(test, &dev);
	memset(order, 0, sizeof(order));
	KUNIT_ASSERT_EQ(test, devm_add_action_or_reset(&dev, note, &a), 0);
	b = new_letter(test, 'b');
	devres_add(&dev, b);
	KUNIT_ASSERT_EQ(test, devm_add_action_or_reset(&dev, note, &c), 0);
	KUNIT_ASSERT_EQ(test, devm_add_action_or_reset(&dev, note, &x), 0);
	devm_remove_action(&dev, note, &x);
	KUNIT_EXPECT_PTR_EQ(test, devres_find(&dev, release_letter, match_letter, b), (void *)b);
	KUNIT_EXPECT_NULL(test, devres_find(&dev, release_letter, match_letter, &x));
	KUNIT_EXPECT_EQ(test, devres_release(&dev, release_letter, match_letter, &x), -ENOENT);
	again = devres_get(&dev, new_letter(test, 'b'), match_letter, b);
	KUNIT_EXPECT_PTR_EQ(test, again, b);
	device_unregister(&dev);
	KUNIT_EXPECT_STREQ(test, order, "cba");
	KUNIT_EXPECT_EQ(test, nr_released, 1U);
}

static void test_devm_memory(struct kunit *test)
{
	struct device dev;
	char *memory, *text;

	register_device(test, &dev);
	memory = devm_kzalloc(&dev, 300, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0, 300));
	text = devm_kasprintf(&dev, GFP_KERNEL, "%s-%d", "a", 7);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_EXPECT_STREQ(test, text, "a-7");
	KUNIT_EXPECT_PTR_EQ(test, devm_kmalloc(&dev, 0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_NULL(test, devm_kcalloc(&dev, SIZE_MAX, 2, GFP_KERNEL));
	devm_kfree(&dev, memory);
	device_unregister(&dev);
}

/* The memory is cleared, contiguous, and at an address that the mask allows. */
static void test_dma_memory(struct kunit *test)
{
	struct device dev;
	dma_addr_t handle;
	void *memory;

	register_device(test, &dev);
	KUNIT_EXPECT_EQ(test, dma_set_mask_and_coherent(&dev, DMA_BIT_MASK(10)), -EIO);
	KUNIT_EXPECT_EQ(test, dma_set_mask_and_coherent(&dev, DMA_BIT_MASK(64)), 0);
	for (size_t size = 1; size < 100000; size = size * 3 + 1) {
		memory = dma_alloc_coherent(&dev, size, &handle, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, memory);
		KUNIT_EXPECT_EQ(test, (u64)handle, (u64)virt_to_phys(memory));
		KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0, size));
		memset(memory, 0xff, size);
		dma_free_coherent(&dev, size, memory, handle);
	}
	memory = dmam_alloc_coherent(&dev, 5000, &handle, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	dev.coherent_dma_mask = handle;		/* ends in the midst of it */
	KUNIT_EXPECT_EQ(test, dma_map_single(&dev, memory, 5000, DMA_TO_DEVICE),
			DMA_MAPPING_ERROR);
	dev.coherent_dma_mask = DMA_BIT_MASK(64);
	KUNIT_EXPECT_EQ(test, (u64)dma_map_single(&dev, (char *)memory + 9, 5, DMA_TO_DEVICE),
			(u64)handle + 9);
	device_unregister(&dev);
}

static void test_dma_entries(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct scatterlist one[2], two[2];
	struct device dev;

	KUNIT_ASSERT_NOT_NULL(test, page);
	register_device(test, &dev);
	KUNIT_ASSERT_EQ(test, dma_set_mask_and_coherent(&dev, DMA_BIT_MASK(64)), 0);
	memset(one, 0, sizeof(one));
	memset(two, 0, sizeof(two));
	sg_set_page(&one[0], page, 10, 1);
	sg_chain(one, 2, two);
	sg_set_page(&two[0], page, 20, 2);
	sg_set_page(&two[1], page, 30, 3);
	sg_mark_end(&two[1]);
	KUNIT_EXPECT_EQ(test, dma_map_sg(&dev, one, 3, DMA_BIDIRECTIONAL), 3U);
	KUNIT_EXPECT_EQ(test, (u64)sg_dma_address(&one[0]), (u64)page_to_phys(page) + 1);
	KUNIT_EXPECT_EQ(test, (u64)sg_dma_address(&two[1]), (u64)page_to_phys(page) + 3);
	KUNIT_EXPECT_EQ(test, sg_dma_len(&two[0]), 20U);
	device_unregister(&dev);
	__free_page(page);
}

/* Many small steps and one large step lead to the same place. */
static void test_iov_iter_advance(struct kunit *test)
{
	char memory[100];
	struct kvec pieces[] = { { memory, 7 }, { memory + 20, 0 }, { memory + 30, 13 },
				 { memory + 50, 10 } };
	struct iov_iter steps, once;

	for (size_t bytes = 0; bytes <= 30; bytes++) {
		iov_iter_kvec(&steps, ITER_SOURCE, pieces, ARRAY_SIZE(pieces), 30);
		once = steps;
		iov_iter_advance(&once, bytes);
		for (size_t i = 0; i < bytes; i++)
			iov_iter_advance(&steps, 1);
		KUNIT_EXPECT_EQ(test, iov_iter_count(&once), 30 - bytes);
		KUNIT_EXPECT_PTR_EQ(test, steps.kvec, once.kvec);
		KUNIT_EXPECT_EQ(test, steps.iov_offset, once.iov_offset);
		KUNIT_EXPECT_EQ(test, steps.nr_segs, once.nr_segs);
	}
	iov_iter_advance(&once, 1);
	KUNIT_EXPECT_EQ_MSG(test, iov_iter_count(&once), (size_t)0, "and no farther");
}

/* Copies in both directions, over pieces of all kinds; bytes that do not fit are not copied. */
static void test_copies_by_iterators(struct kunit *test)
{
	static const char text[] = "0123456789abcdef";
	char a[5], b[6], back[11];
	struct kvec kvec[] = { { a, sizeof(a) }, { NULL, 0 }, { b, sizeof(b) } };
	struct page *page = alloc_page(GFP_KERNEL);
	struct bio_vec bvec = { .bv_page = page, .bv_offset = 100, .bv_len = 11 };
	struct iov_iter iter;

	KUNIT_ASSERT_NOT_NULL(test, page);
	iov_iter_kvec(&iter, ITER_DEST, kvec, ARRAY_SIZE(kvec), 11);
	KUNIT_EXPECT_EQ(test, copy_to_iter(text, 3, &iter), 3UL);
	KUNIT_EXPECT_FALSE(test, copy_to_iter_full(text, 9, &iter));
	KUNIT_EXPECT_EQ(test, iov_iter_count(&iter), 8UL);
	KUNIT_EXPECT_EQ(test, copy_to_iter(text + 3, 13, &iter), 8UL);
	KUNIT_EXPECT_MEMEQ(test, a, text, 5);
	KUNIT_EXPECT_MEMEQ(test, b, text + 5, 6);

	iov_iter_bvec(&iter, ITER_DEST, &bvec, 1, 11);
	KUNIT_EXPECT_EQ(test, iov_iter_zero(2, &iter), 2UL);
	KUNIT_EXPECT_TRUE(test, copy_to_iter_full(text, 9, &iter));
	iov_iter_bvec(&iter, ITER_SOURCE, &bvec, 1, 11);
	KUNIT_EXPECT_TRUE(test, copy_from_iter_full(back, 11, &iter));
	KUNIT_EXPECT_MEMEQ(test, back, "\0\0" "012345678", 11);

	iov_iter_ubuf(&iter, ITER_DEST, (void __user *)back, 4);
	KUNIT_EXPECT_EQ(test, copy_to_iter(text, 10, &iter), 4UL);
	KUNIT_EXPECT_MEMEQ(test, back, "0123" "2345678", 11);
	iov_iter_discard(&iter, ITER_DEST, 8);
	KUNIT_EXPECT_EQ(test, copy_to_iter(text, 10, &iter), 8UL);
	__free_page(page);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_device_lives_by_its_references),
	KUNIT_CASE(test_driver_without_a_bus),
	KUNIT_CASE(test_device_of_a_class),
	KUNIT_CASE(test_misc_devices),
	KUNIT_CASE(test_devres_order),
	KUNIT_CASE(test_devm_memory),
	KUNIT_CASE(test_dma_memory),
	KUNIT_CASE(test_dma_entries),
	KUNIT_CASE(test_iov_iter_advance), KUNIT_CASE(test_copies_by_iterators),
	{}
};

static struct kunit_suite suite = { .name = "kernel_devices", .test_cases = cases };
kunit_test_suite(suite);
