/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IRQ_WORK_H
#define KERNEL_LINUX_IRQ_WORK_H

#include <linux/interrupt.h>
#include <linux/mm_types.h>
#include <linux/ratelimit.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sysctl.h>

/* A function that runs soon, as an interrupt of the CPU that queued it. */
struct irq_work {
	struct tasklet_struct tasklet;
	void (*func)(struct irq_work *work);
};

void usermm_irq_work_run(struct tasklet_struct *tasklet) __attribute__((visibility("default")));

#define IRQ_WORK_INIT(function)						\
	{ .tasklet = USERMM_TASKLET_INIT(usermm_irq_work_run), .func = (function) }
#define DEFINE_IRQ_WORK(name, function) struct irq_work name = IRQ_WORK_INIT(function)

static inline void init_irq_work(struct irq_work *work, void (*function)(struct irq_work *))
{
	*work = (struct irq_work)IRQ_WORK_INIT(function);
}

/* False if it is queued already. */
static inline bool irq_work_queue(struct irq_work *work)
{
	return usermm_tasklet_schedule(&work->tasklet);
}

static inline void irq_work_sync(struct irq_work *work)
{
	tasklet_kill(&work->tasklet);
}

#endif
