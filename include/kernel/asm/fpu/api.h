/* SPDX-License-Identifier: MIT */
/* A process may use these registers at any time. */
#ifndef KERNEL_ASM_FPU_API_H
#define KERNEL_ASM_FPU_API_H

#include <linux/bottom_half.h>
#include <linux/preempt.h>

#define kernel_fpu_begin() preempt_disable()
#define kernel_fpu_end() preempt_enable()
#define irq_fpu_usable() true

#endif
