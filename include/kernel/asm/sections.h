/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_SECTIONS_H
#define KERNEL_ASM_SECTIONS_H

#include <linux/types.h>

#endif
