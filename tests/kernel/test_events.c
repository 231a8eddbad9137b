// SPDX-License-Identifier: MIT
/* Fences, alarms, tables of keys, and devices of several functions. */
#include <kunit/test.h>
#include <linux/alarmtimer.h>
#include <linux/completion.h>
#include <linux/dma-fence.h>
#include <linux/input/matrix_keypad.h>
#include <linux/input/sparse-keymap.h>
#include <linux/mfd/core.h>
#include <linux/slab.h>

static const char *fence_name(struct dma_fence *fence)
{
	(void)fence;
	return "fence";
}

static bool is_over(struct dma_fence *fence)
{
	(void)fence;
	return false;
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = fence_name, .get_timeline_name = fence_name,
};
static const struct dma_fence_ops over_ops = {
	.get_driver_name = fence_name, .get_timeline_name = fence_name,
	.enable_signaling = is_over,
};

struct counting {
	struct dma_fence_cb callback;
	int calls;
};

static void count(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	(void)fence;
	container_of(cb, struct counting, callback)->calls++;
}

static void test_fence_signals_once(struct kunit *test)
{
	struct counting first = { .calls = 0 }, second = { .calls = 0 };
	struct dma_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);
	u64 context = dma_fence_context_alloc(3);

	KUNIT_ASSERT_NOT_NULL(test, fence);
	KUNIT_EXPECT_EQ(test, dma_fence_context_alloc(1), context + 3);
	dma_fence_init(fence, &fence_ops, NULL, context, 1);
	KUNIT_EXPECT_EQ(test, dma_fence_add_callback(fence, &first.callback, count), 0);
	KUNIT_EXPECT_EQ(test, dma_fence_add_callback(fence, &second.callback, count), 0);
	KUNIT_EXPECT_TRUE(test, dma_fence_remove_callback(fence, &second.callback));
	KUNIT_EXPECT_FALSE(test, dma_fence_remove_callback(fence, &second.callback));
	KUNIT_EXPECT_EQ(test, dma_fence_wait_timeout(fence, false, 0), 0L);
	KUNIT_EXPECT_EQ(test, dma_fence_wait_timeout(fence, true, 1), 0L);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(fence), 0);
	dma_fence_set_error(fence, -EIO);
	KUNIT_EXPECT_FALSE(test, dma_fence_check_and_signal(fence));
	KUNIT_EXPECT_TRUE(test, dma_fence_check_and_signal(fence));
	KUNIT_EXPECT_EQ(test, first.calls, 1);
	KUNIT_EXPECT_EQ(test, second.calls, 0);
	KUNIT_EXPECT_EQ(test, dma_fence_add_callback(fence, &second.callback, count), -ENOENT);
	KUNIT_EXPECT_EQ(test, dma_fence_wait(fence, true), 0L);
	KUNIT_EXPECT_EQ(test, dma_fence_wait_timeout(fence, false, 7), 7L);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(fence), -EIO);
	dma_fence_put(fence);
}

static void test_fence_that_cannot_signal_is_over(struct kunit *test)
{
	struct dma_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);
	struct counting counting = { .calls = 0 };

	KUNIT_ASSERT_NOT_NULL(test, fence);
	dma_fence_init(fence, &over_ops, NULL, 1, 1);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	KUNIT_EXPECT_EQ(test, dma_fence_add_callback(fence, &counting.callback, count), -ENOENT);
	KUNIT_EXPECT_TRUE(test, dma_fence_is_signaled(fence));
	KUNIT_EXPECT_EQ(test, counting.calls, 0);
	dma_fence_put(fence);
}

static DECLARE_COMPLETION(rang);

static void ring(struct alarm *alarm, ktime_t now)
{
	if (now >= alarm->node.expires)
		complete(&rang);
}

static void test_alarm_rings_at_its_time(struct kunit *test)
{
	struct alarm alarm;

	alarm_init(&alarm, ALARM_REALTIME, ring);
	KUNIT_EXPECT_TRUE(test, alarm_start_timer(&alarm, NSEC_PER_MSEC, true));
	wait_for_completion(&rang);
	KUNIT_EXPECT_FALSE(test, alarm_start_timer(&alarm, 1, false));	/* in 1970 */
	KUNIT_EXPECT_TRUE(test, alarm_start_timer(&alarm, 3600 * NSEC_PER_SEC, true));
	KUNIT_EXPECT_GT(test, alarm_expires_remaining(&alarm), 1800 * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, alarm_cancel(&alarm), 1);
	KUNIT_EXPECT_EQ(test, alarm_cancel(&alarm), 0);
	alarm.node.expires = 100;
	KUNIT_EXPECT_EQ(test, alarm_forward(&alarm, 99, 10), 0ULL);
	KUNIT_EXPECT_EQ(test, alarm_forward(&alarm, 125, 10), 3ULL);
	KUNIT_EXPECT_EQ(test, alarm.node.expires, 130LL);
}

static int skip_last(struct input_dev *dev, struct key_entry *entry)
{
	(void)dev;
	return entry->code == 9 ? -EPERM : 0;
}

