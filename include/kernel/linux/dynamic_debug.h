/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_DYNAMIC_DEBUG_H
#define KERNEL_LINUX_DYNAMIC_DEBUG_H

#include <linux/jump_label.h>
#include <linux/printk.h>
#include <linux/string.h>

#endif
