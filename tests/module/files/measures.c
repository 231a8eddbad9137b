// SPDX-License-Identifier: MIT
/* A device that measures, with channels of several kinds, for measures.sh. */
#include <linux/iio/buffer.h>
#include <linux/iio/iio.h>
#include <linux/iio/sysfs.h>
#include <linux/iio/trigger_consumer.h>
#include <linux/iio/triggered_buffer.h>
#include <linux/module.h>
#include <linux/platform_device.h>

struct state {
	int scale, scale2, offset;
};

static const int frequencies[] = { 10, 0, 12, 500000, 100, 0 };
static const int range[] = { -5, 1, 5 };

static ssize_t powerdown_read(struct iio_dev *device, uintptr_t private,
			      const struct iio_chan_spec *channel, char *buffer)
{
	return sysfs_emit(buffer, "%d %lu\n", channel->channel, (unsigned long)private);
}

static ssize_t powerdown_write(struct iio_dev *device, uintptr_t private,
			       const struct iio_chan_spec *channel, const char *buffer, size_t n)
{
	return -EBUSY;
}

static const struct iio_chan_spec_ext_info ext_info[] = {
	{ .name = "powerdown", .shared = IIO_SEPARATE, .read = powerdown_read,
	  .write = powerdown_write, .private = 7 },
	{}
};

static const struct iio_chan_spec channels[] = {
	{ .type = IIO_VOLTAGE, .indexed = 1, .channel = 0,
	  .info_mask_separate = BIT(IIO_CHAN_INFO_RAW) | BIT(IIO_CHAN_INFO_OFFSET),
	  .info_mask_separate_available = BIT(IIO_CHAN_INFO_OFFSET),
	  .info_mask_shared_by_type = BIT(IIO_CHAN_INFO_SCALE),
	  .info_mask_shared_by_all = BIT(IIO_CHAN_INFO_SAMP_FREQ),
	  .info_mask_shared_by_all_available = BIT(IIO_CHAN_INFO_SAMP_FREQ) },
	{ .type = IIO_VOLTAGE, .indexed = 1, .channel = 1, .channel2 = 2, .differential = 1,
	  .info_mask_separate = BIT(IIO_CHAN_INFO_RAW),
	  .info_mask_shared_by_type = BIT(IIO_CHAN_INFO_SCALE) },
	{ .type = IIO_VOLTAGE, .indexed = 1, .channel = 3, .output = 1,
	  .info_mask_separate = BIT(IIO_CHAN_INFO_RAW), .ext_info = ext_info },
	{ .type = IIO_ACCEL, .modified = 1, .channel2 = IIO_MOD_X,
	  .info_mask_separate = BIT(IIO_CHAN_INFO_RAW) | BIT(IIO_CHAN_INFO_PROCESSED),
	  .info_mask_shared_by_type = BIT(IIO_CHAN_INFO_CALIBBIAS) },
	{ .type = IIO_TEMP, .extend_name = "case",
	  .info_mask_separate = BIT(IIO_CHAN_INFO_RAW) | BIT(IIO_CHAN_INFO_SCALE) },
	IIO_CHAN_SOFT_TIMESTAMP(5),
};

static int read_raw(struct iio_dev *device, const struct iio_chan_spec *channel, int *value,
		    int *value2, long what)
{
	const struct state *state = iio_priv(device);

	switch (what) {
	case IIO_CHAN_INFO_RAW:
		*value = channel->type == IIO_TEMP ? -EIO : 100 + channel->channel;
		return channel->type == IIO_TEMP ? -EIO : IIO_VAL_INT;
	case IIO_CHAN_INFO_OFFSET:
		*value = state->offset;
		return IIO_VAL_INT;
	case IIO_CHAN_INFO_SCALE:
		*value = channel->type == IIO_TEMP ? -1 : state->scale;
		*value2 = channel->type == IIO_TEMP ? 2 : state->scale2;
		return channel->type == IIO_TEMP ? IIO_VAL_FRACTIONAL_LOG2 :
						   IIO_VAL_INT_PLUS_MICRO;
	case IIO_CHAN_INFO_PROCESSED:
		*value = 22;
		*value2 = 7;
		return IIO_VAL_FRACTIONAL;
	case IIO_CHAN_INFO_CALIBBIAS:
		*value = 0;
		*value2 = -500;
		return IIO_VAL_INT_PLUS_NANO;
	case IIO_CHAN_INFO_SAMP_FREQ:
		*value = 12;
		*value2 = 500000;
		return IIO_VAL_INT_PLUS_MICRO;
	}
	return -EINVAL;
}

