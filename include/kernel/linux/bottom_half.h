/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_BOTTOM_HALF_H
#define KERNEL_LINUX_BOTTOM_HALF_H

#include <asm/current.h>
#include <asm/preempt.h>
#include <linux/instruction_pointer.h>
#include <linux/preempt.h>

#define local_bh_disable() usermm_cpu_hold(SOFTIRQ_DISABLE_OFFSET)
#define local_bh_enable() usermm_cpu_drop(SOFTIRQ_DISABLE_OFFSET)
#define _local_bh_enable() local_bh_enable()

#endif
