/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_MSR_H
#define KERNEL_ASM_MSR_H

#include <asm/timex.h>

#endif
