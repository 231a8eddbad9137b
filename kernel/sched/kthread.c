// SPDX-License-Identifier: MIT
/*
 * Kernel threads as threads of the process. The task exists before the thread does anything: the
 * thread first waits to be woken, and may be stopped instead. The task's last references belong to
 * the thread itself and to the caller that stops it.
 */
#include <pthread.h>
#include <stdlib.h>

#include <linux/completion.h>
#include <linux/kthread.h>

#include "module/security.h"
#include "context.h"

struct usermm_kthread {
	int (*function)(void *data);
	void *data;
	struct completion created;	/* the thread has become a task */
	struct completion exited;
	struct completion parked;
	bool should_stop;		/* Sync: atomic */
	bool should_park;		/* Sync: atomic */
	int result;
};

static void pin_if_bound(struct task_struct *task)
{
	if (task->nr_cpus_allowed == 1)
		usermm_pin_thread(pthread_self(), cpumask_first(&task->cpus_mask));
}

static void finish(struct task_struct *task, long result)
{
	struct usermm_kthread *kthread = task->kthread;

	kthread->result = (int)result;
	WRITE_ONCE(task->flags, task->flags | PF_EXITING);
	if (usermm_self()->count) {
		pr_err("BUG: %s/%d ends with preemption or interrupts off\n", task->comm,
		       task->pid);
		usermm_cpu_drop(usermm_self()->count);
	}
	complete_all(&kthread->exited);
}

static void *thread_main(void *task_ptr)
{
	struct task_struct *task = task_ptr;
	struct usermm_kthread *kthread = task->kthread;
	int result = -EINTR;

	usermm_task_enter(task);
	pthread_setname_np(pthread_self(), task->comm);
	__set_current_state(TASK_UNINTERRUPTIBLE);
	complete(&kthread->created);
	schedule();
	__set_current_state(TASK_RUNNING);
	pin_if_bound(task);
	if (!READ_ONCE(kthread->should_stop)) {
		if (READ_ONCE(kthread->should_park))
			kthread_parkme();
		result = kthread->function(kthread->data);
	}
	finish(task, result);
	return NULL;
}

static struct task_struct *create(int (*function)(void *data), void *data, const char *comm)
{
	struct usermm_kthread *kthread = calloc(1, sizeof(*kthread));
	struct task_struct *task = kthread ? usermm_task_new(comm, PF_KTHREAD) : NULL;
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	if (!task) {
		free(kthread);
		return ERR_PTR(-ENOMEM);
	}
	error = security_task_alloc(task, CLONE_VM | CLONE_FS | CLONE_FILES);
	if (error) {
		free(kthread);
		usermm_task_free(task);
		return ERR_PTR(error);
	}
	*kthread = (struct usermm_kthread){ .function = function, .data = data };
	init_completion(&kthread->created);
	init_completion(&kthread->exited);
	init_completion(&kthread->parked);
	task->kthread = kthread;
	get_task_struct(task);		/* the caller's reference, until the thread has begun */
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&thread, &attributes, thread_main, task);
	pthread_attr_destroy(&attributes);
	if (error) {
		usermm_task_free(task);
		return ERR_PTR(-error);
	}
	wait_for_completion(&kthread->created);
	put_task_struct(task);
	return task;
}

struct task_struct *kthread_create_on_node(int (*function)(void *data), void *data, int node,
					   const char *name, ...)
{
	char comm[TASK_COMM_LEN];
	va_list args;

	(void)node;
	va_start(args, name);
	vsnprintf(comm, sizeof(comm), name, args);
	va_end(args);
	return create(function, data, comm);
}

struct task_struct *kthread_create_on_cpu(int (*function)(void *data), void *data,
					  unsigned int cpu, const char *name)
{
	struct task_struct *task = kthread_create(function, data, name, cpu);

	if (!IS_ERR(task))
		kthread_bind(task, cpu);
	return task;
}

void kthread_bind_mask(struct task_struct *task, const struct cpumask *mask)
{
	WARN_ON(set_cpus_allowed_ptr(task, mask));
	task->flags |= PF_NO_SETAFFINITY;
}

void kthread_bind(struct task_struct *task, unsigned int cpu)
{
	kthread_bind_mask(task, cpumask_of(cpu));
}

int kthread_stop(struct task_struct *task)
{
	struct usermm_kthread *kthread = task->kthread;
	int result;

	get_task_struct(task);
	WRITE_ONCE(kthread->should_stop, true);
	kthread_unpark(task);
	wake_up_process(task);
	wait_for_completion(&kthread->exited);
	result = kthread->result;
	put_task_struct(task);
	return result;
}

int kthread_stop_put(struct task_struct *task)
{
	int result = kthread_stop(task);

	put_task_struct(task);
	return result;
}

bool kthread_should_stop(void)
{
	struct usermm_kthread *kthread = current->kthread;

	return kthread && READ_ONCE(kthread->should_stop);
}

bool kthread_should_park(void)
{
	struct usermm_kthread *kthread = current->kthread;

	return kthread && READ_ONCE(kthread->should_park);
}

void kthread_parkme(void)
{
	struct usermm_kthread *kthread = current->kthread;

	for (;;) {
		set_current_state(TASK_PARKED);
		if (!READ_ONCE(kthread->should_park))
			break;
		complete(&kthread->parked);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

int kthread_park(struct task_struct *task)
{
	struct usermm_kthread *kthread = task->kthread;

	if (WARN_ON(READ_ONCE(task->flags) & PF_EXITING))
		return -ENOSYS;
	if (WARN_ON_ONCE(READ_ONCE(kthread->should_park)))
		return -EBUSY;
	reinit_completion(&kthread->parked);
	WRITE_ONCE(kthread->should_park, true);
	/* A thread that parks itself calls kthread_parkme() afterwards. */
	if (task != current) {
		wake_up_process(task);
		wait_for_completion(&kthread->parked);
	}
	return 0;
}

void kthread_unpark(struct task_struct *task)
{
	if (xchg(&task->kthread->should_park, false))
		wake_up_state(task, TASK_PARKED);
}

void *kthread_data(struct task_struct *task)
{
	return task->kthread->data;
}

void kthread_exit(long result)
{
	struct task_struct *task = current;

	if (task->kthread)
		finish(task, result);
	pthread_exit(NULL);
}

void kthread_complete_and_exit(struct completion *done, long result)
{
	if (done)
		complete(done);
	kthread_exit(result);
}
