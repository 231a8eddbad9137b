/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_THREAD_INFO_H
#define KERNEL_ASM_THREAD_INFO_H

#include <asm/irqflags.h>
#include <asm/processor.h>
#include <linux/pfn.h>
#include <linux/sched.h>

#endif
