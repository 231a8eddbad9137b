/* SPDX-License-Identifier: MIT */
#include <linux/device.h>
