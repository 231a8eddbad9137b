/* SPDX-License-Identifier: MIT */
/*
 * Tasklets: functions that run soon, as a soft interrupt of the CPU that scheduled them, each on
 * one CPU at a time. And lines of device interrupts, which a module may take as on a machine where
 * nothing interrupts: kernel/devices/irq_lines.c.
 */
#ifndef KERNEL_LINUX_INTERRUPT_H
#define KERNEL_LINUX_INTERRUPT_H

#include <asm/hardirq.h>
#include <asm/irq.h>
#include <asm/ptrace.h>
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
#define IRQF_TRIGGER_NONE 0x00000000
#define IRQF_TRIGGER_RISING 0x00000001
#define IRQF_TRIGGER_FALLING 0x00000002
#define IRQF_TRIGGER_HIGH 0x00000004
#define IRQF_TRIGGER_LOW 0x00000008
#define IRQF_TRIGGER_MASK 0x0000000f
#define IRQF_TRIGGER_PROBE 0x00000010
#define IRQF_SHARED 0x00000080
#define IRQF_PROBE_SHARED 0x00000100
#define IRQF_TIMER 0x00014200
#define IRQF_PERCPU 0x00000400
#define IRQF_NOBALANCING 0x00000800
#define IRQF_IRQPOLL 0x00001000
#define IRQF_ONESHOT 0x00002000
#define IRQF_NO_SUSPEND 0x00004000
#define IRQF_NO_THREAD 0x00010000
#define IRQF_NO_AUTOEN 0x00080000
#define IRQ_TYPE_NONE 0
#define IRQ_TYPE_EDGE_RISING 1
#define IRQ_TYPE_EDGE_FALLING 2
#define IRQ_TYPE_EDGE_BOTH 3
#define IRQ_TYPE_LEVEL_HIGH 4
#define IRQ_TYPE_LEVEL_LOW 8

struct device;

USERMM_BEGIN_DECLS

/*
 * 0; -EINVAL if there is no such line, without a function, or for a shared line without data;
 * -EBUSY if the line is taken and not shared by all. If handler is NULL, the thread function does
 * all.
 */
int request_threaded_irq(unsigned int irq, irq_handler_t handler, irq_handler_t thread_function,
			 unsigned long flags, const char *name, void *data)
	USERMM_API(request_threaded_irq);
/*
 * Returns the name that the request gave; NULL if no request with this data has the line. No
 * handler runs afterwards.
 */
const void *free_irq(unsigned int irq, void *data) USERMM_API(free_irq);
int devm_request_threaded_irq(struct device *dev, unsigned int irq, irq_handler_t handler,
			      irq_handler_t thread_function, unsigned long flags,
			      const char *name, void *data)
	USERMM_API(devm_request_threaded_irq);
void devm_free_irq(struct device *dev, unsigned int irq, void *data) USERMM_API(devm_free_irq);
/* Calls nest. Interrupts that come while the line is disabled are lost. */
void disable_irq_nosync(unsigned int irq) USERMM_API(disable_irq_nosync);
void enable_irq(unsigned int irq) USERMM_API(enable_irq);
/* Raises an interrupt of this line, as the controller of a made-up device does. 0 or -EINVAL. */
int generic_handle_irq(unsigned int irq) USERMM_API(generic_handle_irq);
unsigned long usermm_irq_flags(unsigned int irq) __attribute__((visibility("default")));

USERMM_END_DECLS

static inline int __must_check request_irq(unsigned int irq, irq_handler_t handler,
					   unsigned long flags, const char *name, void *data)
{
	return request_threaded_irq(irq, handler, NULL, flags, name, data);
}

static inline int __must_check devm_request_irq(struct device *dev, unsigned int irq,
						irq_handler_t handler, unsigned long flags,
						const char *name, void *data)
{
	return devm_request_threaded_irq(dev, irq, handler, NULL, flags, name, data);
}

static inline void disable_irq(unsigned int irq)
{
	disable_irq_nosync(irq);
	synchronize_irq(irq);
}

#define request_any_context_irq(irq, handler, flags, name, data) \
	request_irq(irq, handler, flags, name, data)
#define irq_set_affinity_hint(irq, mask) ((void)(irq), (void)(mask), 0)
#define irq_set_irq_type(irq, type) ((void)(irq), (void)(type), 0)
#define enable_irq_wake(irq) ((void)(irq), 0)
#define disable_irq_wake(irq) ((void)(irq), 0)

#endif
