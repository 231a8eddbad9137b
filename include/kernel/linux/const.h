/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_CONST_H
#define KERNEL_LINUX_CONST_H

#include_next <linux/const.h>

#ifndef __ALIGN_KERNEL
#define __ALIGN_KERNEL(x, to) __ALIGN_KERNEL_MASK(x, (__typeof__(x))(to) - 1)
#define __ALIGN_KERNEL_MASK(x, mask) (((x) + (mask)) & ~(mask))
#endif
#ifndef UL
#define UL(x) _UL(x)
#define ULL(x) _ULL(x)
#endif

#endif
