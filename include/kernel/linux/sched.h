/* SPDX-License-Identifier: MIT */
/* Tasks. A thread is a task if kthread_run() made it, or after it used `current`. */
#ifndef KERNEL_LINUX_SCHED_H
#define KERNEL_LINUX_SCHED_H

#include <asm/current.h>
#include <asm/spinlock.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/nodemask_types.h>
#include <linux/preempt.h>
#include <linux/rbtree_types.h>
#include <linux/refcount.h>
#include <linux/rwlock.h>
#include <linux/sched/prio.h>
#include <linux/sched/types.h>
#include <linux/signal.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer_types.h>
#include <linux/version.h>
#include <usermm/compiler.h>

#define TASK_RUNNING 0x0000
#define TASK_INTERRUPTIBLE 0x0001
#define TASK_UNINTERRUPTIBLE 0x0002
#define __TASK_STOPPED 0x0004
#define __TASK_TRACED 0x0008
#define EXIT_DEAD 0x0010
#define EXIT_ZOMBIE 0x0020
#define EXIT_TRACE (EXIT_ZOMBIE | EXIT_DEAD)
#define TASK_PARKED 0x0040
#define TASK_DEAD 0x0080
#define TASK_WAKEKILL 0x0100
#define TASK_WAKING 0x0200
#define TASK_NOLOAD 0x0400
#define TASK_NEW 0x0800
#define TASK_RTLOCK_WAIT 0x1000
#define TASK_FREEZABLE 0x2000
#define TASK_FROZEN 0x8000
#define TASK_STATE_MAX 0x10000
#define TASK_ANY (TASK_STATE_MAX - 1)
#define TASK_KILLABLE (TASK_WAKEKILL | TASK_UNINTERRUPTIBLE)
#define TASK_IDLE (TASK_UNINTERRUPTIBLE | TASK_NOLOAD)
#define TASK_NORMAL (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)
#define TASK_COMM_LEN 16

#define PF_EXITING 0x00000004
#define PF_WQ_WORKER 0x00000020
#define PF_MEMALLOC 0x00000800
#define PF_KSWAPD 0x00020000
#define PF_MEMALLOC_NOFS 0x00040000
#define PF_MEMALLOC_NOIO 0x00080000
#define PF_KTHREAD 0x00200000
#define PF_NO_SETAFFINITY 0x04000000
#define PF_MEMALLOC_PIN 0x10000000

#undef SCHED_NORMAL
#undef SCHED_FIFO
#undef SCHED_RR
#undef SCHED_BATCH
#undef SCHED_IDLE
#undef SCHED_DEADLINE
#define SCHED_NORMAL 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_BATCH 3
#define SCHED_IDLE 5
#define SCHED_DEADLINE 6

struct cred;
struct css_set;
struct files_struct;
struct fs_struct;
struct mm_struct;
struct nsproxy;
struct sighand_struct;
struct signal_struct;
struct user_memory;
struct usermm_kthread;

struct wake_q_node {
	struct wake_q_node *next;	/* NULL: in no queue. Sync: atomic */
};

struct task_struct {
	union {
		unsigned int __state;	/* Sync: atomic; the futex that schedule() sleeps on */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
		unsigned int state;
#endif
	};
	unsigned int flags;		/* PF_; the task's own */
	int prio, static_prio, normal_prio;
	unsigned int policy;
	unsigned int rt_priority;
	int nr_cpus_allowed;		/* Sync: the registry's lock */
	const struct cpumask *cpus_ptr;
	cpumask_t cpus_mask;		/* Sync: the registry's lock */
	int on_cpu;
	pid_t pid, tgid;
	char comm[TASK_COMM_LEN];
	struct mm_struct *mm, *active_mm;	/* mm is NULL for kernel threads and init_task */
	struct task_struct *group_leader;
	struct task_struct *parent, *real_parent;	/* the way up ends at init_task */
	struct list_head children, sibling;	/* empty: nobody is listed below a task */
	struct list_head tasks;		/* those of init_task. Sync: the registry's lock, RCU */
	const struct cred *cred, *real_cred;	/* what it does by; what others see. Never NULL */
	struct signal_struct *signal;	/* one for all: no terminal, no limits */
	struct sighand_struct *sighand;	/* one for kernel threads, one for all others */
	struct files_struct *files;	/* the same for all, and these: NULL after the end */
	struct fs_struct *fs;
	struct nsproxy *nsproxy;
	struct css_set *cgroups;	/* one for all */
	struct list_head cg_list;	/* its list. Sync: as `tasks` */
	u64 start_time, start_boottime;
	u64 utime, stime;		/* zeros; see task_cputime_adjusted() */
	unsigned long nvcsw, nivcsw;	/* zeros: the system counts its switches */
	void *stack;			/* NULL: libc has the stacks */
	struct wake_q_node wake_q;
	int exit_state, exit_code;
	union {
		u64 usermm_signals;	/* pending. Sync: atomic */
		struct {
			struct {
				unsigned long sig[1];
			} signal;
		} pending;
	};
	struct {
		unsigned long sig[1];
	} blocked;			/* none */
	u64 usermm_allowed;		/* that a kernel thread takes. Sync: atomic */
	struct user_memory *usermm_user;	/* of the operation that it carries out */
	unsigned int usermm_process;	/* a program of the machine: its number; 0: a thread here */
	unsigned long usermm_started;	/* when its thread `pid` began; 0: not known. Not written */
	refcount_t usage;
	void *journal_info;
	spinlock_t alloc_lock;		/* task_lock() */
	unsigned int fail_nth;
	int make_it_fail;
	struct usermm_context *context;	/* NULL: thread has ended. Sync: the registry's lock */
	struct usermm_kthread *kthread;	/* NULL: kthread_run() did not make the thread */
};

