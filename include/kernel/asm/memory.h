/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_MEMORY_H
#define KERNEL_ASM_MEMORY_H

#include <asm/page.h>

#endif
