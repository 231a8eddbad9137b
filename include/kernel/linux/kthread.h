/* SPDX-License-Identifier: MIT */
/* Kernel threads: threads of the process, each on a simulated CPU. */
#ifndef KERNEL_LINUX_KTHREAD_H
#define KERNEL_LINUX_KTHREAD_H

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/numa.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#define tsk_is_kthread(task) ((task)->flags & PF_KTHREAD)

USERMM_BEGIN_DECLS

/* Returns the new thread's task, or an error pointer. The thread waits for wake_up_process(). */
struct task_struct *kthread_create_on_node(int (*function)(void *data), void *data, int node,
					   const char *name, ...)
	USERMM_API(kthread_create_on_node) __printf(4, 5);
/* A %u in the name becomes the CPU's number. */
struct task_struct *kthread_create_on_cpu(int (*function)(void *data), void *data,
					  unsigned int cpu, const char *name)
	USERMM_API(kthread_create_on_cpu);
/* Call it before the thread is woken for the first time. */
void kthread_bind(struct task_struct *task, unsigned int cpu) USERMM_API(kthread_bind);
void kthread_bind_mask(struct task_struct *task, const struct cpumask *mask)
	USERMM_API(kthread_bind_mask);
/*
 * Asks the thread to end and waits for it. Returns its function's result, or -EINTR if the thread
 * has never run. The task must still exist: if the thread has ended by itself, its task exists only
 * while somebody holds a reference.
 */
int kthread_stop(struct task_struct *task) USERMM_API(kthread_stop);
int kthread_stop_put(struct task_struct *task) USERMM_API(kthread_stop_put);
bool kthread_should_stop(void) USERMM_API(kthread_should_stop);
int kthread_park(struct task_struct *task) USERMM_API(kthread_park);
void kthread_unpark(struct task_struct *task) USERMM_API(kthread_unpark);
bool kthread_should_park(void) USERMM_API(kthread_should_park);
void kthread_parkme(void) USERMM_API(kthread_parkme);
void *kthread_data(struct task_struct *task) USERMM_API(kthread_data);
void kthread_exit(long result) USERMM_API(kthread_exit) __noreturn;
void kthread_complete_and_exit(struct completion *done, long result)
	USERMM_API(kthread_complete_and_exit) __noreturn;

