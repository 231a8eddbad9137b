/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_BITOPS_H
#define KERNEL_ASM_BITOPS_H

#include <linux/bitops.h>

#endif
