/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_STRING_H
#define KERNEL_ASM_STRING_H

#include <linux/string.h>

#endif
