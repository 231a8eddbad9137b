/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TIMEKEEPING32_H
#define KERNEL_LINUX_TIMEKEEPING32_H

#include <linux/timekeeping.h>

#endif