#define __set_current_state(state) WRITE_ONCE(current->__state, (state))
#define set_current_state(state)					\
	do {								\
		__set_current_state(state);				\
		/* Store it before checking the condition; pairs with wake_up_state(). */ \
		smp_mb();						\
	} while (0)
#define get_current_state() READ_ONCE(current->__state)
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 11, 0)
#define __set_task_state(task, state) WRITE_ONCE((task)->__state, (state))
#else
USERMM_REMOVED(__set_task_state, "4.11", "__set_current_state()")
#endif
#define task_is_running(task) (READ_ONCE((task)->__state) == TASK_RUNNING)
#define MAX_SCHEDULE_TIMEOUT LONG_MAX

USERMM_BEGIN_DECLS

/* Sleeps until the task is woken. If its state is TASK_RUNNING, it only yields the processor. */
void schedule(void) USERMM_API(schedule);
/* schedule() for at most so many jiffies. Returns the jiffies that were left. */
long schedule_timeout(long jiffies_left) USERMM_API(schedule_timeout);
/* Returns 1 if the task was asleep, or about to sleep. */
int wake_up_process(struct task_struct *task) USERMM_API(wake_up_process);
int wake_up_state(struct task_struct *task, unsigned int states) USERMM_API(wake_up_state);
void yield(void) USERMM_API(yield);

/* Moves the task to a CPU of the mask, at once or when it is next able to move. 0 or -EINVAL. */
int set_cpus_allowed_ptr(struct task_struct *task, const struct cpumask *mask)
	USERMM_API(set_cpus_allowed_ptr);
unsigned int task_cpu(const struct task_struct *task) USERMM_API(task_cpu);

void usermm_task_free(struct task_struct *task) __attribute__((visibility("default")));

/* The idle task, whose list `tasks` has all others. */
extern struct task_struct init_task USERMM_API(init_task);
struct pid;
/* If the task carries out nothing here: has the program's thread a number still? */
bool usermm_task_is_alive(const struct task_struct *task) __attribute__((visibility("default")));
/* The letter of /proc/PID/stat, X after the program's end. */
char usermm_program_state(const struct task_struct *task) __attribute__((visibility("default")));
/* The task's number as a structure, which stays as long as the task. */
struct pid *usermm_task_pid(struct task_struct *task) __attribute__((visibility("default")));

USERMM_END_DECLS

static inline long usermm_sleep_in(unsigned int state, long jiffies_left)
{
	__set_current_state(state);
	return schedule_timeout(jiffies_left);
}

static inline long schedule_timeout_interruptible(long jiffies_left)
{
	return usermm_sleep_in(TASK_INTERRUPTIBLE, jiffies_left);
}

static inline long schedule_timeout_uninterruptible(long jiffies_left)
{
	return usermm_sleep_in(TASK_UNINTERRUPTIBLE, jiffies_left);
}

static inline long schedule_timeout_killable(long jiffies_left)
{
	return usermm_sleep_in(TASK_KILLABLE, jiffies_left);
}

static inline long schedule_timeout_idle(long jiffies_left)
{
	return usermm_sleep_in(TASK_IDLE, jiffies_left);
}

static inline void io_schedule(void)
{
	schedule();
}

static inline long io_schedule_timeout(long jiffies_left)
{
	return schedule_timeout(jiffies_left);
}

#define schedule_preempt_disabled() \
	do { preempt_enable(); schedule(); preempt_disable(); } while (0)

/* The system preempts threads by itself, so there is nothing to yield. */
#define cond_resched() ({ might_sleep(); 0; })
#define cond_resched_lock(lock) ((void)(lock), 0)
static inline bool need_resched(void)
{
	return false;
}

#define test_tsk_need_resched(task) ((void)(task), 0)
#define set_tsk_need_resched(task) ((void)(task))
/*
 * Signals: send_sig() and a program's end or interruption set them. A task that has one sleeps no
 * more in an interruptible state. Kernel threads only take those that they allowed.
 */
