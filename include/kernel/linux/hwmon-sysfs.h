/* SPDX-License-Identifier: MIT */
/* Attributes with a number or two, for drivers that make their own. */
#ifndef _LINUX_HWMON_SYSFS_H
#define _LINUX_HWMON_SYSFS_H

#include <linux/device.h>
#include <linux/kstrtox.h>

struct sensor_device_attribute {
	struct device_attribute dev_attr;
	int index;
};

struct sensor_device_attribute_2 {
	struct device_attribute dev_attr;
	u8 index, nr;
};

#define to_sensor_dev_attr(attr) container_of(attr, struct sensor_device_attribute, dev_attr)
#define to_sensor_dev_attr_2(attr) container_of(attr, struct sensor_device_attribute_2, dev_attr)

#define SENSOR_ATTR(_name, _mode, _show, _store, _index) \
	{ .dev_attr = __ATTR(_name, _mode, _show, _store), .index = (_index) }
#define SENSOR_ATTR_RO(_name, _func, _index) SENSOR_ATTR(_name, 0444, _func##_show, NULL, _index)
#define SENSOR_ATTR_RW(_name, _func, _index) \
	SENSOR_ATTR(_name, 0644, _func##_show, _func##_store, _index)
#define SENSOR_ATTR_WO(_name, _func, _index) SENSOR_ATTR(_name, 0200, NULL, _func##_store, _index)
#define SENSOR_DEVICE_ATTR(_name, _mode, _show, _store, _index) \
	struct sensor_device_attribute sensor_dev_attr_##_name = \
		SENSOR_ATTR(_name, _mode, _show, _store, _index)
#define SENSOR_DEVICE_ATTR_RO(_name, _func, _index) \
	SENSOR_DEVICE_ATTR(_name, 0444, _func##_show, NULL, _index)
#define SENSOR_DEVICE_ATTR_RW(_name, _func, _index) \
	SENSOR_DEVICE_ATTR(_name, 0644, _func##_show, _func##_store, _index)
#define SENSOR_DEVICE_ATTR_WO(_name, _func, _index) \
	SENSOR_DEVICE_ATTR(_name, 0200, NULL, _func##_store, _index)
#define SENSOR_ATTR_2(_name, _mode, _show, _store, _nr, _index) \
	{ .dev_attr = __ATTR(_name, _mode, _show, _store), .index = (_index), .nr = (_nr) }
#define SENSOR_DEVICE_ATTR_2(_name, _mode, _show, _store, _nr, _index) \
	struct sensor_device_attribute_2 sensor_dev_attr_##_name = \
		SENSOR_ATTR_2(_name, _mode, _show, _store, _nr, _index)

#endif
