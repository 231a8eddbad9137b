/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_I2C_DEV_H
#define KERNEL_LINUX_I2C_DEV_H

#include <linux/types.h>
#include_next <linux/i2c-dev.h>

#define I2C_MAJOR 89

#endif
