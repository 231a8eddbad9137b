/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_IIO_TRIGGERED_BUFFER_H_
#define _LINUX_IIO_TRIGGERED_BUFFER_H_

#include <linux/iio/buffer.h>
#include <linux/iio/trigger_consumer.h>

/* Nothing triggers: the functions are not called. */
#define iio_triggered_buffer_setup(device, top, thread, operations) \
	((void)(top), (void)(thread), (void)((device)->setup_ops = (operations)), 0)
#define devm_iio_triggered_buffer_setup(dev, device, top, thread, operations) \
	((void)(dev), iio_triggered_buffer_setup(device, top, thread, operations))
#define iio_triggered_buffer_cleanup(device) ((void)(device))

#endif
