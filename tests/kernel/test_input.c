// SPDX-License-Identifier: MIT
/* Input devices of a module, and the handlers that get their events. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/input.h>
#include <linux/input/mt.h>
#include <linux/slab.h>

#define MAX_EVENTS 64

static int nr_connected, nr_opened;
static unsigned int nr_events;
static struct input_value seen[MAX_EVENTS];

static void event(struct input_handle *handle, unsigned int type, unsigned int code, int value)
{
	(void)handle;
	if (nr_events < MAX_EVENTS)
		seen[nr_events] = (struct input_value){ (__u16)type, (__u16)code, value };
	/* pairs with test_held_keys_repeat(): seen[] */
	smp_store_release(&nr_events, nr_events + 1);
}

static int connect(struct input_handler *handler, struct input_dev *dev,
		   const struct input_device_id *id)
{
	struct input_handle *handle = kzalloc(sizeof(*handle), GFP_KERNEL);

	(void)id;
	if (!handle)
		return -ENOMEM;
	handle->dev = dev;
	handle->handler = handler;
	handle->name = "test";
	nr_connected++;
	return input_register_handle(handle) ?: input_open_device(handle);
}

static void disconnect(struct input_handle *handle)
{
	input_close_device(handle);
	input_unregister_handle(handle);
	kfree(handle);
	nr_connected--;
}

static const struct input_device_id keys[] = {
	{ .flags = INPUT_DEVICE_ID_MATCH_EVBIT, .evbit = { BIT_MASK(EV_KEY) } }, { }
};
static struct input_handler handler = {
	.name = "test", .event = event, .connect = connect, .disconnect = disconnect,
	.id_table = keys,
};

static int open(struct input_dev *dev)
{
	(void)dev;
	nr_opened++;
	return 0;
}

static void close(struct input_dev *dev)
{
	(void)dev;
	nr_opened--;
}

static void expect_event(struct kunit *test, unsigned int i, unsigned int type, unsigned int code,
			 int value)
{
	KUNIT_EXPECT_EQ(test, seen[i].type, type);
	KUNIT_EXPECT_EQ(test, seen[i].code, code);
	KUNIT_EXPECT_EQ(test, seen[i].value, value);
}

static struct input_dev *make_device(struct kunit *test)
{
	struct input_dev *dev = input_allocate_device();

	KUNIT_ASSERT_NOT_NULL(test, dev);
	dev->name = "keys";
	dev->open = open;
	dev->close = close;
	return dev;
}

static void test_events_reach_handlers(struct kunit *test)
{
	struct input_dev *dev = make_device(test), *other = make_device(test);

	nr_events = 0;
	input_set_capability(dev, EV_KEY, KEY_A);
	input_set_abs_params(dev, ABS_X, 0, 100, 0, 0);
	input_set_capability(other, EV_REL, REL_X);
	KUNIT_ASSERT_EQ(test, input_register_device(dev), 0);
	KUNIT_ASSERT_EQ(test, input_register_handler(&handler), 0);
	KUNIT_ASSERT_EQ(test, input_register_device(other), 0);
	KUNIT_EXPECT_EQ(test, nr_connected, 1);
	KUNIT_EXPECT_EQ(test, nr_opened, 1);

	/* Nobody hears of a packet before it is complete, or of one that changes nothing. */
	input_report_key(dev, KEY_A, 1);
	input_report_key(dev, KEY_A, 1);	/* it is pressed already */
	input_report_key(dev, KEY_B, 1);	/* the device has no such key */
	input_report_rel(other, REL_X, 5);	/* the handler is not for it */
	input_report_abs(dev, ABS_X, 50);
	KUNIT_EXPECT_EQ(test, nr_events, 0U);
	input_sync(dev);
	input_sync(dev);
	KUNIT_ASSERT_EQ(test, nr_events, 3U);
	expect_event(test, 0, EV_KEY, KEY_A, 1);
	expect_event(test, 1, EV_ABS, ABS_X, 50);
	expect_event(test, 2, EV_SYN, SYN_REPORT, 0);
	KUNIT_EXPECT_EQ(test, input_abs_get_val(dev, ABS_X), 50);

	/* A pressed key is let go when the device goes. */
	input_unregister_device(dev);
	KUNIT_EXPECT_EQ(test, nr_events, 5U);
	expect_event(test, 3, EV_KEY, KEY_A, 0);
	KUNIT_EXPECT_EQ(test, nr_connected, 0);
	KUNIT_EXPECT_EQ(test, nr_opened, 0);
	input_unregister_handler(&handler);
	input_unregister_device(other);
	input_free_device(make_device(test));
}

