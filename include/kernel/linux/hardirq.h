/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_HARDIRQ_H
#define KERNEL_LINUX_HARDIRQ_H

#include <asm/irqflags.h>
#include <linux/bottom_half.h>
#include <linux/irqflags.h>
#include <linux/mmdebug.h>
#include <linux/nodemask_types.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rbtree_types.h>
#include <linux/sched/types.h>
#include <linux/timer_types.h>
#include <usermm/compiler.h>

#define irq_enter() usermm_cpu_hold(HARDIRQ_OFFSET)
#define irq_exit() usermm_cpu_drop(HARDIRQ_OFFSET)
/* Waits until no handler of the line runs: see interrupt.h. */
void synchronize_irq(unsigned int irq) USERMM_API(synchronize_irq);

#endif
