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
#define rdmsrl(msr, value) ((void)(msr), (void)((value) = 0))
#define rdmsrq(msr, value) rdmsrl(msr, value)

#define rdmsr_safe(msr, low, high) \
	((void)(msr), (void)(*(low) = 0), (void)(*(high) = 0), -EIO)
#define wrmsr_safe(msr, low, high) ((void)(msr), (void)(low), (void)(high), -EIO)

static inline void wrmsrl(u32 msr, u64 value)
{
	(void)msr;
	(void)value;
}

static inline int rdmsrl_safe(u32 msr, unsigned long long *value)
{
	(void)msr;
	*value = 0;
	return -EIO;
}

static inline int wrmsrl_safe(u32 msr, u64 value)
{
	(void)msr;
	(void)value;
	return -EIO;
}

#define wrmsrq(msr, value) wrmsrl(msr, value)
#define rdmsrq_safe(msr, value) rdmsrl_safe(msr, value)
#define wrmsrq_safe(msr, value) wrmsrl_safe(msr, value)

#endif
