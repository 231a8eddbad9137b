/* SPDX-License-Identifier: MIT */
/* Work queues: their threads run work items later. An item runs in one thread at a time. */
#ifndef KERNEL_LINUX_WORKQUEUE_H
#define KERNEL_LINUX_WORKQUEUE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include <linux/workqueue_types.h>
#include <usermm/compiler.h>

enum {
	WQ_UNBOUND = 1 << 1,
	WQ_FREEZABLE = 1 << 2,
	WQ_MEM_RECLAIM = 1 << 3,
	WQ_HIGHPRI = 1 << 4,
	WQ_CPU_INTENSIVE = 1 << 5,
	WQ_SYSFS = 1 << 6,
	WQ_POWER_EFFICIENT = 1 << 7,
	WQ_BH = 1 << 8,
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	WQ_PERCPU = 1 << 9,	/* as queues are without WQ_UNBOUND */
#endif
	__WQ_ORDERED = 1 << 17,
	WQ_MAX_ACTIVE = 512,
	WQ_UNBOUND_MAX_ACTIVE = WQ_MAX_ACTIVE,
	WQ_DFL_ACTIVE = WQ_MAX_ACTIVE / 2,
	WORK_CPU_UNBOUND = NR_CPUS,
};

#define __WORK_INITIALIZER(n, function) \
	{ .entry = LIST_HEAD_INIT((n).entry), .func = (function) }
#define __DELAYED_WORK_INITIALIZER(n, function, flags) \
	{ .work = __WORK_INITIALIZER((n).work, function), \
	  .timer = __TIMER_INITIALIZER(delayed_work_timer_fn, flags) }
#define DECLARE_WORK(n, function) struct work_struct n = __WORK_INITIALIZER(n, function)
#define DECLARE_DELAYED_WORK(n, function) \
	struct delayed_work n = __DELAYED_WORK_INITIALIZER(n, function, 0)
#define INIT_WORK(w, function)						\
	do {								\
		struct work_struct *work_ = (w);			\
									\
		*work_ = (struct work_struct){ .func = (function) };	\
		INIT_LIST_HEAD(&work_->entry);				\
	} while (0)
#define INIT_WORK_ONSTACK(w, function) INIT_WORK(w, function)
#define INIT_DELAYED_WORK(w, function)					\
	do {								\
		INIT_WORK(&(w)->work, function);			\
		timer_setup(&(w)->timer, delayed_work_timer_fn, 0);	\
	} while (0)
#define INIT_DELAYED_WORK_ONSTACK(w, function) INIT_DELAYED_WORK(w, function)
#define INIT_DEFERRABLE_WORK(w, function) INIT_DELAYED_WORK(w, function)
#define INIT_RCU_WORK(w, function) INIT_WORK(&(w)->work, function)
#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 15, 0)
#define PREPARE_WORK(w, function) ((void)((w)->func = (function)))
#else
USERMM_REMOVED(PREPARE_WORK, "3.15", "INIT_WORK()")
#endif
#define destroy_work_on_stack(w) ((void)(w))
#define destroy_delayed_work_on_stack(w) ((void)(w))
#define to_delayed_work(w) container_of(w, struct delayed_work, work)
#define to_rcu_work(w) container_of(w, struct rcu_work, work)
#define work_pending(w) (atomic_long_read(&(w)->data) != 0)
#define delayed_work_pending(w) work_pending(&(w)->work)

USERMM_BEGIN_DECLS

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active, ...)
	USERMM_API(alloc_workqueue) __printf(1, 4);
void destroy_workqueue(struct workqueue_struct *queue) USERMM_API(destroy_workqueue);
void workqueue_set_max_active(struct workqueue_struct *queue, int max_active)
	USERMM_API(workqueue_set_max_active);
/* Files in /sys/bus/workqueue/devices/NAME, as alloc_workqueue() makes them with WQ_SYSFS. */
int workqueue_sysfs_register(struct workqueue_struct *queue)
	USERMM_API(workqueue_sysfs_register);
/* False if the work is pending already. */
bool queue_work_on(int cpu, struct workqueue_struct *queue, struct work_struct *work)
	USERMM_API(queue_work_on);
bool queue_delayed_work_on(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			   unsigned long delay) USERMM_API(queue_delayed_work_on);
/* Sets a new delay, whether the work is pending or not. True if it was pending. */
bool mod_delayed_work_on(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			 unsigned long delay) USERMM_API(mod_delayed_work_on);
bool queue_rcu_work(struct workqueue_struct *queue, struct rcu_work *work)
	USERMM_API(queue_rcu_work);
