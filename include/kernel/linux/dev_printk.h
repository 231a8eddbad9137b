/* SPDX-License-Identifier: MIT */
#ifndef _DEVICE_PRINTK_H_
#define _DEVICE_PRINTK_H_

#include <linux/device.h>

#endif
