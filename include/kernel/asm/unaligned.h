/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_UNALIGNED_H
#define KERNEL_ASM_UNALIGNED_H

#include <linux/unaligned.h>

#endif