/* A device whose keys the handler hears. */
static struct input_dev *start(struct kunit *test, void (*prepare)(struct input_dev *dev))
{
	struct input_dev *dev = make_device(test);

	nr_events = 0;
	input_set_capability(dev, EV_KEY, KEY_A);
	if (prepare)
		prepare(dev);
	KUNIT_ASSERT_EQ(test, input_register_handler(&handler), 0);
	KUNIT_ASSERT_EQ(test, input_register_device(dev), 0);
	KUNIT_ASSERT_EQ(test, nr_connected, 1);
	return dev;
}

static void stop(struct input_dev *dev)
{
	input_unregister_device(dev);
	input_unregister_handler(&handler);
}

static void with_axis(struct input_dev *dev)
{
	input_set_abs_params(dev, ABS_X, -100, 100, 8, 0);
	input_abs_set_res(dev, ABS_X, 12);
}

static void test_noise_is_left_out(struct kunit *test)
{
	struct input_dev *dev = start(test, with_axis);
	static const struct { int told, seen; } moves[] = {
		{ 3, 0 }, { -3, 0 }, { 7, 1 }, { 13, 7 }, { 100, 100 }, { 97, 100 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(moves); i++) {
		input_report_abs(dev, ABS_X, moves[i].told);
		KUNIT_EXPECT_EQ(test, input_abs_get_val(dev, ABS_X), moves[i].seen);
	}
	KUNIT_EXPECT_EQ(test, input_abs_get_res(dev, ABS_X), 12);
	KUNIT_EXPECT_EQ(test, input_abs_get_min(dev, ABS_X), -100);
	stop(dev);
}

/* A packet that is too long comes in pieces. */
static void test_long_packets_come_in_pieces(struct kunit *test)
{
	struct input_dev *dev = start(test, NULL);
	unsigned int n = dev->max_vals;

	for (unsigned int i = 0; i < n; i++)
		input_report_key(dev, KEY_A, (i + 1) % 2);
	KUNIT_EXPECT_EQ(test, nr_events, n - 1);
	expect_event(test, nr_events - 1, EV_SYN, SYN_REPORT, 1);
	input_sync(dev);
	KUNIT_EXPECT_EQ(test, nr_events, n + 2);
	stop(dev);
}

static bool keep_presses(struct input_handle *handle, unsigned int type, unsigned int code,
			 int value)
{
	(void)handle, (void)code;
	return type == EV_KEY && value == 1;
}

static struct input_handler filter = {
	.name = "filter", .filter = keep_presses, .connect = connect, .disconnect = disconnect,
	.id_table = keys,
};

static void test_filters_and_grabs(struct kunit *test)
{
	struct input_dev *dev = start(test, NULL);
	struct input_handle *handle = list_first_entry(&handler.h_list, struct input_handle,
						       h_node);

	input_register_handler(&filter);
	input_report_key(dev, KEY_A, 1);
	input_report_key(dev, KEY_A, 0);
	input_sync(dev);
	KUNIT_EXPECT_EQ(test, nr_events, 2U);
	expect_event(test, 0, EV_KEY, KEY_A, 0);

	KUNIT_EXPECT_EQ(test, input_grab_device(handle), 0);
	KUNIT_EXPECT_EQ(test, input_grab_device(handle), -EBUSY);
	input_report_key(dev, KEY_A, 1);
	input_sync(dev);
	expect_event(test, 2, EV_KEY, KEY_A, 1);	/* the filter does not get it */
	input_release_device(handle);
	input_unregister_handler(&filter);
	input_reset_device(dev);
	expect_event(test, 4, EV_KEY, KEY_A, 0);
	stop(dev);
}

static void with_repetition(struct input_dev *dev)
{
	__set_bit(EV_REP, dev->evbit);
	input_enable_softrepeat(dev, 10, 5);
}

static void test_held_keys_repeat(struct kunit *test)
{
	struct input_dev *dev = start(test, with_repetition);
	unsigned int n;

	input_report_key(dev, KEY_A, 1);
	input_sync(dev);
	/* pairs with event(): seen[] */
	for (int i = 0; i < 1000 && smp_load_acquire(&nr_events) < 6; i++)
		msleep(5);
	KUNIT_ASSERT_GE(test, READ_ONCE(nr_events), 6U);
	expect_event(test, 2, EV_KEY, KEY_A, 2);
	input_report_key(dev, KEY_A, 0);
	input_sync(dev);
	n = READ_ONCE(nr_events);
	msleep(50);
	KUNIT_EXPECT_EQ(test, READ_ONCE(nr_events), n);
	stop(dev);
}

static atomic_t nr_asked;

static void ask(struct input_dev *dev)
{
	(void)dev;
	atomic_inc(&nr_asked);
}

static void with_polling(struct input_dev *dev)
{
	input_setup_polling(dev, ask);
	input_set_poll_interval(dev, 2);
}

static void test_devices_are_asked_while_open(struct kunit *test)
{
	struct input_dev *dev, *idle = make_device(test);
	int n;

	KUNIT_EXPECT_EQ(test, input_get_poll_interval(idle), -EINVAL);
	KUNIT_ASSERT_EQ(test, input_setup_polling(idle, ask), 0);
	KUNIT_ASSERT_EQ(test, input_register_device(idle), 0);
	KUNIT_EXPECT_EQ(test, input_get_poll_interval(idle), 500);
	input_set_poll_interval(idle, 1);
	atomic_set(&nr_asked, 0);
	msleep(20);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_asked), 0);
	input_unregister_device(idle);

	dev = start(test, with_polling);
	for (int i = 0; i < 1000 && atomic_read(&nr_asked) < 3; i++)
		msleep(5);
	KUNIT_EXPECT_GE(test, atomic_read(&nr_asked), 3);
	input_unregister_handler(&handler);
	n = atomic_read(&nr_asked);
	msleep(20);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_asked), n);
	input_unregister_device(dev);
}

