/* SPDX-License-Identifier: MIT */
/* Lights of displays of a module: /sys/class/backlight/NAME with brightness and bl_power. */
#ifndef _LINUX_BACKLIGHT_H
#define _LINUX_BACKLIGHT_H

#include <linux/device.h>
#include <linux/fb.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define BACKLIGHT_POWER_ON 0
#define BACKLIGHT_POWER_OFF 4
#define BACKLIGHT_POWER_REDUCED 1

enum backlight_update_reason { BACKLIGHT_UPDATE_HOTKEY, BACKLIGHT_UPDATE_SYSFS };
enum backlight_type { BACKLIGHT_RAW = 1, BACKLIGHT_PLATFORM, BACKLIGHT_FIRMWARE };
enum backlight_scale { BACKLIGHT_SCALE_UNKNOWN, BACKLIGHT_SCALE_LINEAR,
		       BACKLIGHT_SCALE_NON_LINEAR };

struct backlight_device;

struct backlight_ops {
	unsigned int options;
#define BL_CORE_SUSPENDRESUME (1 << 0)
	int (*update_status)(struct backlight_device *light);
	int (*get_brightness)(struct backlight_device *light);
	bool (*controls_device)(struct backlight_device *light, struct device *display);
};

struct backlight_properties {
	int brightness, max_brightness, power;
	enum backlight_type type;
	unsigned int state;
#define BL_CORE_SUSPENDED (1 << 0)
#define BL_CORE_FBBLANK (1 << 1)
	enum backlight_scale scale;
};

struct backlight_device {
	struct backlight_properties props;
	struct mutex update_lock, ops_lock;
	const struct backlight_ops *ops;
	struct device dev;		/* only its data counts; the files are usermm_dev's */
	struct device *usermm_dev;
};

USERMM_BEGIN_DECLS

struct backlight_device *backlight_device_register(const char *name, struct device *parent,
						   void *data, const struct backlight_ops *ops,
						   const struct backlight_properties *props)
	USERMM_API(backlight_device_register);
struct backlight_device *devm_backlight_device_register(struct device *dev, const char *name,
							struct device *parent, void *data,
							const struct backlight_ops *ops,
							const struct backlight_properties *props)
	USERMM_API(devm_backlight_device_register);
void backlight_device_unregister(struct backlight_device *light)
	USERMM_API(backlight_device_unregister);

USERMM_END_DECLS

static inline int backlight_update_status(struct backlight_device *light)
{
	int error = -ENOENT;

	mutex_lock(&light->update_lock);
	if (light->ops && light->ops->update_status)
		error = light->ops->update_status(light);
	mutex_unlock(&light->update_lock);
	return error;
}

static inline bool backlight_is_blank(const struct backlight_device *light)
{
	return light->props.power != BACKLIGHT_POWER_ON ||
	       light->props.state & (BL_CORE_SUSPENDED | BL_CORE_FBBLANK);
}

static inline int backlight_get_brightness(const struct backlight_device *light)
{
	return backlight_is_blank(light) ? 0 : light->props.brightness;
}

static inline int backlight_enable(struct backlight_device *light)
{
	light->props.power = BACKLIGHT_POWER_ON;
	light->props.state &= ~(unsigned int)BL_CORE_FBBLANK;
	return backlight_update_status(light);
}

static inline int backlight_disable(struct backlight_device *light)
{
	light->props.power = BACKLIGHT_POWER_OFF;
	light->props.state |= BL_CORE_FBBLANK;
	return backlight_update_status(light);
}

#define bl_get_data(light) dev_get_drvdata(&(light)->dev)
#define to_backlight_device(device) \
	((struct backlight_device *)dev_get_drvdata(device))
#define backlight_force_update(light, reason) ((void)(light), (void)(reason))
#define devm_of_find_backlight(dev) ((void)(dev), (struct backlight_device *)NULL)

#endif
