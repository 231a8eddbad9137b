/* SPDX-License-Identifier: MIT */
/*
 * A process cannot access model-specific registers. Calls that can fail return -EIO, as for a
 * register that the processor lacks. The other calls read 0 and write nothing.
 */
#ifndef KERNEL_ASM_MSR_H
#define KERNEL_ASM_MSR_H

#include <asm/irqflags.h>
#include <asm/msr-index.h>
#include <asm/timex.h>
#include <linux/bottom_half.h>
#include <linux/errno.h>
#include <linux/mmdebug.h>
#include <linux/nodemask_types.h>
#include <linux/rbtree_types.h>
#include <linux/sched/types.h>
#include <linux/timer_types.h>
#include <linux/types.h>

#define rdmsr(msr, low, high) ((void)(msr), (void)((low) = 0), (void)((high) = 0))
#define wrmsr(msr, low, high) ((void)(msr), (void)(low), (void)(high))
#define rdmsrq(msr, value) ((void)(msr), (void)((value) = 0))

#define rdmsr_safe(msr, low, high) \
	((void)(msr), (void)(*(low) = 0), (void)(*(high) = 0), -EIO)
#define wrmsr_safe(msr, low, high) ((void)(msr), (void)(low), (void)(high), -EIO)

static inline void wrmsrq(u32 msr, u64 value)
{
	(void)msr;
	(void)value;
}

static inline int rdmsrq_safe(u32 msr, unsigned long long *value)
{
	(void)msr;
	*value = 0;
	return -EIO;
}

static inline int wrmsrq_safe(u32 msr, u64 value)
{
	(void)msr;
	(void)value;
	return -EIO;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define rdmsrl(msr, value) rdmsrq(msr, value)
#define wrmsrl(msr, value) wrmsrq(msr, value)
#define rdmsrl_safe(msr, value) rdmsrq_safe(msr, value)
#define wrmsrl_safe(msr, value) wrmsrq_safe(msr, value)
#else
USERMM_REMOVED(rdmsrl, "6.16", "rdmsrq()")
USERMM_REMOVED(wrmsrl, "6.16", "wrmsrq()")
USERMM_REMOVED(rdmsrl_safe, "6.16", "rdmsrq_safe()")
USERMM_REMOVED(wrmsrl_safe, "6.16", "wrmsrq_safe()")
#endif

#endif
