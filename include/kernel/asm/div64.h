/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_DIV64_H
#define KERNEL_ASM_DIV64_H

#include <linux/math64.h>

#endif
