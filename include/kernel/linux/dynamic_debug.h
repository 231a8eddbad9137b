/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_DYNAMIC_DEBUG_H
#define KERNEL_LINUX_DYNAMIC_DEBUG_H

#include <linux/printk.h>

#endif
