// SPDX-License-Identifier: MIT
/* Sensors of modules: see linux/hwmon.h. cf. Linux drivers/hwmon/hwmon.c. */
#include <linux/err.h>
#include <linux/hwmon.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "class_devices.h"

static DEVICE_KIND(sensors, "hwmon", "hwmon");
static DEFINE_MUTEX(lock);
static LIST_HEAD(all);			/* Sync: lock */

struct sensor {
	struct list_head list;
	struct device *dev;		/* whose data is the module's own */
	const char *name;
	const struct hwmon_chip_info *chip;	/* NULL: the attributes are the module's */
	struct attribute_list attributes;
};

#define NAME_CHIP(kind, name) [hwmon_##kind##_##name] = #name,
#define NAME(kind, name) [hwmon_##kind##_##name] = "_" #name,

static const char *const chip_names[] = { USERMM_HWMON_CHIP(NAME_CHIP) };
static const char *const temp_names[] = { USERMM_HWMON_TEMP(NAME) };
static const char *const in_names[] = { USERMM_HWMON_IN(NAME) };
static const char *const curr_names[] = { USERMM_HWMON_CURR(NAME) };
static const char *const power_names[] = { USERMM_HWMON_POWER(NAME) };
static const char *const energy_names[] = { USERMM_HWMON_ENERGY(NAME) };
static const char *const humidity_names[] = { USERMM_HWMON_HUMIDITY(NAME) };
static const char *const fan_names[] = { USERMM_HWMON_FAN(NAME) };
static const char *const pwm_names[] = { USERMM_HWMON_PWM(NAME) };
static const char *const intrusion_names[] = { USERMM_HWMON_INTRUSION(NAME) };

static const struct {
	const char *name;
	const char *const *attributes;
	unsigned int nr;
	unsigned int label;		/* which of them is text; 0: none */
} kinds[hwmon_max] = {
#define KIND(kind, label) { #kind, kind##_names, ARRAY_SIZE(kind##_names), label }
	[hwmon_chip] = KIND(chip, 0),
	[hwmon_temp] = KIND(temp, hwmon_temp_label),
	[hwmon_in] = KIND(in, hwmon_in_label),
	[hwmon_curr] = KIND(curr, hwmon_curr_label),
	[hwmon_power] = KIND(power, hwmon_power_label),
	[hwmon_energy] = KIND(energy, hwmon_energy_label),
	[hwmon_energy64] = KIND(energy, hwmon_energy_label),
	[hwmon_humidity] = KIND(humidity, hwmon_humidity_label),
	[hwmon_fan] = KIND(fan, hwmon_fan_label),
	[hwmon_pwm] = KIND(pwm, 0),
	[hwmon_intrusion] = KIND(intrusion, 0),
#undef KIND
};

static bool is_label(unsigned int type, unsigned int what)
{
	return kinds[type].label && what == kinds[type].label;
}

static ssize_t value_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct numbered_attribute *which = numbered(attr);
	const struct hwmon_ops *ops = ((struct sensor *)which->owner)->chip->ops;
	enum hwmon_sensor_types type = (enum hwmon_sensor_types)which->type;
	int channel = (int)which->channel, error;
	const char *text;
	long value;
	s64 large;

	if (is_label(which->type, which->what)) {
		error = ops->read_string(dev, type, which->what, channel, &text);
		return error ? error : sysfs_emit(buffer, "%s\n", text);
	}
	/* An energy of 64 bits is read through the pointer, as in Linux. */
	if (type == hwmon_energy64) {
		error = ops->read(dev, type, which->what, channel, (long *)&large);
		return error ? error : sysfs_emit(buffer, "%lld\n", large);
	}
	error = ops->read(dev, type, which->what, channel, &value);
	return error ? error : sysfs_emit(buffer, "%ld\n", value);
}

static ssize_t value_store(struct device *dev, struct device_attribute *attr, const char *buffer,
			   size_t n)
{
	const struct numbered_attribute *which = numbered(attr);
	const struct hwmon_ops *ops = ((struct sensor *)which->owner)->chip->ops;
	long value;
	int error = kstrtol(buffer, 10, &value);

	if (!error)
		error = ops->write(dev, (enum hwmon_sensor_types)which->type, which->what,
				   (int)which->channel, value);
	return error ? error : (ssize_t)n;
}

static ssize_t name_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	(void)dev;
	return sysfs_emit(buffer, "%s\n", ((struct sensor *)numbered(attr)->owner)->name);
}

/*
 * Adds one attribute of one channel, if it is visible. -EINVAL if its mode allows what the chip has
 * no operation for.
 */
static int add_attribute(struct sensor *sensor, const void *data, unsigned int type,
			 unsigned int what, unsigned int channel)
{
	const struct hwmon_ops *ops = sensor->chip->ops;
	struct numbered_attribute like = {
		.attr = { .show = value_show, .store = value_store },
		.type = type, .what = what, .channel = channel,
	};
	umode_t mode = ops->visible ? ops->visible :
		       ops->is_visible(data, (enum hwmon_sensor_types)type, what, (int)channel);
	bool is_text = is_label(type, what);

	if (!mode)
		return 0;
	if ((mode & 0444 && (is_text ? !ops->read_string : !ops->read)) ||
	    (mode & 0222 && !ops->write))
		return -EINVAL;
	like.attr.attr.mode = mode;
	if (type == hwmon_chip)
		return list_add_attribute(&sensor->attributes, &like, "%s",
					  kinds[type].attributes[what]);
	/* "pwm1" is the value itself. */
	return list_add_attribute(&sensor->attributes, &like, "%s%u%s", kinds[type].name,
				  channel + (type != hwmon_in),
				  type == hwmon_pwm && what == hwmon_pwm_input ? "" :
				  kinds[type].attributes[what]);
}

