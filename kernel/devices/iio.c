// SPDX-License-Identifier: MIT
/* Devices that measure: see linux/iio/iio.h. cf. Linux drivers/iio/industrialio-core.c. */
#include <linux/err.h>
#include <linux/iio/iio.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "class_devices.h"

static const struct bus_type iio_bus = { .name = "iio" };
static DEFINE_MUTEX(lock);
static unsigned int nr_registered;	/* Sync: lock; the bus is there while it has a device */
static DEFINE_IDA(numbers);

struct usermm_iio_files {
	struct attribute_list attributes;
	const struct attribute_group *groups[3];
};

static const char *const type_names[] = {
	"voltage", "current", "power", "accel", "anglvel", "magn", "illuminance", "intensity",
	"proximity", "temp", "incli", "rot", "angl", "timestamp", "capacitance", "altvoltage",
	"cct", "pressure", "humidityrelative", "activity", "steps", "energy", "distance",
	"velocity", "concentration", "resistance", "ph", "uvindex", "electricalconductivity",
	"count", "index", "gravity", "positionrelative", "phase", "massconcentration",
};
static const char *const modifier_names[] = {
	NULL, "x", "y", "z", "x&y", "x&z", "y&z", "x&y&z", "x|y", "x|z", "y|z", "x|y|z", "both",
	"ir", "sqrt(x^2+y^2)", "x^2+y^2+z^2", "clear", "red", "green", "blue", "quaternion",
	"ambient", "object",
};
static const char *const info_names[] = {
	"raw", "input", "scale", "offset", "calibscale", "calibbias", "peak_raw", "peak_scale",
	"quadrature_correction_raw", "mean_raw", "filter_low_pass_3db_frequency",
	"filter_high_pass_3db_frequency", "sampling_frequency", "frequency", "phase",
	"hardwaregain", "hysteresis", "hysteresis_relative", "integration_time", "en",
	"calibheight", "calibweight", "debounce_count", "debounce_time", "calibemissivity",
	"oversampling_ratio", "thermocouple_type", "calibambient", "zeropoint", "trough_raw",
};

/* Values as text. */

static int format_value(char *buffer, int at, int type, const int *values, int n)
{
	int value = values[0], value2 = n > 1 ? values[1] : 0;
	unsigned int digits = type == IIO_VAL_INT_PLUS_NANO ? 9 : 6, part;
	s64 large;
	s32 rest;

	switch (type) {
	case IIO_VAL_INT:
		return sysfs_emit_at(buffer, at, "%d", value);
	case IIO_VAL_INT_PLUS_MICRO:
	case IIO_VAL_INT_PLUS_MICRO_DB:
	case IIO_VAL_INT_PLUS_NANO:
		part = (unsigned int)(value2 < 0 ? -value2 : value2);
		return sysfs_emit_at(buffer, at, "%s%d.%0*u%s", value2 < 0 ? "-" : "",
				     value2 < 0 ? abs(value) : value, digits, part,
				     type == IIO_VAL_INT_PLUS_MICRO_DB ? " dB" : "");
	case IIO_VAL_FRACTIONAL:
	case IIO_VAL_FRACTIONAL_LOG2:
		large = type == IIO_VAL_FRACTIONAL ?
			div_s64((s64)value * 1000000000LL, value2) :
			(s64)value * 1000000000LL >> value2;
		value = (int)div_s64_rem(large, 1000000000, &rest);
		return sysfs_emit_at(buffer, at, "%s%d.%09u", large < 0 && !value ? "-" : "",
				     value, abs(rest));
	case IIO_VAL_INT_MULTIPLE:
		for (int i = 0, done = 0; i <= n; i++) {
			if (i == n)
				return done;
			done += sysfs_emit_at(buffer, at + done, "%d ", values[i]);
		}
		return 0;
	case IIO_VAL_INT_64:
		return sysfs_emit_at(buffer, at, "%lld",
				     (s64)((u64)(u32)value2 << 32 | (u32)value));
	case IIO_VAL_CHAR:
		return sysfs_emit_at(buffer, at, "%c", value);
	}
	return 0;
}

static const struct iio_chan_spec *channel_of(const struct iio_dev *device,
					      const struct numbered_attribute *which)
{
	return &device->channels[which->channel];
}

