/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_PREEMPT_H
#define KERNEL_ASM_PREEMPT_H

#include <asm/percpu.h>
#include <linux/preempt.h>

#endif
