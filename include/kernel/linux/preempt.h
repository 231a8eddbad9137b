/* SPDX-License-Identifier: MIT */
/* Preemption, and the kind of the running context. */
#ifndef KERNEL_LINUX_PREEMPT_H
#define KERNEL_LINUX_PREEMPT_H

#include <asm/current.h>
#include <linux/cleanup.h>

#define preempt_disable() usermm_cpu_hold(PREEMPT_OFFSET)
#define preempt_enable() usermm_cpu_drop(PREEMPT_OFFSET)
#define preempt_enable_no_resched() preempt_enable()
#define preempt_disable_notrace() preempt_disable()
#define preempt_enable_notrace() preempt_enable()
#define preempt_check_resched() ((void)0)
#define preempt_count() (usermm_self()->count & ~USERMM_IRQS_OFF)
#define preemptible() (!usermm_self()->count)
#define preempt_count_add(n) usermm_cpu_hold(n)
#define preempt_count_sub(n) usermm_cpu_drop(n)

#define nmi_count() (preempt_count() & NMI_MASK)
#define hardirq_count() (preempt_count() & HARDIRQ_MASK)
#define softirq_count() (preempt_count() & SOFTIRQ_MASK)
#define irq_count() (preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_MASK))

#define in_nmi() nmi_count()
#define in_hardirq() hardirq_count()
#define in_irq() hardirq_count()
#define in_softirq() softirq_count()
#define in_serving_softirq() (softirq_count() & SOFTIRQ_OFFSET)
#define in_interrupt() irq_count()
#define in_task() (!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)))
#define in_atomic() (preempt_count() != 0)
#define in_atomic_preempt_off() in_atomic()

/* Keeps the thread on this CPU, until set_cpus_allowed_ptr(). Other threads may run there, too. */
#define migrate_disable() ((void)usermm_cpu_id(), (void)usermm_self()->migration_disabled++)
#define migrate_enable() ((void)usermm_self()->migration_disabled--)

#endif