static ssize_t value_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct numbered_attribute *which = numbered(attr);
	struct iio_dev *device = dev_to_iio_dev(dev);
	int values[INDIO_MAX_RAW_ELEMENTS] = { 0 }, n = 2, type, length;

	if (device->info->read_raw_multi)
		type = device->info->read_raw_multi(device, channel_of(device, which),
						    INDIO_MAX_RAW_ELEMENTS, values, &n,
						    (long)which->what);
	else if (device->info->read_raw)
		type = device->info->read_raw(device, channel_of(device, which), &values[0],
					      &values[1], (long)which->what);
	else
		type = -EINVAL;
	if (type < 0)
		return type;
	length = format_value(buffer, 0, type, values, n);
	return length + sysfs_emit_at(buffer, length, "\n");
}

static ssize_t available_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct numbered_attribute *which = numbered(attr);
	struct iio_dev *device = dev_to_iio_dev(dev);
	int type, n, step, found, length = 0;
	const int *values;

	if (!device->info->read_avail)
		return -EINVAL;
	found = device->info->read_avail(device, channel_of(device, which), &values, &type, &n,
					 (long)which->what);
	if (found < 0)
		return found;
	step = type == IIO_VAL_INT ? 1 : 2;
	if (found == IIO_AVAIL_RANGE) {
		length = sysfs_emit(buffer, "[");
		n = 3 * step;
	}
	for (int i = 0; i < n; i += step) {
		length += i ? sysfs_emit_at(buffer, length, " ") : 0;
		length += format_value(buffer, length, type, values + i, step);
	}
	return length + sysfs_emit_at(buffer, length,
				      found == IIO_AVAIL_RANGE ? "]\n" : "\n");
}

/* "-1.25" as -1 and 250000 if there are six digits; a value of 0 has the sign at its fraction. */
static int parse_fixed(const char *text, unsigned int digits, int *value, int *fraction)
{
	bool negative = *text == '-', in_fraction = false;
	unsigned int left = digits;

	*value = *fraction = 0;
	if (*text == '-' || *text == '+')
		text++;
	for (; *text && *text != '\n'; text++) {
		if (*text == '.' && !in_fraction && digits) {
			in_fraction = true;
		} else if (*text >= '0' && *text <= '9') {
			if (!in_fraction)
				*value = *value * 10 + *text - '0';
			else if (left && left--)
				*fraction = *fraction * 10 + *text - '0';
		} else if (strncmp(text, " dB", 3)) {
			return -EINVAL;
		} else {
			break;
		}
	}
	while (left--)
		*fraction *= 10;
	if (negative && *value)
		*value = -*value;
	else if (negative)
		*fraction = -*fraction;
	return 0;
}

static ssize_t value_store(struct device *dev, struct device_attribute *attr, const char *buffer,
			   size_t n)
{
	const struct numbered_attribute *which = numbered(attr);
	struct iio_dev *device = dev_to_iio_dev(dev);
	const struct iio_info *info = device->info;
	int type = IIO_VAL_INT_PLUS_MICRO, value, fraction, error;

	if (!info->write_raw)
		return -EINVAL;
	if (info->write_raw_get_fmt)
		type = info->write_raw_get_fmt(device, channel_of(device, which),
					       (long)which->what);
	if (type != IIO_VAL_INT && type != IIO_VAL_INT_PLUS_MICRO &&
	    type != IIO_VAL_INT_PLUS_MICRO_DB && type != IIO_VAL_INT_PLUS_NANO)
		return -EINVAL;
	error = parse_fixed(buffer, type == IIO_VAL_INT ? 0 :
			    type == IIO_VAL_INT_PLUS_NANO ? 9 : 6, &value, &fraction);
	if (!error)
		error = info->write_raw(device, channel_of(device, which), value, fraction,
					(long)which->what);
	return error < 0 ? error : (ssize_t)n;
}

static ssize_t label_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	struct iio_dev *device = dev_to_iio_dev(dev);
	const struct iio_chan_spec *channel = channel_of(device, numbered(attr));

	return device->info->read_label ? device->info->read_label(device, channel, buffer) :
	       sysfs_emit(buffer, "%s\n", channel->extend_name);
}

static ssize_t more_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct numbered_attribute *which = numbered(attr);
	struct iio_dev *device = dev_to_iio_dev(dev);
	const struct iio_chan_spec *channel = channel_of(device, which);
	const struct iio_chan_spec_ext_info *more = &channel->ext_info[which->what];

	return more->read(device, more->private, channel, buffer);
}

static ssize_t more_store(struct device *dev, struct device_attribute *attr, const char *buffer,
			  size_t n)
{
	const struct numbered_attribute *which = numbered(attr);
	struct iio_dev *device = dev_to_iio_dev(dev);
	const struct iio_chan_spec *channel = channel_of(device, which);
	const struct iio_chan_spec_ext_info *more = &channel->ext_info[which->what];

	return more->write(device, more->private, channel, buffer, n);
}

