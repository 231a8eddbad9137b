/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_LCM_H
#define KERNEL_LINUX_LCM_H

#include <linux/math.h>

#endif
