/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_UTIL_MACROS_H
#define KERNEL_LINUX_UTIL_MACROS_H

#include <asm/div64.h>
#include <linux/math.h>
#include <linux/minmax.h>

#endif
