/* SPDX-License-Identifier: MIT */
/* LEDs that a module makes. /sys/class/leds/NAME/brightness is the brightness of LED NAME. */
#ifndef __LINUX_LEDS_H_INCLUDED
#define __LINUX_LEDS_H_INCLUDED

#include <linux/device.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <usermm/compiler.h>

struct led_pattern;

enum led_brightness { LED_OFF = 0, LED_ON = 1, LED_HALF = 127, LED_FULL = 255 };

struct led_classdev {
	const char *name;
	unsigned int brightness, max_brightness, color;
	unsigned long flags;
	/* May be called in any context, so the first must not sleep; the second may sleep. */
	void (*brightness_set)(struct led_classdev *led, enum led_brightness brightness);
	int (*brightness_set_blocking)(struct led_classdev *led, enum led_brightness brightness);
	enum led_brightness (*brightness_get)(struct led_classdev *led);
	int (*blink_set)(struct led_classdev *led, unsigned long *on, unsigned long *off);
	struct device *dev;
	const struct attribute_group **groups;
	const char *default_trigger;
};

#define LED_SUSPENDED BIT(0)
#define LED_CORE_SUSPENDRESUME BIT(16)

USERMM_BEGIN_DECLS

/* 0; -EINVAL without a name; -EEXIST for one that is taken. */
int led_classdev_register(struct device *parent, struct led_classdev *led)
	USERMM_API(led_classdev_register);
void led_classdev_unregister(struct led_classdev *led) USERMM_API(led_classdev_unregister);
int devm_led_classdev_register(struct device *parent, struct led_classdev *led)
	USERMM_API(devm_led_classdev_register);
void led_set_brightness(struct led_classdev *led, unsigned int brightness)
	USERMM_API(led_set_brightness);

USERMM_END_DECLS

#define led_set_brightness_sync(led, value) (led_set_brightness(led, value), 0)
#define led_classdev_suspend(led) ((void)(led))
#define led_classdev_resume(led) ((void)(led))

struct led_trigger {
	const char *name;
	int (*activate)(struct led_classdev *led);
	void (*deactivate)(struct led_classdev *led);
};

/* Triggers can be registered; no LED is set to one. */
#define led_trigger_register(trigger) ((void)(trigger), 0)
#define led_trigger_unregister(trigger) ((void)(trigger))
#define led_trigger_event(trigger, value) ((void)(trigger), (void)(value))

#endif