static inline int signal_pending(struct task_struct *task)
{
	return READ_ONCE(task->usermm_signals) != 0;
}

#define USERMM_SIGKILL_BIT (1ULL << (9 - 1))
static inline int __fatal_signal_pending(struct task_struct *task)
{
	return (READ_ONCE(task->usermm_signals) & USERMM_SIGKILL_BIT) != 0;
}

static inline int fatal_signal_pending(struct task_struct *task)
{
	return __fatal_signal_pending(task);
}

static inline int signal_pending_state(unsigned int state, struct task_struct *task)
{
	if (likely(!signal_pending(task)) || !(state & (TASK_INTERRUPTIBLE | TASK_WAKEKILL)))
		return 0;
	return state & TASK_INTERRUPTIBLE || __fatal_signal_pending(task);
}

#define try_to_freeze() 0
#define set_freezable() 0
#define freezing(task) 0
static inline bool rt_task(struct task_struct *task)
{
	return task->policy == SCHED_FIFO || task->policy == SCHED_RR;
}

static inline bool dl_task(struct task_struct *task)
{
	return task->policy == SCHED_DEADLINE;
}

#define rt_or_dl_task(task) (rt_task(task) || dl_task(task))

/* Scheduling parameters are stored in the task and can be read. The system is not told. */
#ifndef __GLIBC__
#include <sched.h>			/* musl's, which has no macro that tells */
#elif !defined(_BITS_TYPES_STRUCT_SCHED_PARAM)
#define _BITS_TYPES_STRUCT_SCHED_PARAM 1
struct sched_param {
	int sched_priority;
};
#endif

/* libc has a function of this name, for processes. */
#undef sched_setscheduler
#define sched_setscheduler usermm_kernel_sched_setscheduler
static inline int sched_setscheduler(struct task_struct *task, int policy,
				     const struct sched_param *param)
{
	task->policy = (unsigned int)policy;
	task->rt_priority = (unsigned int)param->sched_priority;
	return 0;
}

#define sched_setscheduler_nocheck(task, policy, param) sched_setscheduler(task, policy, param)
#define sched_set_fifo(task) ((void)((task)->policy = SCHED_FIFO))
#define sched_set_fifo_low(task) sched_set_fifo(task)
#define sched_set_normal(task, nice) ((void)((task)->policy = SCHED_NORMAL), (void)(nice))
#define set_user_nice(task, nice) ((void)((task)->static_prio = DEFAULT_PRIO + (nice)))
#define task_nice(task) ((task)->static_prio - DEFAULT_PRIO)
#define task_pid_nr(task) ((task)->pid)
#define task_tgid_nr(task) ((task)->tgid)
#define task_pid_vnr(task) task_pid_nr(task)
#define task_pid(task) usermm_task_pid(task)
#define task_tgid(task) task_pid(task)
#define task_tgid_vnr(task) task_tgid_nr(task)
#define task_ppid_nr(task) ((task)->real_parent->tgid)
#define pid_alive(task) (READ_ONCE((task)->context) || usermm_task_is_alive(task))
#define is_global_init(task) ((task)->tgid == 1)
#define get_task_comm(buffer, task) usermm_strscpy(buffer, (task)->comm, sizeof(buffer))
#define set_task_comm(task, name) ((void)usermm_strscpy((task)->comm, name, TASK_COMM_LEN))
#define current_thread_info() current
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 1, 0)
#define set_cpus_allowed(task, mask) \
	set_cpus_allowed_ptr(task, &(const struct cpumask){ { (mask).bits[0] } })
#else
USERMM_REMOVED(set_cpus_allowed, "4.1", "set_cpus_allowed_ptr()")
#endif
#define THREAD_SIZE 16384
#define THREAD_ALIGN THREAD_SIZE
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 11, 0)
#define tsk_cpus_allowed(task) (&(task)->cpus_mask)
#else
USERMM_REMOVED(tsk_cpus_allowed, "4.11", "task->cpus_ptr")
#endif

static inline struct task_struct *get_task_struct(struct task_struct *task)
{
	refcount_inc(&task->usage);
	return task;
}

static inline void put_task_struct(struct task_struct *task)
{
	if (refcount_dec_and_test(&task->usage))
		usermm_task_free(task);
}

#define current_set_flags_nested(saved, set) \
	((void)(*(saved) = current->flags), (void)(current->flags |= (set)))
#define current_restore_flags(saved, mask) \
	((void)(current->flags = (current->flags & ~(mask)) | ((saved) & (mask))))

static inline char task_state_to_char(struct task_struct *task)
{
	unsigned int state = READ_ONCE(task->__state);

	if (task->usermm_process && !READ_ONCE(task->context))
		return usermm_program_state(task);
	return state == TASK_RUNNING ? 'R' : state & TASK_INTERRUPTIBLE ? 'S' : 'D';
}

#endif
