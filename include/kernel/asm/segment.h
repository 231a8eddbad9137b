/* SPDX-License-Identifier: MIT */
/* Selectors of x86-64's segments. */
#ifndef KERNEL_ASM_SEGMENT_H
#define KERNEL_ASM_SEGMENT_H

#include <linux/stringify.h>

#define __KERNEL32_CS 0x08
#define __KERNEL_CS 0x10
#define __KERNEL_DS 0x18
#define __USER32_CS 0x23
#define __USER_DS 0x2b
#define __USER_CS 0x33

#endif
