// SPDX-License-Identifier: MIT
/* Input devices of a module, and the handlers that get their events. */
#include <kunit/test.h>
#include <linux/input.h>
#include <linux/slab.h>

static int nr_connected, nr_opened;
static unsigned int nr_events;
static struct input_value last;

static void event(struct input_handle *handle, unsigned int type, unsigned int code, int value)
{
	(void)handle;
	nr_events++;
	last = (struct input_value){ (__u16)type, (__u16)code, value };
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

	input_report_key(dev, KEY_A, 1);
	KUNIT_EXPECT_EQ(test, nr_events, 1U);
	KUNIT_EXPECT_EQ(test, last.code, KEY_A);
	input_report_key(dev, KEY_A, 1);	/* it is pressed already */
	input_report_key(dev, KEY_B, 1);	/* the device has no such key */
	input_report_rel(other, REL_X, 5);	/* the handler is not for it */
	KUNIT_EXPECT_EQ(test, nr_events, 1U);
	input_report_abs(dev, ABS_X, 50);
	KUNIT_EXPECT_EQ(test, last.value, 50);
	KUNIT_EXPECT_EQ(test, input_abs_get_val(dev, ABS_X), 50);
	input_sync(dev);
	KUNIT_EXPECT_EQ(test, last.type, EV_SYN);

	input_unregister_device(dev);
	KUNIT_EXPECT_EQ(test, nr_connected, 0);
	KUNIT_EXPECT_EQ(test, nr_opened, 0);
	input_unregister_handler(&handler);
	input_unregister_device(other);
	input_free_device(make_device(test));
}

static struct kunit_case input_cases[] = { KUNIT_CASE(test_events_reach_handlers), { } };

static struct kunit_suite input_suite = { .name = "input", .test_cases = input_cases };
kunit_test_suite(input_suite);
