// SPDX-License-Identifier: MIT
/*
 * Tasks: the structure behind `current`, sleeping and waking, moving to other CPUs.
 *
 * A task sleeps on its state word, a futex. A waker changes the word first, so a wake-up between
 * the sleeper's check and its sleep is not lost.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/init_task.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/nsproxy.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "context.h"
#include "locking/futex.h"
#include "module/module_run.h"
#include "module/security.h"

/* A mutex of libc, since threads take it before they are tasks, or after. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
struct usermm_context *usermm_registry;

static pthread_key_t exit_key;
static unsigned int next_cpu;		/* the next new task's CPU. Sync: atomic */

void usermm_registry_lock(void)
{
	pthread_mutex_lock(&registry_lock);
}

void usermm_registry_unlock(void)
{
	pthread_mutex_unlock(&registry_lock);
}

struct task_struct *usermm_task_new(const char *comm, unsigned int flags)
{
	struct task_struct *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	set_task_comm(task, comm);
	task->flags = flags;
	task->prio = task->static_prio = task->normal_prio = DEFAULT_PRIO;
	task->tgid = getpid();
	task->cred = task->real_cred = &init_cred;
	task->signal = &usermm_signal_of_all;
	task->sighand = flags & PF_KTHREAD ? &usermm_kthread_sighand : &usermm_sighand;
	task->files = &init_files;
	task->fs = &init_fs;
	task->nsproxy = &init_nsproxy;
	task->cgroups = &init_css_set;
	INIT_LIST_HEAD(&task->cg_list);
	task->active_mm = &init_mm;
	task->group_leader = task;
	task->parent = task->real_parent = flags & PF_KTHREAD ? &usermm_kthreadd : &init_task;
	task->cpus_mask = __cpu_online_mask;
	task->cpus_ptr = &task->cpus_mask;
	task->nr_cpus_allowed = (int)nr_cpu_ids;
	INIT_LIST_HEAD(&task->children);
	INIT_LIST_HEAD(&task->sibling);
	INIT_LIST_HEAD(&task->tasks);
	task->start_time = task->start_boottime = ktime_get_ns();
	refcount_set(&task->usage, 1);
	return task;
}

/*
 * Somebody may still pass by in for_each_process(), under rcu_read_lock(). A thread that ends
 * cannot wait for that, so the latest tasks stay in memory.
 */
#define KEPT_TASKS 128

void usermm_task_free(struct task_struct *task)
{
	static struct task_struct *kept[KEPT_TASKS];
	static unsigned int next;

	usermm_drop_creds(task);
	if (task->kthread)
		security_task_free(task);
	usermm_registry_lock();
	swap(task, kept[next]);		/* it names its arguments more than once */
	next = (next + 1) % KEPT_TASKS;
	usermm_registry_unlock();
	if (!task)
		return;
	free(task->kthread);
	free(task);
}

static void leave_registry(struct usermm_context *context)
{
	struct usermm_context **link = &usermm_registry;

	usermm_registry_lock();
	while (*link != context)
		link = &(*link)->next;
	*link = context->next;
	/* The entry's own pointers stay, for readers that are at it. */
	list_del_rcu(&context->task->tasks);
	list_del_rcu(&context->task->cg_list);
	__atomic_fetch_sub(&init_css_set.nr_tasks, 1, __ATOMIC_RELAXED);
	/* Pairs with whoever waits for the end of a task that it holds. */
	__atomic_store_n(&context->task->context, NULL, __ATOMIC_RELEASE);
	usermm_registry_unlock();
}

void usermm_task_strip(struct task_struct *task)
{
	WRITE_ONCE(task->mm, NULL);
	WRITE_ONCE(task->files, NULL);
	WRITE_ONCE(task->fs, NULL);
	WRITE_ONCE(task->nsproxy, NULL);
}

/* Runs at the thread's end. The thread's TLS still exists. */
static void thread_exit(void *task_ptr)
{
	struct task_struct *task = task_ptr;

	/* A program goes on, and its task with it. */
	if (!task->usermm_process) {
		usermm_drop_creds(task);
		usermm_task_strip(task);
	}
	leave_registry(&usermm_context);
	crash_stack_drop();
	usermm_context = (struct usermm_context){ 0 };
	put_task_struct(task);
}

