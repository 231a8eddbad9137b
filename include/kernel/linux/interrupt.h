/* SPDX-License-Identifier: MIT */
/*
 * Tasklets: functions that run soon, as a soft interrupt of the CPU that scheduled them, each on
 * one CPU at a time. There are no device interrupts, so requesting an interrupt line fails.
 */
#ifndef KERNEL_LINUX_INTERRUPT_H
#define KERNEL_LINUX_INTERRUPT_H

#include <asm/hardirq.h>
#include <asm/sections.h>
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kref.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <linux/workqueue.h>

enum { TASKLET_STATE_SCHED, TASKLET_STATE_RUN };

struct tasklet_struct {
	struct tasklet_struct *next;
	unsigned long state;		/* Sync: atomic; TASKLET_STATE_ bits */
	atomic_t count;			/* not 0: disabled */
	bool use_callback;
	union {
		void (*func)(unsigned long data);
		void (*callback)(struct tasklet_struct *tasklet);
	};
	unsigned long data;
	struct timer_list timer;
};

USERMM_BEGIN_DECLS

void usermm_tasklet_run(struct timer_list *timer) __attribute__((visibility("default")));
/* False if it is scheduled already. */
bool usermm_tasklet_schedule(struct tasklet_struct *tasklet)
	__attribute__((visibility("default")));
void tasklet_init(struct tasklet_struct *tasklet, void (*function)(unsigned long),
		  unsigned long data) USERMM_API(tasklet_init);
void tasklet_setup(struct tasklet_struct *tasklet, void (*callback)(struct tasklet_struct *))
	USERMM_API(tasklet_setup);
/* Waits until it is neither scheduled nor running. */
void tasklet_kill(struct tasklet_struct *tasklet) USERMM_API(tasklet_kill);
void tasklet_unlock_wait(struct tasklet_struct *tasklet) USERMM_API(tasklet_unlock_wait);

USERMM_END_DECLS

#define USERMM_TASKLET_INIT(function)					\
	{ .callback = (function), .use_callback = true,			\
	  .timer = __TIMER_INITIALIZER(usermm_tasklet_run, 0) }
#define USERMM_TASKLET_INIT_OLD(function, argument, disabled)		\
	{ .func = (function), .data = (argument), .count = ATOMIC_INIT(disabled), \
	  .timer = __TIMER_INITIALIZER(usermm_tasklet_run, 0) }
#define DECLARE_TASKLET_OLD(name, function) \
	struct tasklet_struct name = USERMM_TASKLET_INIT_OLD(function, 0, 0)
#define DECLARE_TASKLET_DISABLED_OLD(name, function) \
	struct tasklet_struct name = USERMM_TASKLET_INIT_OLD(function, 0, 1)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 9, 0)
#define DECLARE_TASKLET(name, function, argument) \
	struct tasklet_struct name = USERMM_TASKLET_INIT_OLD(function, argument, 0)
#define DECLARE_TASKLET_DISABLED(name, function, argument) \
	struct tasklet_struct name = USERMM_TASKLET_INIT_OLD(function, argument, 1)
#else
#define DECLARE_TASKLET(name, function) \
	struct tasklet_struct name = USERMM_TASKLET_INIT(function)
#define DECLARE_TASKLET_DISABLED(name, function)			\
	struct tasklet_struct name = { .callback = (function), .use_callback = true, \
		.count = ATOMIC_INIT(1),				\
		.timer = __TIMER_INITIALIZER(usermm_tasklet_run, 0) }
#endif
#define from_tasklet(var, callback_tasklet, field) \
	container_of(callback_tasklet, __typeof__(*(var)), field)

static inline void tasklet_schedule(struct tasklet_struct *tasklet)
{
	usermm_tasklet_schedule(tasklet);
}

static inline void tasklet_hi_schedule(struct tasklet_struct *tasklet)
{
	usermm_tasklet_schedule(tasklet);
}

static inline void tasklet_disable_nosync(struct tasklet_struct *tasklet)
{
	atomic_inc(&tasklet->count);
	smp_mb__after_atomic();
}

static inline void tasklet_disable(struct tasklet_struct *tasklet)
{
	tasklet_disable_nosync(tasklet);
	tasklet_unlock_wait(tasklet);
}

static inline void tasklet_enable(struct tasklet_struct *tasklet)
{
	smp_mb__before_atomic();
	atomic_dec(&tasklet->count);
}

typedef enum irqreturn { IRQ_NONE, IRQ_HANDLED, IRQ_WAKE_THREAD } irqreturn_t;
typedef irqreturn_t (*irq_handler_t)(int irq, void *data);
#define IRQ_RETVAL(x) ((x) ? IRQ_HANDLED : IRQ_NONE)
#define IRQF_SHARED 0x00000080
#define request_irq(irq, handler, flags, name, data) \
	((void)(irq), (void)(handler), (void)(name), (void)(data), -EINVAL)
#define free_irq(irq, data) ((void)(irq), (void)(data))

#endif
