/* SPDX-License-Identifier: MIT */
#include <linux/i2c.h>
