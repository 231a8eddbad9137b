/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_SMP_H
#define KERNEL_ASM_SMP_H

#include <asm/irqflags.h>
#include <asm/thread_info.h>
#include <linux/pfn.h>
#include <linux/smp.h>

#endif