static void make_exit_key(void)
{
	if (pthread_key_create(&exit_key, thread_exit))
		abort();
}

void usermm_task_enter(struct task_struct *task)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	crash_stack_make();
	pthread_once(&once, make_exit_key);
	pthread_setspecific(exit_key, task);
	if (!task->usermm_process)
		task->pid = (pid_t)syscall(SYS_gettid);
	usermm_registry_lock();
	task->context = usermm_self();
	usermm_self()->task = task;
	usermm_self()->next = usermm_registry;
	usermm_registry = usermm_self();
	list_add_tail_rcu(&task->tasks, &init_task.tasks);
	list_add_tail_rcu(&task->cg_list, &init_css_set.tasks);
	__atomic_fetch_add(&init_css_set.nr_tasks, 1, __ATOMIC_RELAXED);
	usermm_registry_unlock();
	usermm_self()->cpu = __atomic_fetch_add(&next_cpu, 1, __ATOMIC_RELAXED) % nr_cpu_ids;
	usermm_self()->registered = 1;
}

/*
 * Makes the calling thread a task: pthread_create() made it, and it uses `current` for the first
 * time.
 */
void usermm_thread_register(void)
{
	char comm[TASK_COMM_LEN] = "";
	struct task_struct *task;

	pthread_getname_np(pthread_self(), comm, sizeof(comm));
	task = usermm_task_new(comm, 0);
	if (!task)
		abort();
	task->mm = task->active_mm = usermm_process_mm();
	task->parent = task->real_parent = usermm_process_parent();
	usermm_task_enter(task);
}

unsigned int usermm_let_go_of_cpu(const char *what)
{
	unsigned int count = usermm_self()->count;

	if (!count)
		return 0;
	pr_err("BUG: scheduling while atomic: %s/%d/0x%08x in %s()\n", current->comm,
	       current->pid, preempt_count(), what);
	dump_stack();
	usermm_cpu_drop(count);
	return count;
}

/* acquire: the stores that the waker made before; pairs with wake_up_state() */
static unsigned int task_state(struct task_struct *task)
{
	return __atomic_load_n(&task->__state, __ATOMIC_ACQUIRE);
}

/* A task with a signal does not begin to sleep; usermm_raise() wakes one that sleeps. */
static bool is_interrupted(struct task_struct *task, unsigned int state)
{
	if (!signal_pending_state(state, task))
		return false;
	__set_current_state(TASK_RUNNING);
	return true;
}

static void sleep_until_woken(u64 deadline)
{
	struct task_struct *task = current;
	unsigned int count = usermm_let_go_of_cpu("schedule");
	unsigned int state;

	while ((state = task_state(task)) != TASK_RUNNING && !is_interrupted(task, state)) {
		u64 now = deadline ? ktime_get_ns() : 0, left = deadline - now;

		if (deadline && now >= deadline)
			break;
		futex_wait(&task->__state, state, deadline ? left : 0);
	}
	if (count)
		usermm_cpu_hold(count);
}

void schedule(void)
{
	if (task_state(current) == TASK_RUNNING)
		sched_yield();
	else
		sleep_until_woken(0);
}

void yield(void)
{
	__set_current_state(TASK_RUNNING);
	sched_yield();
}

bool usermm_sleep_until(u64 end)
{
	if (!end) {
		schedule();
		return false;
	}
	sleep_until_woken(end);
	__set_current_state(TASK_RUNNING);
	return ktime_get_ns() >= end;
}

long schedule_timeout(long jiffies_left)
{
	u64 end, wait;

	if (jiffies_left == MAX_SCHEDULE_TIMEOUT) {
		schedule();
		return jiffies_left;
	}
	if (jiffies_left < 0) {
		pr_err("%s: wrong timeout value %ld\n", __func__, jiffies_left);
		dump_stack();
		jiffies_left = 0;
	}
	/* Cut times that the clock cannot express: nobody will live to see their end. */
	if (__builtin_mul_overflow((u64)jiffies_left, (u64)TICK_NSEC, &wait) ||
	    wait > KTIME_MAX / 2)
		wait = KTIME_MAX / 2;
	end = ktime_get_ns() + wait;
	sleep_until_woken(end);
	__set_current_state(TASK_RUNNING);
	wait = ktime_get_ns();
	return end > wait ? (long)DIV_ROUND_UP(end - wait, (u64)TICK_NSEC) : 0;
}

