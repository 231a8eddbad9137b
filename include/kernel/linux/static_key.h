/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_STATIC_KEY_H
#define KERNEL_LINUX_STATIC_KEY_H

#include <linux/jump_label.h>

#endif
