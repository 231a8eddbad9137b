/* SPDX-License-Identifier: MIT */
/* Threads of the kernel: threads of the process, each of a simulated CPU. */
#ifndef KERNEL_LINUX_KTHREAD_H
#define KERNEL_LINUX_KTHREAD_H

#include <linux/err.h>
#include <linux/completion.h>
#include <linux/sched.h>

USERMM_BEGIN_DECLS

/* The thread waits for wake_up_process(). Its task, or an error pointer. */
struct task_struct *kthread_create_on_node(int (*function)(void *data), void *data, int node,
					   const char *name, ...)
	USERMM_API(kthread_create_on_node) __printf(4, 5);
/* %u of the name is the CPU. */
struct task_struct *kthread_create_on_cpu(int (*function)(void *data), void *data,
					  unsigned int cpu, const char *name)
	USERMM_API(kthread_create_on_cpu);
/* Before it is woken for the first time. */
void kthread_bind(struct task_struct *task, unsigned int cpu) USERMM_API(kthread_bind);
void kthread_bind_mask(struct task_struct *task, const struct cpumask *mask)
	USERMM_API(kthread_bind_mask);
/*
 * Asks the thread to end and waits for it; what its function returned, or -EINTR
 * if it has never run. The task must exist: a thread that ends by itself takes
 * its task along, unless somebody holds a reference.
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

#define complete_and_exit(done, result) kthread_complete_and_exit(done, result)
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

#endif