USERMM_END_DECLS

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
#define complete_and_exit(done, result) kthread_complete_and_exit(done, result)
#else
USERMM_REMOVED(complete_and_exit, "5.17", "kthread_complete_and_exit()")
#endif
#define do_exit(code) kthread_exit(code)
#define kthread_freezable_should_stop(was_frozen) kthread_should_stop()
#define kthread_create(function, data, name, ...) \
	kthread_create_on_node(function, data, -1, name, ## __VA_ARGS__)
#define kthread_run(function, data, name, ...)				\
	({								\
		struct task_struct *run_ =				\
			kthread_create(function, data, name, ## __VA_ARGS__); \
									\
		if (!IS_ERR(run_))					\
			wake_up_process(run_);				\
		run_;							\
	})
#define kthread_run_on_cpu(function, data, cpu, name)			\
	({								\
		struct task_struct *run_ =				\
			kthread_create_on_cpu(function, data, cpu, name); \
									\
		if (!IS_ERR(run_))					\
			wake_up_process(run_);				\
		run_;							\
	})

/* A thread that runs work items one by one, in order. */
struct kthread_work;
typedef void (*kthread_work_func_t)(struct kthread_work *work);

struct kthread_worker {
	unsigned int flags;
	raw_spinlock_t lock;
	struct list_head work_list;		/* Sync: lock */
	struct task_struct *task;
	struct kthread_work *current_work;	/* Sync: lock */
};

struct kthread_work {
	struct list_head node;			/* Sync: the worker's lock */
	kthread_work_func_t func;
	struct kthread_worker *worker;		/* the last worker that it was queued on */
	int canceling;				/* Sync: the worker's lock */
};

struct kthread_delayed_work {
	struct kthread_work work;
	struct timer_list timer;
};

#define KTW_FREEZABLE 1
#define USERMM_KTHREAD_WORKER(name)					\
	{ .lock = __RAW_SPIN_LOCK_UNLOCKED((name).lock),		\
	  .work_list = LIST_HEAD_INIT((name).work_list) }
#define KTHREAD_WORK_INIT(work, function) \
	{ .node = LIST_HEAD_INIT((work).node), .func = (function) }
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#define KTHREAD_WORKER_INIT(name) USERMM_KTHREAD_WORKER(name)
#define DEFINE_KTHREAD_WORKER(name) struct kthread_worker name = KTHREAD_WORKER_INIT(name)
#else
USERMM_REMOVED(KTHREAD_WORKER_INIT, "6.1", "kthread_init_worker()")
USERMM_REMOVED(DEFINE_KTHREAD_WORKER, "6.1", "kthread_init_worker()")
#endif
#define DEFINE_KTHREAD_WORK(name, function) \
	struct kthread_work name = KTHREAD_WORK_INIT(name, function)

USERMM_BEGIN_DECLS

int kthread_worker_fn(void *worker) USERMM_API(kthread_worker_fn);
struct kthread_worker *kthread_create_worker_on_node(unsigned int flags, int node,
						     const char *name, ...)
	USERMM_API(kthread_create_worker_on_node) __printf(3, 4);
struct kthread_worker *kthread_create_worker_on_cpu(int cpu, unsigned int flags,
						    const char *name, ...)
	USERMM_API(kthread_create_worker_on_cpu) __printf(3, 4);
/* False if it is queued already. */
bool kthread_queue_work(struct kthread_worker *worker, struct kthread_work *work)
	USERMM_API(kthread_queue_work);
bool kthread_queue_delayed_work(struct kthread_worker *worker, struct kthread_delayed_work *work,
				unsigned long delay) USERMM_API(kthread_queue_delayed_work);
bool kthread_mod_delayed_work(struct kthread_worker *worker, struct kthread_delayed_work *work,
			      unsigned long delay) USERMM_API(kthread_mod_delayed_work);
void kthread_flush_work(struct kthread_work *work) USERMM_API(kthread_flush_work);
void kthread_flush_worker(struct kthread_worker *worker) USERMM_API(kthread_flush_worker);
bool kthread_cancel_work_sync(struct kthread_work *work) USERMM_API(kthread_cancel_work_sync);
bool kthread_cancel_delayed_work_sync(struct kthread_delayed_work *work)
	USERMM_API(kthread_cancel_delayed_work_sync);
void kthread_destroy_worker(struct kthread_worker *worker) USERMM_API(kthread_destroy_worker);
void kthread_delayed_work_timer_fn(struct timer_list *timer)
	USERMM_API(kthread_delayed_work_timer_fn);

USERMM_END_DECLS

#define kthread_create_worker(flags, name, ...) \
	kthread_create_worker_on_node(flags, NUMA_NO_NODE, name, ## __VA_ARGS__)
#define kthread_run_worker(flags, name, ...) \
	kthread_create_worker(flags, name, ## __VA_ARGS__)

static inline void kthread_init_worker(struct kthread_worker *worker)
{
	*worker = (struct kthread_worker)USERMM_KTHREAD_WORKER(*worker);
}

static inline void kthread_init_work(struct kthread_work *work, kthread_work_func_t function)
{
	*work = (struct kthread_work)KTHREAD_WORK_INIT(*work, function);
}

#define kthread_init_delayed_work(w, function)				\
	do {								\
		kthread_init_work(&(w)->work, function);		\
		timer_setup(&(w)->timer, kthread_delayed_work_timer_fn, TIMER_IRQSAFE); \
	} while (0)

#endif
