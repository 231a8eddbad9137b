// SPDX-License-Identifier: MIT
/* LEDs of modules: see linux/leds.h. cf. Linux drivers/leds/led-class.c. */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/leds.h>
#include <linux/mutex.h>

static DEFINE_MUTEX(lock);
static struct class *leds;		/* Sync: lock; made with the first LED */
static unsigned int nr_leds;		/* Sync: lock */

static ssize_t brightness_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	struct led_classdev *led = dev_get_drvdata(dev);

	(void)attr;
	if (led->brightness_get)
		led->brightness = led->brightness_get(led);
	return sysfs_emit(buffer, "%u\n", led->brightness);
}

static ssize_t brightness_store(struct device *dev, struct device_attribute *attr,
				const char *buffer, size_t n)
{
	unsigned long value;
	int error = kstrtoul(buffer, 10, &value);

	(void)attr;
	if (error)
		return error;
	led_set_brightness(dev_get_drvdata(dev), (unsigned int)min(value, (unsigned long)UINT_MAX));
	return (ssize_t)n;
}
static DEVICE_ATTR_RW(brightness);

static ssize_t max_brightness_show(struct device *dev, struct device_attribute *attr,
				   char *buffer)
{
	const struct led_classdev *led = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%u\n", led->max_brightness);
}
static DEVICE_ATTR_RO(max_brightness);

static struct attribute *led_attrs[] = {
	&dev_attr_brightness.attr, &dev_attr_max_brightness.attr, NULL,
};
ATTRIBUTE_GROUPS(led);

void led_set_brightness(struct led_classdev *led, unsigned int brightness)
{
	led->brightness = min(brightness, led->max_brightness);
	if (led->brightness_set)
		led->brightness_set(led, (enum led_brightness)led->brightness);
	else if (led->brightness_set_blocking)
		led->brightness_set_blocking(led, (enum led_brightness)led->brightness);
}

/* The class stays while there is an LED, so that nothing is left when the last one goes. */
static int take_class(void)
{
	int error = 0;

	mutex_lock(&lock);
	if (!nr_leds) {
		struct class *made = class_create("leds");

		error = IS_ERR(made) ? (int)PTR_ERR(made) : 0;
		leds = error ? NULL : made;
	}
	nr_leds += !error;
	mutex_unlock(&lock);
	return error;
}

static void drop_class(void)
{
	mutex_lock(&lock);
	if (!--nr_leds)
		class_destroy(leds);
	mutex_unlock(&lock);
}

int led_classdev_register(struct device *parent, struct led_classdev *led)
{
	int error;

	if (!led->name)
		return -EINVAL;
	error = take_class();
	if (error)
		return error;
	if (!led->max_brightness)
		led->max_brightness = LED_FULL;
	led->dev = device_create_with_groups(leds, parent, 0, led, led_groups, "%s", led->name);
	if (IS_ERR(led->dev)) {
		drop_class();
		return (int)PTR_ERR(led->dev);
	}
	return device_add_groups(led->dev, led->groups);
}

void led_classdev_unregister(struct led_classdev *led)
{
	if (IS_ERR_OR_NULL(led->dev))
		return;
	led_set_brightness(led, LED_OFF);
	device_unregister(led->dev);
	led->dev = NULL;
	drop_class();
}

static void unregister_managed(void *led)
{
	led_classdev_unregister(led);
}

int devm_led_classdev_register(struct device *parent, struct led_classdev *led)
{
	int error = led_classdev_register(parent, led);

	return error ? error : devm_add_action_or_reset(parent, unregister_managed, led);
}