int wake_up_state(struct task_struct *task, unsigned int states)
{
	unsigned int state;

	/* Read the state after storing the condition; pairs with set_current_state(). */
	smp_mb();
	state = READ_ONCE(task->__state);
	do {
		if (!(state & states))
			return 0;
	} while (!try_cmpxchg(&task->__state, &state, TASK_RUNNING));
	futex_wake(&task->__state, 1);
	return 1;
}

int wake_up_process(struct task_struct *task)
{
	return wake_up_state(task, TASK_NORMAL);
}

int set_cpus_allowed_ptr(struct task_struct *task, const struct cpumask *mask)
{
	struct usermm_context *context;
	struct cpumask allowed;

	cpumask_and(&allowed, mask, cpu_online_mask);
	if (cpumask_empty(&allowed))
		return -EINVAL;
	get_current();
	usermm_registry_lock();
	task->cpus_mask = allowed;
	task->nr_cpus_allowed = (int)cpumask_weight(&allowed);
	context = task->context;
	if (context) {
		/* Clear it after storing the mask; pairs with usermm_cpu_bind(). */
		__atomic_store_n(&context->bound, 0, __ATOMIC_SEQ_CST);
	}
	usermm_registry_unlock();
	if (task == current) {
		if (task->nr_cpus_allowed == 1)
			usermm_pin_thread(pthread_self(), cpumask_first(&allowed));
		else
			usermm_unpin_thread(pthread_self());
	}
	return 0;
}

unsigned int task_cpu(const struct task_struct *task)
{
	unsigned int cpu = cpumask_first(&task->cpus_mask);

	usermm_registry_lock();
	if (task->context && (READ_ONCE(task->context->bound) || READ_ONCE(task->context->count)))
		cpu = READ_ONCE(task->context->cpu);
	usermm_registry_unlock();
	return cpu;
}

void usermm_cpu_switch(unsigned int cpu)
{
	struct task_struct *task = current;

	cpumask_clear(&task->cpus_mask);
	cpumask_set_cpu(cpu, &task->cpus_mask);
	usermm_self()->cpu = cpu;
	WRITE_ONCE(usermm_self()->bound, 1);
}

void usermm_might_sleep(const char *file, int line)
{
	if (likely(!usermm_self()->count))
		return;
	printk_ratelimited(KERN_ERR "BUG: sleeping function called from invalid context at %s:%d\n",
			   file, line);
}

void usermm_ndelay(unsigned long nanoseconds)
{
	u64 end = ktime_get_ns() + nanoseconds;

	while (ktime_get_ns() < end)
		cpu_relax();
}

void usermm_nsleep(u64 nanoseconds)
{
	struct timespec left = {
		(time_t)(nanoseconds / NSEC_PER_SEC), (long)(nanoseconds % NSEC_PER_SEC),
	};
	unsigned int count = usermm_let_go_of_cpu("msleep");

	while (nanosleep(&left, &left))
		;
	if (count)
		usermm_cpu_hold(count);
}

unsigned long msleep_interruptible(unsigned int n)
{
	u64 end = ktime_get_ns() + n * (u64)NSEC_PER_MSEC, now;

	while (!signal_pending(current)) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (usermm_sleep_until(end))
			return 0;
	}
	now = ktime_get_ns();
	return now < end ? DIV_ROUND_UP(end - now, (u64)NSEC_PER_MSEC) : 0;
}

static unsigned int nr_kthreads(bool say)
{
	unsigned int nr = 0;

	usermm_registry_lock();
	for (struct usermm_context *c = usermm_registry; c; c = c->next) {
		if (!c->task->kthread || (READ_ONCE(c->task->flags) & PF_EXITING))
			continue;
		nr++;
		if (say)
			fprintf(stderr, "usermm module: leak: thread %s still runs\n",
				c->task->comm);
	}
	usermm_registry_unlock();
	return nr;
}

#define LEAVING_MILLISECONDS 200

unsigned int module_threads_report(void)
{
	for (int i = 0; i < LEAVING_MILLISECONDS && nr_kthreads(false); i++)
		usleep(1000);
	return nr_kthreads(true);
}

bool is_in_interrupt(void)
{
	return in_interrupt();
}
