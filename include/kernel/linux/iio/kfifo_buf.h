/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_IIO_KFIFO_BUF_H__
#define __LINUX_IIO_KFIFO_BUF_H__

#include <linux/iio/buffer.h>

#define devm_iio_kfifo_buffer_setup(dev, device, operations) \
	((void)(dev), (void)((device)->setup_ops = (operations)), 0)

#endif
