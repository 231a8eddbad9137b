// SPDX-License-Identifier: MIT
/* Lights of displays: see linux/backlight.h. cf. Linux drivers/video/backlight/backlight.c. */
#include <linux/backlight.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "class_devices.h"

static DEVICE_KIND(lights, "backlight", NULL);

/* Sets one of the properties, and tells the driver. */
static ssize_t set(struct device *dev, int *property, const char *buffer, size_t n, int largest)
{
	struct backlight_device *light = dev_get_drvdata(dev);
	unsigned long value;
	int error = kstrtoul(buffer, 0, &value), old;

	if (!error && value > (unsigned long)largest)
		error = -EINVAL;
	if (error)
		return error;
	old = *property;
	*property = (int)value;
	error = backlight_update_status(light);
	if (error)
		*property = old;
	return error ? error : (ssize_t)n;
}

static ssize_t brightness_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct backlight_device *light = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%d\n", light->props.brightness);
}

static ssize_t brightness_store(struct device *dev, struct device_attribute *attr,
				const char *buffer, size_t n)
{
	struct backlight_device *light = dev_get_drvdata(dev);

	(void)attr;
	return set(dev, &light->props.brightness, buffer, n, light->props.max_brightness);
}
static DEVICE_ATTR_RW(brightness);

static ssize_t bl_power_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct backlight_device *light = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%d\n", light->props.power);
}

static ssize_t bl_power_store(struct device *dev, struct device_attribute *attr,
			      const char *buffer, size_t n)
{
	struct backlight_device *light = dev_get_drvdata(dev);

	(void)attr;
	return set(dev, &light->props.power, buffer, n, INT_MAX);
}
static DEVICE_ATTR_RW(bl_power);

static ssize_t actual_brightness_show(struct device *dev, struct device_attribute *attr,
				      char *buffer)
{
	struct backlight_device *light = dev_get_drvdata(dev);
	int value = light->ops && light->ops->get_brightness ?
		    light->ops->get_brightness(light) : light->props.brightness;

	(void)attr;
	return value < 0 ? value : sysfs_emit(buffer, "%d\n", value);
}
static DEVICE_ATTR_RO(actual_brightness);

static ssize_t max_brightness_show(struct device *dev, struct device_attribute *attr,
				   char *buffer)
{
	const struct backlight_device *light = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%d\n", light->props.max_brightness);
}
static DEVICE_ATTR_RO(max_brightness);

static struct attribute *light_attrs[] = {
	&dev_attr_brightness.attr, &dev_attr_bl_power.attr, &dev_attr_actual_brightness.attr,
	&dev_attr_max_brightness.attr, NULL,
};
ATTRIBUTE_GROUPS(light);

struct backlight_device *backlight_device_register(const char *name, struct device *parent,
						   void *data, const struct backlight_ops *ops,
						   const struct backlight_properties *props)
{
	struct backlight_device *light = kzalloc(sizeof(*light), GFP_KERNEL);
	int error;

	if (!light)
		return ERR_PTR(-ENOMEM);
	mutex_init(&light->update_lock);
	mutex_init(&light->ops_lock);
	if (props)
		light->props = *props;
	light->ops = ops;
	dev_set_drvdata(&light->dev, data);
	light->dev.init_name = name;
	light->dev.parent = parent;
	light->usermm_dev = kind_add(&lights, parent, light, light_groups, name, 0);
	if (IS_ERR(light->usermm_dev)) {
		error = (int)PTR_ERR(light->usermm_dev);
		kfree(light);
		return ERR_PTR(error);
	}
	return light;
}

void backlight_device_unregister(struct backlight_device *light)
{
	if (!light)
		return;
	kind_remove(&lights, light->usermm_dev);
	kfree(light);
}

static void unregister_managed(void *light)
{
	backlight_device_unregister(light);
}

struct backlight_device *devm_backlight_device_register(struct device *dev, const char *name,
							struct device *parent, void *data,
							const struct backlight_ops *ops,
							const struct backlight_properties *props)
{
	struct backlight_device *light = backlight_device_register(name, parent, data, ops, props);
	int error = IS_ERR(light) ? 0 : devm_add_action_or_reset(dev, unregister_managed, light);

	return error ? ERR_PTR(error) : light;
}
