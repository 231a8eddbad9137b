/* SPDX-License-Identifier: MIT */
/* Attributes that a driver makes itself. */
#ifndef _INDUSTRIAL_IO_SYSFS_H_
#define _INDUSTRIAL_IO_SYSFS_H_

#include <linux/device.h>
#include <linux/iio/iio.h>
#include <linux/stringify.h>

struct iio_dev_attr {
	struct device_attribute dev_attr;
	u64 address;
};
#define to_iio_dev_attr(attribute) container_of(attribute, struct iio_dev_attr, dev_attr)

struct iio_const_attr {
	const char *string;
	struct device_attribute dev_attr;
};

static inline ssize_t iio_read_const_attr(struct device *dev, struct device_attribute *attr,
					  char *buffer)
{
	(void)dev;
	return sysfs_emit(buffer, "%s\n",
			  container_of(attr, struct iio_const_attr, dev_attr)->string);
}

#define IIO_ATTR(_name, _mode, _show, _store, _address) \
	{ .dev_attr = __ATTR(_name, _mode, _show, _store), .address = (_address) }
#define IIO_DEVICE_ATTR(_name, _mode, _show, _store, _address) \
	struct iio_dev_attr iio_dev_attr_##_name = \
		IIO_ATTR(_name, _mode, _show, _store, _address)
#define IIO_DEVICE_ATTR_RO(_name, _address) \
	IIO_DEVICE_ATTR(_name, 0444, _name##_show, NULL, _address)
#define IIO_DEVICE_ATTR_WO(_name, _address) \
	IIO_DEVICE_ATTR(_name, 0200, NULL, _name##_store, _address)
#define IIO_DEVICE_ATTR_RW(_name, _address) \
	IIO_DEVICE_ATTR(_name, 0644, _name##_show, _name##_store, _address)
#define USERMM_IIO_CONST(_variable, _file, _string) \
	struct iio_const_attr iio_const_attr_##_variable = { .string = _string, \
		.dev_attr = { .attr = { .name = _file, .mode = 0444 }, \
			      .show = iio_read_const_attr } }
#define IIO_CONST_ATTR(_name, _string) USERMM_IIO_CONST(_name, #_name, _string)
#define IIO_CONST_ATTR_NAMED(_variable, _name, _string) \
	USERMM_IIO_CONST(_variable, #_name, _string)
#define IIO_DEVICE_ATTR_NAMED(_variable, _name, _mode, _show, _store, _address) \
	struct iio_dev_attr iio_dev_attr_##_variable = \
		IIO_ATTR(_name, _mode, _show, _store, _address)
#define IIO_CONST_ATTR_SAMP_FREQ_AVAIL(_string) \
	IIO_CONST_ATTR(sampling_frequency_available, _string)
#define IIO_DEV_ATTR_SAMP_FREQ(_mode, _show, _store) \
	IIO_DEVICE_ATTR(sampling_frequency, _mode, _show, _store, 0)

#endif
