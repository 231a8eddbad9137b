// SPDX-License-Identifier: MIT
/* Zones and fans of modules: see linux/thermal.h. cf. Linux drivers/thermal. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/thermal.h>

#include "class_devices.h"

DEVICE_KIND(thermal_zones, "thermal", "thermal_zone");

struct thermal_zone_device {
	char type[THERMAL_NAME_LENGTH];
	struct device *dev;
	void *data;
	const struct thermal_zone_device_ops *ops;
	struct mutex lock;
	bool is_enabled;		/* Sync: lock */
};

static ssize_t type_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct thermal_zone_device *zone = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%s\n", zone->type);
}
static DEVICE_ATTR_RO(type);

static ssize_t temp_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	int temperature, error = thermal_zone_get_temp(dev_get_drvdata(dev), &temperature);

	(void)attr;
	return error ? error : sysfs_emit(buffer, "%d\n", temperature);
}
static DEVICE_ATTR_RO(temp);

static ssize_t mode_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct thermal_zone_device *zone = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%s\n", READ_ONCE(zone->is_enabled) ? "enabled" : "disabled");
}

static ssize_t mode_store(struct device *dev, struct device_attribute *attr, const char *buffer,
			  size_t n)
{
	struct thermal_zone_device *zone = dev_get_drvdata(dev);
	int error = sysfs_streq(buffer, "enabled") ? thermal_zone_device_enable(zone) :
		    sysfs_streq(buffer, "disabled") ? thermal_zone_device_disable(zone) : -EINVAL;

	(void)attr;
	return error ? error : (ssize_t)n;
}
static DEVICE_ATTR_RW(mode);

static struct attribute *zone_attrs[] = {
	&dev_attr_type.attr, &dev_attr_temp.attr, &dev_attr_mode.attr, NULL,
};
ATTRIBUTE_GROUPS(zone);

struct thermal_zone_device *thermal_zone_device_register_with_trips(
	const char *type, const struct thermal_trip *trips, int nr_trips, void *data,
	const struct thermal_zone_device_ops *ops, const struct thermal_zone_params *params,
	unsigned int passive_delay, unsigned int polling_delay)
{
	struct thermal_zone_device *zone;
	int error;

	(void)params;
	if (!type || !*type || strlen(type) >= THERMAL_NAME_LENGTH || !ops || !ops->get_temp ||
	    nr_trips < 0 || (nr_trips && !trips) ||
	    (polling_delay && passive_delay > polling_delay))
		return ERR_PTR(-EINVAL);
	zone = kzalloc(sizeof(*zone), GFP_KERNEL);
	if (!zone)
		return ERR_PTR(-ENOMEM);
	strscpy(zone->type, type, sizeof(zone->type));
	mutex_init(&zone->lock);
	zone->ops = ops;
	zone->data = data;
	zone->dev = kind_add(&thermal_zones, NULL, zone, zone_groups, NULL, 0);
	if (IS_ERR(zone->dev)) {
		error = (int)PTR_ERR(zone->dev);
		kfree(zone);
		return ERR_PTR(error);
	}
	return zone;
}

void thermal_zone_device_unregister(struct thermal_zone_device *zone)
{
	if (!zone)
		return;
	kind_remove(&thermal_zones, zone->dev);
	kfree(zone);
}

void *thermal_zone_device_priv(struct thermal_zone_device *zone)
{
	return zone->data;
}

const char *thermal_zone_device_type(struct thermal_zone_device *zone)
{
	return zone->type;
}

int thermal_zone_device_id(struct thermal_zone_device *zone)
{
	return (int)zone->dev->id;
}

struct device *thermal_zone_device(struct thermal_zone_device *zone)
{
	return zone->dev;
}

static int set_mode(struct thermal_zone_device *zone, bool is_enabled)
{
	int error = 0;

	mutex_lock(&zone->lock);
	if (zone->is_enabled != is_enabled && zone->ops->change_mode)
		error = zone->ops->change_mode(zone, is_enabled ? THERMAL_DEVICE_ENABLED
								: THERMAL_DEVICE_DISABLED);
	if (!error)
		WRITE_ONCE(zone->is_enabled, is_enabled);
	mutex_unlock(&zone->lock);
	return error;
}

int thermal_zone_device_enable(struct thermal_zone_device *zone)
{
	return set_mode(zone, true);
}

int thermal_zone_device_disable(struct thermal_zone_device *zone)
{
	return set_mode(zone, false);
}

int thermal_zone_get_temp(struct thermal_zone_device *zone, int *temperature)
{
	int error;

	if (IS_ERR_OR_NULL(zone))
		return -EINVAL;
	mutex_lock(&zone->lock);
	error = zone->ops->get_temp(zone, temperature);
	mutex_unlock(&zone->lock);
	return error;
}