/* Waits until the item, as queued before this call, has run. True if it had to wait. */
bool flush_work(struct work_struct *work) USERMM_API(flush_work);
bool flush_delayed_work(struct delayed_work *work) USERMM_API(flush_delayed_work);
bool flush_rcu_work(struct rcu_work *work) USERMM_API(flush_rcu_work);
void __flush_workqueue(struct workqueue_struct *queue) USERMM_API(__flush_workqueue);
void drain_workqueue(struct workqueue_struct *queue) USERMM_API(drain_workqueue);
/* True if the work was pending. The _sync forms also wait until it no longer runs. */
bool cancel_work(struct work_struct *work) USERMM_API(cancel_work);
bool cancel_work_sync(struct work_struct *work) USERMM_API(cancel_work_sync);
bool cancel_delayed_work(struct delayed_work *work) USERMM_API(cancel_delayed_work);
bool cancel_delayed_work_sync(struct delayed_work *work) USERMM_API(cancel_delayed_work_sync);
/* Disabling nests: the work can be queued again after it was enabled as often as disabled. */
bool disable_work(struct work_struct *work) USERMM_API(disable_work);
bool disable_work_sync(struct work_struct *work) USERMM_API(disable_work_sync);
bool enable_work(struct work_struct *work) USERMM_API(enable_work);
bool disable_delayed_work(struct delayed_work *work) USERMM_API(disable_delayed_work);
bool disable_delayed_work_sync(struct delayed_work *work)
	USERMM_API(disable_delayed_work_sync);
#define enable_delayed_work(w) enable_work(&(w)->work)
unsigned int work_busy(struct work_struct *work) USERMM_API(work_busy);
int schedule_on_each_cpu(work_func_t function) USERMM_API(schedule_on_each_cpu);
void delayed_work_timer_fn(struct timer_list *timer) USERMM_API(delayed_work_timer_fn);

extern struct workqueue_struct *system_wq USERMM_API(system_wq);

USERMM_END_DECLS

#define WORK_BUSY_PENDING 1
#define WORK_BUSY_RUNNING 2
#define system_highpri_wq system_wq
#define system_bh_wq system_wq
#define system_bh_highpri_wq system_wq
#define system_long_wq system_wq
#define system_unbound_wq system_wq
#define system_freezable_wq system_wq
#define system_power_efficient_wq system_wq
#define system_percpu_wq system_wq
#define system_dfl_wq system_wq
#define system_dfl_long_wq system_wq
#define from_work(var, callback_work, field) \
	container_of(callback_work, __typeof__(*(var)), field)

#define alloc_ordered_workqueue(name, flags, args...) \
	alloc_workqueue(name, WQ_UNBOUND | __WQ_ORDERED | (flags), 1, ## args)
#define create_workqueue(name) alloc_workqueue("%s", WQ_MEM_RECLAIM, 1, (name))
#define create_singlethread_workqueue(name) \
	alloc_ordered_workqueue("%s", WQ_MEM_RECLAIM, name)
#define create_freezable_workqueue(name) alloc_workqueue("%s", WQ_FREEZABLE, 1, (name))
static inline bool queue_work(struct workqueue_struct *queue, struct work_struct *work)
{
	return queue_work_on(WORK_CPU_UNBOUND, queue, work);
}

static inline bool queue_delayed_work(struct workqueue_struct *queue, struct delayed_work *work,
				      unsigned long delay)
{
	return queue_delayed_work_on(WORK_CPU_UNBOUND, queue, work, delay);
}

static inline bool mod_delayed_work(struct workqueue_struct *queue, struct delayed_work *work,
				    unsigned long delay)
{
	return mod_delayed_work_on(WORK_CPU_UNBOUND, queue, work, delay);
}

static inline bool schedule_work_on(int cpu, struct work_struct *work)
{
	return queue_work_on(cpu, system_wq, work);
}

static inline bool schedule_work(struct work_struct *work)
{
	return queue_work(system_wq, work);
}

static inline bool schedule_delayed_work_on(int cpu, struct delayed_work *work,
					    unsigned long delay)
{
	return queue_delayed_work_on(cpu, system_wq, work, delay);
}

static inline bool schedule_delayed_work(struct delayed_work *work, unsigned long delay)
{
	return queue_delayed_work(system_wq, work, delay);
}

#define queue_work_node(node, queue, work) queue_work(queue, work)
#define flush_workqueue(queue) __flush_workqueue(queue)
#define flush_scheduled_work() __flush_workqueue(system_wq)

#endif
