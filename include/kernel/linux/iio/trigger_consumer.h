/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_IIO_TRIGGER_CONSUMER_H__
#define __LINUX_IIO_TRIGGER_CONSUMER_H__

#include <linux/iio/iio.h>
#include <linux/iio/trigger.h>
#include <linux/interrupt.h>

struct iio_poll_func {
	struct iio_dev *indio_dev;
	irqreturn_t (*h)(int irq, void *data);
	irqreturn_t (*thread)(int irq, void *data);
	int type;
	char *name;
	int irq;
	s64 timestamp;
};

static inline irqreturn_t iio_pollfunc_store_time(int irq, void *data)
{
	struct iio_poll_func *function = data;

	(void)irq;
	function->timestamp = iio_get_time_ns(function->indio_dev);
	return IRQ_WAKE_THREAD;
}

#define iio_trigger_notify_done(trigger) ((void)(trigger))
#define iio_trigger_set_immutable(device, trigger) \
	((void)((device)->trig = (trigger)), 0)

#endif