static int add_attributes(struct sensor *sensor, const void *data)
{
	const struct hwmon_chip_info *chip = sensor->chip;

	if (!chip->ops || (!chip->ops->visible && !chip->ops->is_visible) || !chip->info)
		return -EINVAL;
	for (size_t i = 0; chip->info[i]; i++) {
		const struct hwmon_channel_info *info = chip->info[i];

		if (info->type >= hwmon_max)
			return -EINVAL;
		for (unsigned int channel = 0; info->config[channel]; channel++)
			for (unsigned int what = 0; what < kinds[info->type].nr; what++) {
				int error = info->config[channel] & BIT(what) ?
					    add_attribute(sensor, data, info->type, what,
							  channel) : 0;

				if (error)
					return error;
			}
	}
	return 0;
}

static int add_name(struct sensor *sensor)
{
	const struct numbered_attribute like = {
		.attr = { .attr = { .mode = 0444 }, .show = name_show },
	};

	return sensor->name ? list_add_attribute(&sensor->attributes, &like, "name") : 0;
}

static void sensor_free(struct sensor *sensor)
{
	list_free(&sensor->attributes);
	kfree(sensor);
}

static bool is_valid(const char *name)
{
	for (const char *c = name; *c; c++)
		if (hwmon_is_bad_char(*c))
			return false;
	return *name;
}

static struct device *register_sensor(struct device *parent, const char *name, void *data,
				      const struct hwmon_chip_info *chip,
				      const struct attribute_group **groups)
{
	struct sensor *sensor = kzalloc(sizeof(*sensor), GFP_KERNEL);
	int error;

	if (!sensor)
		return ERR_PTR(-ENOMEM);
	sensor->name = name;
	sensor->chip = chip;
	sensor->attributes.owner = sensor;
	error = add_name(sensor);
	if (!error && chip)
		error = add_attributes(sensor, data);
	if (error) {
		sensor_free(sensor);
		return ERR_PTR(error);
	}
	sensor->dev = kind_add(&sensors, parent, data, list_groups(&sensor->attributes), NULL, 0);
	if (IS_ERR(sensor->dev)) {
		struct device *failed = sensor->dev;

		sensor_free(sensor);
		return failed;
	}
	mutex_lock(&lock);
	list_add(&sensor->list, &all);
	mutex_unlock(&lock);
	error = device_add_groups(sensor->dev, groups);
	if (error) {
		hwmon_device_unregister(sensor->dev);
		return ERR_PTR(error);
	}
	return sensor->dev;
}

struct device *hwmon_device_register_with_info(struct device *parent, const char *name,
					       void *data, const struct hwmon_chip_info *chip,
					       const struct attribute_group **extra)
{
	if (!parent || !name || !is_valid(name))
		return ERR_PTR(-EINVAL);
	return register_sensor(parent, name, data, chip, extra);
}

struct device *hwmon_device_register_with_groups(struct device *parent, const char *name,
						 void *data,
						 const struct attribute_group **groups)
{
	if (!name || !is_valid(name))
		return ERR_PTR(-EINVAL);
	return register_sensor(parent, name, data, NULL, groups);
}

void hwmon_device_unregister(struct device *dev)
{
	struct sensor *sensor;

	mutex_lock(&lock);
	list_for_each_entry(sensor, &all, list)
		if (sensor->dev == dev)
			break;
	if (list_entry_is_head(sensor, &all, list))
		sensor = NULL;
	else
		list_del(&sensor->list);
	mutex_unlock(&lock);
	if (!sensor)
		return;
	kind_remove(&sensors, dev);
	sensor_free(sensor);
}

static void unregister_managed(void *dev)
{
	hwmon_device_unregister(dev);
}

static struct device *manage(struct device *parent, struct device *dev)
{
	int error = IS_ERR(dev) ? 0 : devm_add_action_or_reset(parent, unregister_managed, dev);

	return error ? ERR_PTR(error) : dev;
}

struct device *devm_hwmon_device_register_with_info(struct device *parent, const char *name,
						    void *data,
						    const struct hwmon_chip_info *chip,
						    const struct attribute_group **extra)
{
	if (!parent)
		return ERR_PTR(-EINVAL);
	if (!name)
		name = dev_name(parent);
	return manage(parent, hwmon_device_register_with_info(parent, name, data, chip, extra));
}

struct device *devm_hwmon_device_register_with_groups(struct device *parent, const char *name,
						      void *data,
						      const struct attribute_group **groups)
{
	return parent ? manage(parent, hwmon_device_register_with_groups(parent, name, data,
									 groups))
		      : ERR_PTR(-EINVAL);
}

int hwmon_notify_event(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel)
{
	char name[48];

	if (type >= hwmon_max || attr >= kinds[type].nr)
		return -EINVAL;
	snprintf(name, sizeof(name), "%s%d%s", kinds[type].name,
		 channel + (type != hwmon_in), kinds[type].attributes[attr]);
	sysfs_notify(&dev->kobj, NULL, name);
	return 0;
}