static ssize_t name_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct iio_dev *device = dev_to_iio_dev(dev);

	return sysfs_emit(buffer, "%s\n", numbered(attr)->what ? device->label : device->name);
}

/* Attributes of channels. */

/* in_voltage0_, in_accel_x_, in_voltage1-voltage2_: this channel's, or of those like it. */
static void make_prefix(char *prefix, size_t n, const struct iio_chan_spec *channel,
			enum iio_shared_by shared)
{
	const char *direction = channel->output ? "out" : "in";
	const char *type = type_names[channel->type];
	char number[48] = "", modifier[32] = "";
	bool alone = shared == IIO_SEPARATE;

	if (shared == IIO_SHARED_BY_ALL) {
		*prefix = '\0';
		return;
	}
	if (shared == IIO_SHARED_BY_DIR) {
		snprintf(prefix, n, "%s_", direction);
		return;
	}
	if (channel->differential && alone)
		snprintf(number, sizeof(number), "%d-%s%d", channel->channel, type,
			 channel->channel2);
	else if (channel->differential)
		snprintf(number, sizeof(number), "-%s", type);
	else if (channel->indexed && alone)
		snprintf(number, sizeof(number), "%d", channel->channel);
	if (channel->modified && alone)
		snprintf(modifier, sizeof(modifier), "_%s", modifier_names[channel->channel2]);
	snprintf(prefix, n, "%s_%s%s%s_%s%s", direction, type, number, modifier,
		 channel->extend_name && alone ? channel->extend_name : "",
		 channel->extend_name && alone ? "_" : "");
}

static bool has_name(const struct attribute_list *list, const char *name)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->attrs[i]->name, name))
			return true;
	return false;
}

/* Adds the file of an attribute. A file that several channels share is added once. */
static int add_file(struct usermm_iio_files *files, const struct numbered_attribute *like,
		    const struct iio_chan_spec *channel, enum iio_shared_by shared,
		    const char *name, const char *suffix)
{
	char prefix[128], full[192];

	make_prefix(prefix, sizeof(prefix), channel, shared);
	snprintf(full, sizeof(full), "%s%s%s", prefix, name, suffix);
	if (!has_name(&files->attributes, full))
		return list_add_attribute(&files->attributes, like, "%s", full);
	if (shared != IIO_SEPARATE)
		return 0;
	pr_err("iio: tried to double register : %s\n", full);
	return -EBUSY;
}

static int add_values(struct usermm_iio_files *files, const struct iio_chan_spec *channel,
		      struct numbered_attribute like, enum iio_shared_by shared, long mask,
		      long available)
{
	int error = 0;

	for (unsigned int what = 0; what < ARRAY_SIZE(info_names) && !error; what++) {
		like.what = what;
		like.attr = (struct device_attribute){
			.attr.mode = 0644, .show = value_show, .store = value_store };
		if (mask & (long)BIT(what))
			error = add_file(files, &like, channel, shared, info_names[what], "");
		like.attr = (struct device_attribute){
			.attr.mode = 0444, .show = available_show };
		if (available & (long)BIT(what) && !error)
			error = add_file(files, &like, channel, shared, info_names[what],
					 "_available");
	}
	return error;
}

static int add_more(struct usermm_iio_files *files, const struct iio_chan_spec *channel,
		    struct numbered_attribute like)
{
	const struct iio_chan_spec_ext_info *more = channel->ext_info;
	int error = 0;

	for (unsigned int i = 0; more && more[i].name && !error; i++) {
		like.what = i;
		like.attr = (struct device_attribute){
			.attr.mode = (umode_t)((more[i].read ? 0444 : 0) |
					       (more[i].write ? 0200 : 0)),
			.show = more[i].read ? more_show : NULL,
			.store = more[i].write ? more_store : NULL,
		};
		error = add_file(files, &like, channel, more[i].shared, more[i].name, "");
	}
	return error;
}

static int add_channel(struct iio_dev *device, struct usermm_iio_files *files, unsigned int number)
{
	const struct iio_chan_spec *c = &device->channels[number];
	struct numbered_attribute like = {
		.channel = number, .attr = { .attr.mode = 0444, .show = label_show },
	};
	int error;

	if ((unsigned int)c->type >= ARRAY_SIZE(type_names) ||
	    (c->modified && (unsigned int)c->channel2 >= ARRAY_SIZE(modifier_names)))
		return -EINVAL;
	error = add_values(files, c, like, IIO_SEPARATE, c->info_mask_separate,
			   c->info_mask_separate_available);
	if (!error)
		error = add_values(files, c, like, IIO_SHARED_BY_TYPE,
				   c->info_mask_shared_by_type,
				   c->info_mask_shared_by_type_available);
	if (!error)
		error = add_values(files, c, like, IIO_SHARED_BY_DIR, c->info_mask_shared_by_dir,
				   c->info_mask_shared_by_dir_available);
	if (!error)
		error = add_values(files, c, like, IIO_SHARED_BY_ALL, c->info_mask_shared_by_all,
				   c->info_mask_shared_by_all_available);
	if (!error && (device->info->read_label || c->extend_name))
		error = add_file(files, &like, c, IIO_SEPARATE, "label", "");
	return error ? error : add_more(files, c, like);
}

