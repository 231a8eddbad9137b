/* SPDX-License-Identifier: MIT */
/* Buffers of measurements. Programs cannot read them, so what is put into one is gone. */
#ifndef _IIO_BUFFER_GENERIC_H_
#define _IIO_BUFFER_GENERIC_H_

#include <linux/iio/iio.h>
#include <linux/sysfs.h>

struct iio_buffer;

#define iio_push_to_buffers(device, data) ((void)(device), (void)(data), 0)
#define iio_push_to_buffers_with_timestamp(device, data, time) \
	((void)(device), (void)(data), (void)(time), 0)
#define iio_push_to_buffers_with_ts(device, data, n, time) \
	((void)(device), (void)(data), (void)(n), (void)(time), 0)
#define iio_device_attach_buffer(device, data) ((void)(device), (void)(data), 0)

#endif
