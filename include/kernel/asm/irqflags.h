/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_IRQFLAGS_H
#define KERNEL_ASM_IRQFLAGS_H

#include <linux/irqflags.h>

#endif