static void with_contacts(struct input_dev *dev)
{
	input_set_abs_params(dev, ABS_MT_POSITION_X, 0, 100, 0, 0);
	input_mt_init_slots(dev, 2, INPUT_MT_DIRECT | INPUT_MT_DROP_UNUSED);
}

static void test_contacts(struct kunit *test)
{
	struct input_dev *dev = start(test, with_contacts);
	const struct input_mt_slot *slots = dev->mt->slots;

	KUNIT_EXPECT_EQ(test, input_mt_init_slots(dev, 3, 0), -EINVAL);
	for (int i = 1; i >= 0; i--) {
		input_mt_slot(dev, i);
		KUNIT_EXPECT_TRUE(test, input_mt_report_slot_state(dev, MT_TOOL_FINGER, true));
		input_report_abs(dev, ABS_MT_POSITION_X, 10 + i);
	}
	input_mt_sync_frame(dev);
	KUNIT_EXPECT_EQ(test, input_mt_get_value(&slots[1], ABS_MT_TRACKING_ID), 0);
	KUNIT_EXPECT_EQ(test, input_mt_get_value(&slots[0], ABS_MT_TRACKING_ID), 1);
	KUNIT_EXPECT_EQ(test, input_mt_get_value(&slots[0], ABS_MT_POSITION_X), 10);
	KUNIT_EXPECT_EQ(test, input_abs_get_val(dev, ABS_X), 11);	/* the older one */
	/* Slot 1 is not reported again. */
	input_mt_slot(dev, 0);
	input_mt_report_slot_state(dev, MT_TOOL_FINGER, true);
	input_mt_sync_frame(dev);
	KUNIT_EXPECT_FALSE(test, input_mt_is_active(&slots[1]));
	KUNIT_EXPECT_EQ(test, input_abs_get_val(dev, ABS_X), 10);
	KUNIT_EXPECT_TRUE(test, test_bit(BTN_TOUCH, dev->key));
	stop(dev);
}

