// SPDX-License-Identifier: MIT
/* GPIOs of a made-up chip: see linux/gpio.h. */
#include <linux/device.h>
#include <linux/gpio.h>
#include <linux/gpio/driver.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/spinlock.h>

#define FIRST_IRQ 512		/* the first line's, behind those of other devices */

static struct gpio_desc {
	bool taken, value;	/* Sync: lock */
	bool is_output;		/* Sync: atomic */
} gpios[ARCH_NR_GPIOS];
static DEFINE_SPINLOCK(lock);

int gpio_request(unsigned int gpio, const char *label)
{
	unsigned long flags;
	bool was_taken;

	(void)label;
	if (!gpio_is_valid((int)gpio))
		return -EINVAL;
	spin_lock_irqsave(&lock, flags);
	was_taken = gpios[gpio].taken;
	gpios[gpio].taken = true;
	spin_unlock_irqrestore(&lock, flags);
	return was_taken ? -EBUSY : 0;
}

void gpio_free(unsigned int gpio)
{
	unsigned long flags;

	if (!gpio_is_valid((int)gpio))
		return;
	spin_lock_irqsave(&lock, flags);
	WARN_ON(!gpios[gpio].taken);
	gpios[gpio].taken = false;
	spin_unlock_irqrestore(&lock, flags);
}

int gpio_request_one(unsigned int gpio, unsigned long flags, const char *label)
{
	int error = gpio_request(gpio, label);

	if (!error && !(flags & GPIOF_DIR_IN))
		gpio_set_value(gpio, (flags & GPIOF_OUT_INIT_HIGH) != 0);
	return error;
}

int gpio_request_array(const struct gpio *array, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int error = gpio_request_one(array[i].gpio, array[i].flags, array[i].label);

		if (error) {
			gpio_free_array(array, i);
			return error;
		}
	}
	return 0;
}

void gpio_free_array(const struct gpio *array, size_t n)
{
	while (n--)
		gpio_free(array[n].gpio);
}

static void free_managed(void *gpio)
{
	gpio_free((unsigned int)(unsigned long)gpio);
}

int devm_gpio_request_one(struct device *dev, unsigned int gpio, unsigned long flags,
			  const char *label)
{
	int error = gpio_request_one(gpio, flags, label);

	return error ? error : devm_add_action_or_reset(dev, free_managed,
							(void *)(unsigned long)gpio);
}

int devm_gpio_request(struct device *dev, unsigned int gpio, const char *label)
{
	return devm_gpio_request_one(dev, gpio, GPIOF_IN, label);
}

int gpio_get_value(unsigned int gpio)
{
	return gpio_is_valid((int)gpio) && READ_ONCE(gpios[gpio].value);
}

void gpio_set_value(unsigned int gpio, int value)
{
	unsigned long flags, edges;
	bool old;

	if (!gpio_is_valid((int)gpio))
		return;
	spin_lock_irqsave(&lock, flags);
	old = gpios[gpio].value;
	WRITE_ONCE(gpios[gpio].value, value != 0);
	spin_unlock_irqrestore(&lock, flags);
	edges = usermm_irq_flags(FIRST_IRQ + gpio);
	if ((!old && value && edges & IRQF_TRIGGER_RISING) ||
	    (old && !value && edges & IRQF_TRIGGER_FALLING))
		generic_handle_irq(FIRST_IRQ + gpio);
}

int gpio_to_irq(unsigned int gpio)
{
	return gpio_is_valid((int)gpio) ? (int)(FIRST_IRQ + gpio) : -EINVAL;
}

struct gpio_desc *gpio_to_desc(unsigned int gpio)
{
	return gpio_is_valid((int)gpio) ? &gpios[gpio] : NULL;
}

int desc_to_gpio(const struct gpio_desc *line)
{
	return line ? (int)(line - gpios) : 0;
}

int gpiod_direction_input(struct gpio_desc *line)
{
	if (line)
		WRITE_ONCE(line->is_output, false);
	return 0;
}

int gpiod_direction_output(struct gpio_desc *line, int value)
{
	if (line)
		WRITE_ONCE(line->is_output, true);
	return usermm_gpiod_set_value(line, value);
}

int gpiod_get_direction(struct gpio_desc *line)
{
	return line ? !READ_ONCE(line->is_output) : 0;
}

int gpiod_get_value(const struct gpio_desc *line)
{
	return line ? gpio_get_value((unsigned int)desc_to_gpio(line)) : 0;
}

int usermm_gpiod_set_value(struct gpio_desc *line, int value)
{
	if (line)
		gpio_set_value((unsigned int)desc_to_gpio(line), value);
	return 0;
}

int gpiod_to_irq(const struct gpio_desc *line)
{
	return line ? gpio_to_irq((unsigned int)desc_to_gpio(line)) : 0;
}

struct gpio_device {
	struct gpio_chip chip;
};
static struct gpio_device made_up = {
	.chip = { .label = "usermm", .base = 0, .ngpio = ARCH_NR_GPIOS },
};

struct gpio_chip *gpiod_to_chip(const struct gpio_desc *line)
{
	return IS_ERR_OR_NULL(line) ? NULL : &made_up.chip;
}

struct gpio_device *gpio_device_find(const void *data,
				     int (*match)(struct gpio_chip *chip, const void *data))
{
	return match(&made_up.chip, data) ? &made_up : NULL;
}

struct gpio_device *gpio_device_find_by_label(const char *label)
{
	return label && !strcmp(label, made_up.chip.label) ? &made_up : NULL;
}

struct gpio_desc *gpio_device_get_desc(struct gpio_device *device, unsigned int number)
{
	return number < device->chip.ngpio ? &gpios[number] : ERR_PTR(-EINVAL);
}

struct gpio_chip *gpio_device_get_chip(struct gpio_device *device)
{
	return &device->chip;
}
