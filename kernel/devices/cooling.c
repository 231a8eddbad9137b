// SPDX-License-Identifier: MIT
/* Fans and the like of modules: see linux/thermal.h. cf. Linux drivers/thermal. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/thermal.h>

#include "class_devices.h"

static struct device_kind coolers = {
	.device_name = "cooling_device", .of_class = &thermal_zones,
	.numbers = IDA_INIT(coolers.numbers),
};

static ssize_t type_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct thermal_cooling_device *cooling = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%s\n", cooling->type);
}
static DEVICE_ATTR_RO(type);

static ssize_t max_state_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct thermal_cooling_device *cooling = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%lu\n", cooling->max_state);
}
static DEVICE_ATTR_RO(max_state);

static ssize_t cur_state_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	struct thermal_cooling_device *cooling = dev_get_drvdata(dev);
	unsigned long state;
	int error = cooling->ops->get_cur_state(cooling, &state);

	(void)attr;
	return error ? error : sysfs_emit(buffer, "%lu\n", state);
}

static ssize_t cur_state_store(struct device *dev, struct device_attribute *attr,
			       const char *buffer, size_t n)
{
	struct thermal_cooling_device *cooling = dev_get_drvdata(dev);
	unsigned long state;
	int error = kstrtoul(buffer, 10, &state);

	(void)attr;
	if (!error)
		error = state > cooling->max_state ? -EINVAL :
			cooling->ops->set_cur_state(cooling, state);
	return error ? error : (ssize_t)n;
}
static DEVICE_ATTR_RW(cur_state);

static struct attribute *cooling_attrs[] = {
	&dev_attr_type.attr, &dev_attr_max_state.attr, &dev_attr_cur_state.attr, NULL,
};
ATTRIBUTE_GROUPS(cooling);

struct thermal_cooling_device *thermal_cooling_device_register(
	const char *type, void *data, const struct thermal_cooling_device_ops *ops)
{
	struct thermal_cooling_device *cooling;
	int error;

	if (!ops || !ops->get_max_state || !ops->get_cur_state || !ops->set_cur_state)
		return ERR_PTR(-EINVAL);
	cooling = kzalloc(sizeof(*cooling), GFP_KERNEL);
	if (!cooling)
		return ERR_PTR(-ENOMEM);
	cooling->type = kstrdup(type ? type : "", GFP_KERNEL);
	cooling->ops = ops;
	cooling->devdata = data;
	error = cooling->type ? ops->get_max_state(cooling, &cooling->max_state) : -ENOMEM;
	if (!error) {
		cooling->usermm_dev = kind_add(&coolers, NULL, cooling, cooling_groups, NULL, 0);
		error = IS_ERR(cooling->usermm_dev) ? (int)PTR_ERR(cooling->usermm_dev) : 0;
	}
	if (error) {
		kfree(cooling->type);
		kfree(cooling);
		return ERR_PTR(error);
	}
	return cooling;
}

void thermal_cooling_device_unregister(struct thermal_cooling_device *cooling)
{
	if (!cooling)
		return;
	kind_remove(&coolers, cooling->usermm_dev);
	kfree(cooling->type);
	kfree(cooling);
}