static void files_free(struct usermm_iio_files *files)
{
	list_free(&files->attributes);
	kfree(files);
}

static struct usermm_iio_files *files_make(struct iio_dev *device)
{
	struct numbered_attribute like = { .attr = { .attr.mode = 0444, .show = name_show } };
	struct usermm_iio_files *files = kzalloc(sizeof(*files), GFP_KERNEL);
	int error = 0;

	if (!files)
		return ERR_PTR(-ENOMEM);
	for (int i = 0; i < device->num_channels && !error; i++)
		error = add_channel(device, files, (unsigned int)i);
	if (device->name && !error)
		error = list_add_attribute(&files->attributes, &like, "name");
	like.what = 1;
	if (device->label && !error)
		error = list_add_attribute(&files->attributes, &like, "label");
	if (error) {
		files_free(files);
		return ERR_PTR(error);
	}
	files->groups[0] = list_groups(&files->attributes)[0];
	files->groups[1] = device->info->attrs;
	return files;
}

/* Devices. */

static void release(struct device *dev)
{
	struct iio_dev *device = dev_to_iio_dev(dev);

	ida_free(&numbers, (unsigned int)device->id);
	kfree(device);
}

struct iio_dev *iio_device_alloc(struct device *parent, int n)
{
	struct iio_dev *device = kzalloc(ALIGN(sizeof(*device), IIO_DMA_MINALIGN) + (size_t)n,
					 GFP_KERNEL);

	if (!device)
		return NULL;
	device->id = ida_alloc(&numbers, GFP_KERNEL);
	if (device->id < 0) {
		kfree(device);
		return NULL;
	}
	device->priv = (char *)device + ALIGN(sizeof(*device), IIO_DMA_MINALIGN);
	device_initialize(&device->dev);
	device->dev.parent = parent;
	device->dev.bus = &iio_bus;
	device->dev.release = release;
	mutex_init(&device->mlock);
	dev_set_name(&device->dev, "iio:device%d", device->id);
	return device;
}

void iio_device_free(struct iio_dev *device)
{
	if (device)
		put_device(&device->dev);
}

static int take_bus(void)
{
	int error = 0;

	mutex_lock(&lock);
	if (!nr_registered)
		error = bus_register(&iio_bus);
	nr_registered += !error;
	mutex_unlock(&lock);
	return error;
}

static void drop_bus(void)
{
	mutex_lock(&lock);
	if (!--nr_registered)
		bus_unregister(&iio_bus);
	mutex_unlock(&lock);
}

int __iio_device_register(struct iio_dev *device, struct module *module)
{
	struct usermm_iio_files *files;
	int error;

	(void)module;
	if (!device->info)
		return -EINVAL;
	files = files_make(device);
	if (IS_ERR(files))
		return (int)PTR_ERR(files);
	error = take_bus();
	if (error) {
		files_free(files);
		return error;
	}
	device->dev.groups = files->groups;
	error = device_add(&device->dev);
	if (error) {
		drop_bus();
		files_free(files);
		device->dev.groups = NULL;
		return error;
	}
	device->usermm_files = files;
	return 0;
}

void iio_device_unregister(struct iio_dev *device)
{
	if (!device->usermm_files)
		return;
	device_del(&device->dev);
	drop_bus();
	device->dev.groups = NULL;
	files_free(device->usermm_files);
	device->usermm_files = NULL;
}

static void free_action(void *device)
{
	iio_device_free(device);
}

static void unregister_action(void *device)
{
	iio_device_unregister(device);
}

struct iio_dev *devm_iio_device_alloc(struct device *parent, int n)
{
	struct iio_dev *device = iio_device_alloc(parent, n);

	if (device && devm_add_action_or_reset(parent, free_action, device))
		return NULL;
	return device;
}

int __devm_iio_device_register(struct device *dev, struct iio_dev *device, struct module *module)
{
	int error = __iio_device_register(device, module);

	return error ? error : devm_add_action_or_reset(dev, unregister_action, device);
}
