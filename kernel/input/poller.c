// SPDX-License-Identifier: MIT
/* Devices that are asked from time to time. cf. Linux drivers/input/input-poller.c. */
#include <linux/device.h>
#include <linux/input.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "input_core.h"

#define DEFAULT_INTERVAL 500

struct input_dev_poller {
	void (*poll)(struct input_dev *dev);
	/* Milliseconds. Sync: dev->mutex, once the device is registered */
	unsigned int interval, min, max;
	struct input_dev *dev;
	struct delayed_work work;
};

static void ask_later(struct input_dev_poller *poller)
{
	queue_delayed_work(system_wq, &poller->work, msecs_to_jiffies(READ_ONCE(poller->interval)));
}

static void ask(struct work_struct *work)
{
	struct input_dev_poller *poller = container_of(work, struct input_dev_poller, work.work);

	poller->poll(poller->dev);
	ask_later(poller);
}

int input_setup_polling(struct input_dev *dev, void (*poll)(struct input_dev *dev))
{
	struct input_dev_poller *poller = kzalloc(sizeof(*poller), GFP_KERNEL);

	if (!poller)
		return -ENOMEM;
	INIT_DELAYED_WORK(&poller->work, ask);
	poller->dev = dev;
	poller->poll = poll;
	dev->poller = poller;
	return 0;
}

void input_poller_finish(struct input_dev *dev)
{
	struct input_dev_poller *poller = dev->poller;

	if (!poller)
		return;
	if (!poller->interval)
		poller->interval = DEFAULT_INTERVAL;
	if (!poller->max)
		poller->max = poller->interval;
}

void input_poller_start(struct input_dev *dev)
{
	if (dev->poller && dev->poller->interval)
		ask_later(dev->poller);
}

void input_poller_stop(struct input_dev *dev)
{
	if (dev->poller)
		cancel_delayed_work_sync(&dev->poller->work);
}

static bool is_polled(struct input_dev *dev)
{
	if (!dev->poller)
		dev_err(dev->dev.parent, "poller structure has not been set up\n");
	return dev->poller;
}

void input_set_poll_interval(struct input_dev *dev, unsigned int interval)
{
	if (is_polled(dev))
		WRITE_ONCE(dev->poller->interval, interval);
}

void input_set_min_poll_interval(struct input_dev *dev, unsigned int interval)
{
	if (is_polled(dev))
		dev->poller->min = interval;
}

void input_set_max_poll_interval(struct input_dev *dev, unsigned int interval)
{
	if (is_polled(dev))
		dev->poller->max = interval;
}

int input_get_poll_interval(struct input_dev *dev)
{
	return dev->poller ? (int)dev->poller->interval : -EINVAL;
}

static ssize_t poll_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	(void)attr;
	return sysfs_emit(buffer, "%u\n", to_input_dev(dev)->poller->interval);
}

/* 0 stops the polling. */
static ssize_t poll_store(struct device *dev, struct device_attribute *attr, const char *buffer,
			  size_t n)
{
	struct input_dev *input = to_input_dev(dev);
	struct input_dev_poller *poller = input->poller;
	unsigned int interval;
	int error = kstrtouint(buffer, 0, &interval);

	(void)attr;
	if (error)
		return error;
	if (interval < poller->min || interval > poller->max)
		return -EINVAL;
	mutex_lock(&input->mutex);
	WRITE_ONCE(poller->interval, interval);
	if (input->users) {
		input_poller_stop(input);
		input_poller_start(input);
	}
	mutex_unlock(&input->mutex);
	return (ssize_t)n;
}
static DEVICE_ATTR_RW(poll);

static ssize_t min_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	(void)attr;
	return sysfs_emit(buffer, "%u\n", to_input_dev(dev)->poller->min);
}
static DEVICE_ATTR_RO(min);

static ssize_t max_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	(void)attr;
	return sysfs_emit(buffer, "%u\n", to_input_dev(dev)->poller->max);
}
static DEVICE_ATTR_RO(max);

static umode_t visible(struct kobject *kobj, struct attribute *attr, int index)
{
	(void)index;
	return to_input_dev(kobj_to_dev(kobj))->poller ? attr->mode : 0;
}

static struct attribute *attributes[] = {
	&dev_attr_poll.attr, &dev_attr_min.attr, &dev_attr_max.attr, NULL,
};

const struct attribute_group input_poller_group = { .attrs = attributes, .is_visible = visible };
