/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_BYTEORDER_H
#define KERNEL_ASM_BYTEORDER_H

#include_next <asm/byteorder.h>
#include <linux/byteorder.h>

#endif
