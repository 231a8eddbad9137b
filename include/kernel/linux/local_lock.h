/* SPDX-License-Identifier: MIT */
/* Locks for per-CPU data. Each holds the CPU, as preempt_disable() does. */
#ifndef KERNEL_LINUX_LOCAL_LOCK_H
#define KERNEL_LINUX_LOCAL_LOCK_H

#include <asm/irqflags.h>
#include <asm/preempt.h>
#include <asm/smp.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/thread_info.h>

typedef struct {
	char unused;
} local_lock_t;

#define INIT_LOCAL_LOCK(name) { 0 }
#define local_lock_init(lock) ((void)(lock))
#define local_lock(lock) ((void)(lock), preempt_disable())
#define local_unlock(lock) ((void)(lock), preempt_enable())
#define local_lock_irq(lock) ((void)(lock), local_irq_disable())
#define local_unlock_irq(lock) ((void)(lock), local_irq_enable())
#define local_lock_irqsave(lock, flags) local_irq_save(flags)
#define local_unlock_irqrestore(lock, flags) local_irq_restore(flags)
#define local_lock_nested_bh(lock) ((void)(lock))
#define local_unlock_nested_bh(lock) ((void)(lock))

#endif
