/* SPDX-License-Identifier: MIT */
/* What starts a measurement. Buffers are never enabled, so nobody listens. */
#ifndef _IIO_TRIGGER_H_
#define _IIO_TRIGGER_H_

#include <linux/device.h>
#include <linux/err.h>
#include <linux/irqreturn.h>
#include <linux/module.h>
#include <linux/slab.h>

struct iio_dev;
struct iio_trigger;

struct iio_trigger_ops {
	int (*set_trigger_state)(struct iio_trigger *trigger, bool on);
	void (*reenable)(struct iio_trigger *trigger);
	int (*validate_device)(struct iio_trigger *trigger, struct iio_dev *device);
};

struct iio_trigger {
	const struct iio_trigger_ops *ops;
	int id;
	const char *name;
	struct device dev;
	void *usermm_data;
};

/* NULL without memory. The name is not copied. */
static inline struct iio_trigger *usermm_iio_trigger_alloc(const char *name)
{
	struct iio_trigger *trigger = kzalloc(sizeof(*trigger), GFP_KERNEL);

	if (trigger)
		trigger->name = name;
	return trigger;
}

static inline void iio_trigger_free(struct iio_trigger *trigger)
{
	kfree(trigger);
}

static inline void usermm_iio_trigger_release(void *trigger)
{
	kfree(trigger);
}

static inline struct iio_trigger *usermm_devm_iio_trigger(struct device *dev, const char *name)
{
	struct iio_trigger *trigger = usermm_iio_trigger_alloc(name);

	if (trigger && devm_add_action_or_reset(dev, usermm_iio_trigger_release, trigger))
		return NULL;
	return trigger;
}

#define iio_trigger_alloc(parent, name, ...) ((void)(parent), usermm_iio_trigger_alloc(name))
#define devm_iio_trigger_alloc(dev, name, ...) usermm_devm_iio_trigger(dev, name)
#define iio_trigger_register(trigger) ((void)(trigger), 0)
#define devm_iio_trigger_register(dev, trigger) ((void)(dev), (void)(trigger), 0)
#define iio_trigger_unregister(trigger) ((void)(trigger))
#define iio_trigger_set_drvdata(trigger, data) ((void)((trigger)->usermm_data = (data)))
#define iio_trigger_get_drvdata(trigger) ((trigger)->usermm_data)
#define iio_trigger_get(trigger) (trigger)
#define iio_trigger_put(trigger) ((void)(trigger))
#define iio_trigger_poll(trigger) ((void)(trigger))
#define iio_trigger_poll_nested(trigger) ((void)(trigger))
#define iio_trigger_generic_data_rdy_poll(irq, trigger) \
	((void)(irq), (void)(trigger), IRQ_HANDLED)

#endif
