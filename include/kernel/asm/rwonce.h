/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_RWONCE_H
#define KERNEL_ASM_RWONCE_H

#include <linux/compiler.h>

#endif
