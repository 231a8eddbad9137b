/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IRQ_H
#define KERNEL_LINUX_IRQ_H

#include <asm/irq.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kobject.h>
#include <linux/percpu-refcount.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#endif
