/* SPDX-License-Identifier: MIT */
/*
 * GPIOs of a made-up chip with 512 lines, which nothing is connected to: a line has the value that
 * was last set. An edge that its interrupt waits for raises the interrupt.
 */
#ifndef KERNEL_LINUX_GPIO_H
#define KERNEL_LINUX_GPIO_H

#include <linux/errno.h>
#include <linux/gpio/consumer.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define ARCH_NR_GPIOS 512
#define GPIOF_DIR_OUT 0
#define GPIOF_DIR_IN 1
#define GPIOF_IN GPIOF_DIR_IN
#define GPIOF_OUT_INIT_LOW 0
#define GPIOF_OUT_INIT_HIGH 2

struct gpio {
	unsigned int gpio;
	unsigned long flags;
	const char *label;
};

struct device;

USERMM_BEGIN_DECLS

/* 0; -EINVAL if there is no line with this number; -EBUSY if the line is taken. */
int gpio_request(unsigned int gpio, const char *label) USERMM_API(gpio_request);
int gpio_request_one(unsigned int gpio, unsigned long flags, const char *label)
	USERMM_API(gpio_request_one);
int gpio_request_array(const struct gpio *array, size_t n) USERMM_API(gpio_request_array);
void gpio_free_array(const struct gpio *array, size_t n) USERMM_API(gpio_free_array);
void gpio_free(unsigned int gpio) USERMM_API(gpio_free);
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0) || defined(USERMM_KERNEL_LAYER)
int devm_gpio_request(struct device *dev, unsigned int gpio, const char *label)
	USERMM_API(devm_gpio_request);
#else
USERMM_REMOVED(devm_gpio_request, "7.2", "devm_gpio_request_one()")
#endif
int devm_gpio_request_one(struct device *dev, unsigned int gpio, unsigned long flags,
			  const char *label) USERMM_API(devm_gpio_request_one);
int gpio_get_value(unsigned int gpio) USERMM_API(gpio_get_value);
void gpio_set_value(unsigned int gpio, int value) USERMM_API(gpio_set_value);
/* The number of the line's interrupt; -EINVAL. */
int gpio_to_irq(unsigned int gpio) USERMM_API(gpio_to_irq);

USERMM_END_DECLS

static inline bool gpio_is_valid(int gpio)
{
	return gpio >= 0 && gpio < ARCH_NR_GPIOS;
}

static inline int gpio_direction_input(unsigned int gpio)
{
	return gpio_is_valid((int)gpio) ? gpiod_direction_input(gpio_to_desc(gpio)) : -EINVAL;
}

static inline int gpio_direction_output(unsigned int gpio, int value)
{
	return gpio_is_valid((int)gpio) ? gpiod_direction_output(gpio_to_desc(gpio), value) :
					  -EINVAL;
}

#define gpio_cansleep(gpio) ((void)(gpio), 0)
#define gpio_get_value_cansleep(gpio) gpio_get_value(gpio)
#define gpio_set_value_cansleep(gpio, value) gpio_set_value(gpio, value)
#define gpio_set_debounce(gpio, debounce) ((void)(gpio), (void)(debounce), -ENOTSUPP)
#define gpio_export(gpio, may_change) ((void)(gpio), (void)(may_change), 0)
#define gpio_unexport(gpio) ((void)(gpio))

#endif
