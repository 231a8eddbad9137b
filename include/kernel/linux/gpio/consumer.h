/* SPDX-License-Identifier: MIT */
/*
 * GPIOs as descriptors: the lines of the made-up chip of <linux/gpio.h>, by gpio_to_desc(). No
 * description of the machine gives lines to devices, so gpiod_get() finds none: -ENOENT.
 */
#ifndef __LINUX_GPIO_CONSUMER_H
#define __LINUX_GPIO_CONSUMER_H

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct device;
struct fwnode_handle;
struct gpio_desc;

struct gpio_descs {
	unsigned int ndescs;
	struct gpio_desc *desc[];
};

#define GPIOD_FLAGS_BIT_DIR_SET BIT(0)
#define GPIOD_FLAGS_BIT_DIR_OUT BIT(1)
#define GPIOD_FLAGS_BIT_DIR_VAL BIT(2)
#define GPIOD_FLAGS_BIT_OPEN_DRAIN BIT(3)

enum gpiod_flags {
	GPIOD_ASIS = 0,
	GPIOD_IN = 1,
	GPIOD_OUT_LOW = 1 | 2,
	GPIOD_OUT_HIGH = 1 | 2 | 4,
	GPIOD_OUT_LOW_OPEN_DRAIN = 1 | 2 | 8,
	GPIOD_OUT_HIGH_OPEN_DRAIN = 1 | 2 | 4 | 8,
};

USERMM_BEGIN_DECLS

/* NULL if there is no line with this number. */
struct gpio_desc *gpio_to_desc(unsigned int gpio) USERMM_API(gpio_to_desc);
/* These do nothing, and return 0, for NULL, which is a line that an optional call did not find. */
int desc_to_gpio(const struct gpio_desc *line) USERMM_API(desc_to_gpio);
int gpiod_direction_input(struct gpio_desc *line) USERMM_API(gpiod_direction_input);
int gpiod_direction_output(struct gpio_desc *line, int value) USERMM_API(gpiod_direction_output);
/* 1: input; 0: output. */
int gpiod_get_direction(struct gpio_desc *line) USERMM_API(gpiod_get_direction);
int gpiod_get_value(const struct gpio_desc *line) USERMM_API(gpiod_get_value);
int usermm_gpiod_set_value(struct gpio_desc *line, int value)
	__attribute__((visibility("default")));
int gpiod_to_irq(const struct gpio_desc *line) USERMM_API(gpiod_to_irq);

USERMM_END_DECLS

#define gpiod_direction_output_raw(line, value) gpiod_direction_output(line, value)
#define gpiod_get_raw_value(line) gpiod_get_value(line)
#define gpiod_get_value_cansleep(line) gpiod_get_value(line)
#define gpiod_get_raw_value_cansleep(line) gpiod_get_value(line)
#define gpiod_set_value(line, value) ((void)usermm_gpiod_set_value(line, value))
#define gpiod_set_raw_value(line, value) gpiod_set_value(line, value)
#define gpiod_set_value_cansleep(line, value) gpiod_set_value(line, value)
#define gpiod_set_raw_value_cansleep(line, value) gpiod_set_value(line, value)
#define gpiod_cansleep(line) ((void)(line), 0)
#define gpiod_is_active_low(line) ((void)(line), 0)
#define gpiod_toggle_active_low(line) ((void)(line))
#define gpiod_set_debounce(line, us) ((void)(line), (void)(us), -ENOTSUPP)
#define gpiod_set_consumer_name(line, name) ((void)(line), (void)(name), 0)
#define gpiod_export(line, may_change) ((void)(line), (void)(may_change), 0)
#define gpiod_unexport(line) ((void)(line))
#define gpiod_put(line) ((void)(line))
#define gpiod_put_array(lines) ((void)(lines))
#define devm_gpiod_put(dev, line) ((void)(dev), (void)(line))
#define gpiod_count(dev, name) ((void)(dev), (void)(name), -ENOENT)

static inline struct gpio_desc *gpiod_get(struct device *dev, const char *name,
					  enum gpiod_flags flags)
{
	(void)dev;
	(void)name;
	(void)flags;
	return (struct gpio_desc *)ERR_PTR(-ENOENT);
}

static inline struct gpio_desc *gpiod_get_optional(struct device *dev, const char *name,
						   enum gpiod_flags flags)
{
	(void)dev;
	(void)name;
	(void)flags;
	return NULL;
}

#define gpiod_get_index(dev, name, index, flags) ((void)(index), gpiod_get(dev, name, flags))
#define gpiod_get_index_optional(dev, name, index, flags) \
	((void)(index), gpiod_get_optional(dev, name, flags))
#define gpiod_get_array(dev, name, flags) ((struct gpio_descs *)gpiod_get(dev, name, flags))
#define gpiod_get_array_optional(dev, name, flags) \
	((struct gpio_descs *)gpiod_get_optional(dev, name, flags))
#define devm_gpiod_get(dev, name, flags) gpiod_get(dev, name, flags)
#define devm_gpiod_get_optional(dev, name, flags) gpiod_get_optional(dev, name, flags)
#define devm_gpiod_get_index(dev, name, index, flags) gpiod_get_index(dev, name, index, flags)
#define devm_gpiod_get_index_optional(dev, name, index, flags) \
	gpiod_get_index_optional(dev, name, index, flags)
#define devm_gpiod_get_array(dev, name, flags) gpiod_get_array(dev, name, flags)
#define devm_gpiod_get_array_optional(dev, name, flags) \
	gpiod_get_array_optional(dev, name, flags)
#define fwnode_gpiod_get_index(node, name, index, flags, label) \
	((void)(node), (void)(label), gpiod_get_index(NULL, name, index, flags))
#define devm_fwnode_gpiod_get(dev, node, name, flags, label) \
	((void)(node), (void)(label), gpiod_get(dev, name, flags))

#endif
