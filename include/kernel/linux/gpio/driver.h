/* SPDX-License-Identifier: MIT */
/*
 * Chips of GPIOs that a module makes. They can be registered; nobody looks for their lines. The
 * made-up chip of <linux/gpio.h> is the one that is found, by the label "usermm".
 */
#ifndef __LINUX_GPIO_DRIVER_H
#define __LINUX_GPIO_DRIVER_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/property.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct device;
struct gpio_desc;
struct gpio_device;
struct seq_file;

struct gpio_chip {
	const char *label;
	struct device *parent;
	struct fwnode_handle *fwnode;
	struct module *owner;
	int (*request)(struct gpio_chip *chip, unsigned int offset);
	void (*free)(struct gpio_chip *chip, unsigned int offset);
	int (*get_direction)(struct gpio_chip *chip, unsigned int offset);
	int (*direction_input)(struct gpio_chip *chip, unsigned int offset);
	int (*direction_output)(struct gpio_chip *chip, unsigned int offset, int value);
	int (*get)(struct gpio_chip *chip, unsigned int offset);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	int (*set)(struct gpio_chip *chip, unsigned int offset, int value);
#else
	void (*set)(struct gpio_chip *chip, unsigned int offset, int value);
#endif
	int (*set_config)(struct gpio_chip *chip, unsigned int offset, unsigned long config);
	int (*to_irq)(struct gpio_chip *chip, unsigned int offset);
	void (*dbg_show)(struct seq_file *m, struct gpio_chip *chip);
	int base;
	u16 ngpio;
	const char *const *names;
	bool can_sleep;
	void *usermm_data;
};

#define GPIO_LINE_DIRECTION_IN 1
#define GPIO_LINE_DIRECTION_OUT 0

static inline int gpiochip_add_data(struct gpio_chip *chip, void *data)
{
	if (!chip->ngpio)
		return -EINVAL;
	chip->usermm_data = data;
	if (chip->base < 0)
		chip->base = 512;
	return 0;
}

USERMM_BEGIN_DECLS

/* NULL for no line. */
struct gpio_chip *gpiod_to_chip(const struct gpio_desc *line) USERMM_API(gpiod_to_chip);

USERMM_END_DECLS

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
USERMM_BEGIN_DECLS

/* With a reference, for gpio_device_put(); NULL if there is no such chip. */
struct gpio_device *gpio_device_find(const void *data,
				     int (*match)(struct gpio_chip *chip, const void *data))
	USERMM_API(gpio_device_find);
struct gpio_device *gpio_device_find_by_label(const char *label)
	USERMM_API(gpio_device_find_by_label);
/* The chip's line; -EINVAL as an error pointer. */
struct gpio_desc *gpio_device_get_desc(struct gpio_device *device, unsigned int number)
	USERMM_API(gpio_device_get_desc);
struct gpio_chip *gpio_device_get_chip(struct gpio_device *device)
	USERMM_API(gpio_device_get_chip);

USERMM_END_DECLS

/* The chip stays, so its references are not counted. */
static inline struct gpio_device *gpio_device_get(struct gpio_device *device)
{
	return device;
}

static inline void gpio_device_put(struct gpio_device *device)
{
	(void)device;
}

static inline int gpio_device_get_base(struct gpio_device *device)
{
	return gpio_device_get_chip(device)->base;
}

static inline const char *gpio_device_get_label(struct gpio_device *device)
{
	return gpio_device_get_chip(device)->label;
}
#endif

#define gpiochip_add(chip) gpiochip_add_data(chip, NULL)
#define devm_gpiochip_add_data(dev, chip, data) ((void)(dev), gpiochip_add_data(chip, data))
#define gpiochip_remove(chip) ((void)(chip))
#define gpiochip_get_data(chip) ((chip)->usermm_data)

#endif
