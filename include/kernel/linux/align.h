/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_ALIGN_H
#define KERNEL_LINUX_ALIGN_H

#include <linux/const.h>

#undef ALIGN
#define ALIGN(x, to) __ALIGN_KERNEL(x, to)
#define ALIGN_DOWN(x, to) ((x) & ~((__typeof__(x))(to) - 1))
#define __ALIGN_MASK(x, mask) __ALIGN_KERNEL_MASK(x, mask)
#undef IS_ALIGNED
#define IS_ALIGNED(x, to) (((x) & ((__typeof__(x))(to) - 1)) == 0)

#endif