static int read_avail(struct iio_dev *device, const struct iio_chan_spec *channel,
		      const int **values, int *type, int *n, long what)
{
	*values = what == IIO_CHAN_INFO_OFFSET ? range : frequencies;
	*type = what == IIO_CHAN_INFO_OFFSET ? IIO_VAL_INT : IIO_VAL_INT_PLUS_MICRO;
	*n = ARRAY_SIZE(frequencies);
	return what == IIO_CHAN_INFO_OFFSET ? IIO_AVAIL_RANGE : IIO_AVAIL_LIST;
}

static int format_of(struct iio_dev *device, const struct iio_chan_spec *channel, long what)
{
	return what == IIO_CHAN_INFO_OFFSET ? IIO_VAL_INT : IIO_VAL_INT_PLUS_MICRO;
}

static int write_raw(struct iio_dev *device, const struct iio_chan_spec *channel, int value,
		     int value2, long what)
{
	struct state *state = iio_priv(device);

	if (what == IIO_CHAN_INFO_OFFSET) {
		state->offset = value;
		return 0;
	}
	if (what != IIO_CHAN_INFO_SCALE)
		return -EINVAL;
	state->scale = value;
	state->scale2 = value2;
	return 0;
}

static IIO_CONST_ATTR(constant, "1 2 3");
static ssize_t own_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	return sysfs_emit(buffer, "%s %llu\n", dev_to_iio_dev(dev)->name,
			  to_iio_dev_attr(attr)->address);
}
static IIO_DEVICE_ATTR_RO(own, 33);
static struct attribute *attrs[] = {
	&iio_const_attr_constant.dev_attr.attr, &iio_dev_attr_own.dev_attr.attr, NULL,
};
static const struct attribute_group group = { .attrs = attrs };
static const struct iio_info info = {
	.read_raw = read_raw, .write_raw = write_raw, .read_avail = read_avail,
	.write_raw_get_fmt = format_of, .attrs = &group,
};

static int probe(struct platform_device *platform)
{
	struct iio_dev *device = devm_iio_device_alloc(&platform->dev, sizeof(struct state));
	int error;

	if (!device)
		return -ENOMEM;
	pr_info("without info %d\n", devm_iio_device_register(&platform->dev, device));
	device->name = "measures";
	device->info = &info;
	device->modes = INDIO_DIRECT_MODE;
	device->channels = (const struct iio_chan_spec[]){ channels[0], channels[0] };
	device->num_channels = 2;
	pr_info("one name twice %d\n", devm_iio_device_register(&platform->dev, device));
	device->channels = channels;
	device->num_channels = ARRAY_SIZE(channels);
	error = devm_iio_triggered_buffer_setup(&platform->dev, device, iio_pollfunc_store_time,
						NULL, NULL);
	return error ? error : devm_iio_device_register(&platform->dev, device);
}

static struct platform_driver driver = { .probe = probe, .driver = { .name = "measures" } };
static struct platform_device *platform;

static int __init measures_init(void)
{
	int error = platform_driver_register(&driver);

	if (error)
		return error;
	platform = platform_device_register_simple("measures", -1, NULL, 0);
	if (!IS_ERR(platform))
		return 0;
	platform_driver_unregister(&driver);
	return PTR_ERR(platform);
}

static void __exit measures_exit(void)
{
	platform_device_unregister(platform);
	platform_driver_unregister(&driver);
}

module_init(measures_init);
module_exit(measures_exit);
MODULE_LICENSE("GPL");