static void test_key_tables_find_keys(struct kunit *test)
{
	static const struct key_entry table[] = {
		{ .type = KE_KEY, .code = 1, .keycode = KEY_UP },
		{ .type = KE_SW, .code = 2, .sw = { .code = SW_LID, .value = 1 } },
		{ .type = KE_IGNORE, .code = 9 }, { .type = KE_END },
	};
	static const u32 keys[] = { KEY(0, 2, KEY_A), KEY(1, 0, KEY_B) };
	static const u32 outside[] = { KEY(2, 0, KEY_A) };
	struct matrix_keymap_data data = { .keymap = keys, .keymap_size = 2 };
	struct input_dev *dev = input_allocate_device();
	unsigned short codes[8] = { 0 };

	KUNIT_ASSERT_NOT_NULL(test, dev);
	KUNIT_EXPECT_EQ(test, sparse_keymap_setup(dev, table, skip_last), -EPERM);
	KUNIT_ASSERT_EQ(test, sparse_keymap_setup(dev, table, NULL), 0);
	KUNIT_EXPECT_TRUE(test, test_bit(KEY_UP, dev->keybit));
	KUNIT_EXPECT_TRUE(test, test_bit(SW_LID, dev->swbit));
	KUNIT_ASSERT_EQ(test, input_register_device(dev), 0);
	KUNIT_EXPECT_TRUE(test, sparse_keymap_report_event(dev, 2, 0, false));
	KUNIT_EXPECT_TRUE(test, test_bit(SW_LID, dev->sw));
	KUNIT_EXPECT_TRUE(test, sparse_keymap_report_event(dev, 1, 1, false));
	KUNIT_EXPECT_TRUE(test, test_bit(KEY_UP, dev->key));
	KUNIT_EXPECT_FALSE(test, sparse_keymap_report_event(dev, 7, 1, true));
	KUNIT_EXPECT_EQ(test, sparse_keymap_entry_from_keycode(dev, KEY_UP)->code, 1U);
	input_unregister_device(dev);

	dev = input_allocate_device();
	KUNIT_ASSERT_NOT_NULL(test, dev);
	KUNIT_EXPECT_EQ(test, matrix_keypad_build_keymap(&data, NULL, 2, 3, codes, dev), 0);
	KUNIT_EXPECT_EQ(test, codes[2], KEY_A);
	KUNIT_EXPECT_EQ(test, codes[4], KEY_B);		/* a row has room for four */
	data = (struct matrix_keymap_data){ .keymap = outside, .keymap_size = 1 };
	KUNIT_EXPECT_EQ(test, matrix_keypad_build_keymap(&data, NULL, 2, 3, codes, dev), -EINVAL);
	input_free_device(dev);
}

static struct resource seen[2];
static int nr_probed;

static int probe(struct platform_device *pdev)
{
	struct resource *memory = platform_get_resource_byname(pdev, IORESOURCE_MEM, "registers");

	nr_probed++;
	if (!memory)
		return 0;
	seen[0] = *memory;
	seen[1].start = (resource_size_t)platform_get_irq_byname_optional(pdev, "tick");
	return *(int *)dev_get_platdata(&pdev->dev) == 42 ? 0 : -EINVAL;
}

static int nr_removed;

static void removed(struct platform_device *pdev)
{
	(void)pdev;
	nr_removed++;
}

static void test_cells_become_devices(struct kunit *test)
{
	static const struct resource resources[] = {
		DEFINE_RES_MEM_NAMED(0x10, 4, "registers"), DEFINE_RES_IRQ_NAMED(3, "tick"),
	};
	static const int number = 42;
	static const struct mfd_cell cells[] = {
		{ .name = "cell", .id = 1, .resources = resources, .num_resources = 2,
		  .platform_data = &number, .pdata_size = sizeof(number) },
		{ .name = "cell", .id = 2, .level = MFD_DEP_LEVEL_HIGH },
	};
	struct resource base = DEFINE_RES_MEM(0x1000, 0x100);
	struct platform_driver driver = {
		.driver = { .name = "cell" }, .probe = probe, .remove = removed,
	};
	struct platform_device *parent =
		platform_device_register_simple("parent", PLATFORM_DEVID_NONE, NULL, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR(parent));
	KUNIT_ASSERT_EQ(test, platform_driver_register(&driver), 0);
	KUNIT_ASSERT_EQ(test, mfd_add_devices(&parent->dev, 5, cells, 2, &base, 100, NULL), 0);
	KUNIT_EXPECT_EQ(test, nr_probed, 2);
	KUNIT_EXPECT_EQ(test, seen[0].start, (resource_size_t)0x1010);
	KUNIT_EXPECT_EQ(test, seen[0].end, (resource_size_t)0x1013);
	KUNIT_EXPECT_EQ(test, seen[1].start, (resource_size_t)103);
	KUNIT_EXPECT_EQ(test, mfd_add_devices(&parent->dev, 6, cells, 2, &base, 0, NULL), -EEXIST);
	/* Those of a high level stay for the end. */
	nr_removed = 0;
	mfd_remove_devices(&parent->dev);
	KUNIT_EXPECT_EQ(test, nr_removed, 1);
	mfd_remove_devices_late(&parent->dev);
	KUNIT_EXPECT_EQ(test, nr_removed, 2);
	KUNIT_EXPECT_EQ(test, mfd_add_devices(&parent->dev, 5, cells, 1, &base, 0, NULL), 0);
	mfd_remove_devices(&parent->dev);
	KUNIT_EXPECT_EQ(test, nr_removed, 3);
	platform_driver_unregister(&driver);
	platform_device_unregister(parent);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(test_fence_signals_once),
	KUNIT_CASE(test_fence_that_cannot_signal_is_over),
	KUNIT_CASE(test_alarm_rings_at_its_time),
	KUNIT_CASE(test_key_tables_find_keys),
	KUNIT_CASE(test_cells_become_devices),
	{}
};

static struct kunit_suite event_suite = { .name = "events", .test_cases = event_cases };
kunit_test_suite(event_suite);
