/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_GCD_H
#define KERNEL_LINUX_GCD_H

#include <linux/jump_label.h>
#include <linux/math.h>

#endif
