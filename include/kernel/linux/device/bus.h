/* SPDX-License-Identifier: MIT */
#include <linux/device.h>
#include <linux/klist.h>