static void test_mistakes(struct kunit *test)
{
	struct input_dev *dev = make_device(test);

	input_set_capability(dev, EV_REL, REL_MAX + 1);
	input_set_capability(dev, 7, 0);
	KUNIT_EXPECT_EQ(test, dev->evbit[0], 0UL);
	__set_bit(EV_ABS, dev->evbit);
	KUNIT_EXPECT_EQ(test, input_register_device(dev), -EINVAL);
	input_alloc_absinfo(dev);
	__set_bit(KEY_A, dev->keybit);		/* but no EV_KEY */
	KUNIT_EXPECT_EQ(test, input_register_device(dev), 0);
	KUNIT_EXPECT_FALSE(test, test_bit(KEY_A, dev->keybit));
	input_unregister_device(dev);
}

/* What its file gives: packets, and -ENODEV when the device is gone. */
static void test_file_of_a_device(struct kunit *test)
{
	struct input_dev *dev = make_device(test);
	struct input_event events[4];
	char path[32], name[8];
	struct input_handle *handle;
	struct file *file;
	loff_t pos = 0;

	input_set_capability(dev, EV_KEY, KEY_A);
	KUNIT_ASSERT_EQ(test, input_register_device(dev), 0);
	handle = list_first_entry(&dev->h_list, struct input_handle, d_node);
	snprintf(path, sizeof(path), "/dev/input/%s", handle->name);
	file = filp_open(path, O_RDWR | O_NONBLOCK, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, nr_opened, 1);
	KUNIT_EXPECT_EQ(test, file->f_op->unlocked_ioctl(file, EVIOCGNAME(sizeof(name)),
						     (unsigned long)name), 5);
	KUNIT_EXPECT_STREQ(test, name, "keys");
	input_report_key(dev, KEY_A, 1);
	KUNIT_EXPECT_EQ(test, vfs_read(file, (char *)events, sizeof(events), &pos), -EAGAIN);
	input_sync(dev);
	KUNIT_EXPECT_EQ(test, vfs_read(file, (char *)events, sizeof(events), &pos),
			(ssize_t)(2 * sizeof(events[0])));
	KUNIT_EXPECT_EQ(test, events[0].code, KEY_A);
	input_unregister_device(dev);
	KUNIT_EXPECT_EQ(test, nr_opened, 0);
	KUNIT_EXPECT_EQ(test, vfs_read(file, (char *)events, sizeof(events), &pos), -ENODEV);
	filp_close(file, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(filp_open(path, O_RDWR, 0)), -ENOENT);
}

static struct kunit_case input_cases[] = {
	KUNIT_CASE(test_events_reach_handlers), KUNIT_CASE(test_noise_is_left_out),
	KUNIT_CASE(test_long_packets_come_in_pieces), KUNIT_CASE(test_filters_and_grabs),
	KUNIT_CASE(test_held_keys_repeat), KUNIT_CASE(test_devices_are_asked_while_open),
	KUNIT_CASE(test_contacts), KUNIT_CASE(test_mistakes), KUNIT_CASE(test_file_of_a_device),
	{ }
};

static struct kunit_suite input_suite = { .name = "input", .test_cases = input_cases };
kunit_test_suite(input_suite);
