/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_SPINLOCK_H
#define KERNEL_ASM_SPINLOCK_H

#include <asm/irqflags.h>
#include <asm/processor.h>
#include <linux/pfn.h>
#include <linux/spinlock.h>

#endif
