// SPDX-License-Identifier: MIT
/*
 * Signals to tasks, numbers of tasks, and the list of all tasks. cf. Linux kernel/signal.c.
 *
 * A task of a program stands for a process of the machine that a module found by its number, or
 * whose operation is carried out. It stays, since nobody tells when the program ends.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "context.h"

#undef si_ptr		/* libc's macro, for a structure of its own */

struct task_struct init_task = {
	.comm = "swapper/0", .flags = PF_KTHREAD, .usage = REFCOUNT_INIT(1),
	.tasks = LIST_HEAD_INIT(init_task.tasks), .children = LIST_HEAD_INIT(init_task.children),
	.sibling = LIST_HEAD_INIT(init_task.sibling), .parent = &init_task,
	.real_parent = &init_task, .group_leader = &init_task,
};
rwlock_t tasklist_lock = __RW_LOCK_UNLOCKED(tasklist_lock);
/* Its number is Linux's for the first one. */
struct pid_namespace init_pid_ns = { .ns = { .inum = 0xeffffffc, .count = REFCOUNT_INIT(2) } };

/* Numbers that were asked for. They are few, and stay. */
struct known_pid {
	struct pid pid;
	struct known_pid *next;
};
static struct known_pid *known;		/* Sync: the registry's lock */

int usermm_raise(int number, struct task_struct *task)
{
	u64 bit = number ? 1ULL << (number - 1) : 0;

	if (task->flags & PF_KTHREAD && !(READ_ONCE(task->usermm_allowed) & bit))
		return 0;		/* a kernel thread ignores it */
	__atomic_fetch_or(&task->usermm_signals, bit, __ATOMIC_SEQ_CST);
	wake_up_state(task, TASK_INTERRUPTIBLE | (number == SIGKILL ? TASK_WAKEKILL : 0));
	return 0;
}

int usermm_kill_process(int pid, int number)
{
	return kill(pid, number) ? -errno : 0;
}

/* The system passes the value of SI_QUEUE on. */
static int queue_to_process(int pid, int number, const struct kernel_siginfo *info)
{
	const union sigval value = { .sival_ptr = info->si_ptr };

	return sigqueue(pid, number, value) ? -errno : 0;
}

int send_sig_info(int number, struct kernel_siginfo *info, struct task_struct *task)
{
	bool has_value = info != SEND_SIG_NOINFO && info != SEND_SIG_PRIV &&
			 info->si_code == SI_QUEUE;

	if (number < 0 || number > 64)
		return -EINVAL;
	if (!task)
		return -ESRCH;
	if (task->usermm_process && has_value)
		return queue_to_process((int)task->usermm_process, number, info);
	if (task->usermm_process)
		return usermm_kill_process((int)task->usermm_process, number);
	return usermm_raise(number, task);
}

int send_sig(int number, struct task_struct *task, int private)
{
	(void)private;
	return send_sig_info(number, SEND_SIG_NOINFO, task);
}

int kill_pid(struct pid *pid, int number, int private)
{
	return pid ? send_sig(number, pid->task, private) : -ESRCH;
}

void allow_signal(int number)
{
	__atomic_fetch_or(&current->usermm_allowed, 1ULL << (number - 1), __ATOMIC_SEQ_CST);
}

void disallow_signal(int number)
{
	u64 bit = 1ULL << (number - 1);

	__atomic_fetch_and(&current->usermm_allowed, ~bit, __ATOMIC_SEQ_CST);
	__atomic_fetch_and(&current->usermm_signals, ~bit, __ATOMIC_SEQ_CST);
}

int kernel_dequeue_signal(void)
{
	u64 pending = READ_ONCE(current->usermm_signals);

	if (!pending)
		return 0;
	__atomic_fetch_and(&current->usermm_signals, ~(pending & -pending), __ATOMIC_SEQ_CST);
	return __builtin_ctzll(pending) + 1;
}

void flush_signals(struct task_struct *task)
{
	__atomic_store_n(&task->usermm_signals, 0, __ATOMIC_SEQ_CST);
}

static struct known_pid *find_known(int nr)
{
	struct known_pid *entry = known;

	while (entry && entry->pid.nr != nr)
		entry = entry->next;
	return entry;
}

/* Call it under the registry's lock. */
static struct task_struct *find_thread(int nr)
{
	for (struct usermm_context *c = usermm_registry; c; c = c->next)
		if (c->task->pid == nr)
			return c->task;
	return NULL;
}

static struct task_struct *new_program(int nr)
{
	char path[32], comm[TASK_COMM_LEN] = "";
	struct task_struct *task;
	FILE *file;

	if (nr <= 0 || (kill(nr, 0) && errno == ESRCH))
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/comm", nr);
	file = fopen(path, "re");
	if (file && fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = '\0';
	if (file)
		fclose(file);
	task = usermm_task_new(comm, 0);
	if (task) {
		task->pid = nr;
		task->tgid = nr;
		task->usermm_process = (unsigned int)nr;
	}
	return task;
}

static struct pid *add_known(int nr, struct task_struct *task)
{
	struct known_pid *entry = task ? calloc(1, sizeof(*entry)) : NULL;

	if (!entry)
		return NULL;
	entry->pid = (struct pid){ nr, get_task_struct(task) };
	entry->next = known;
	known = entry;
	return &entry->pid;
}

struct pid *usermm_task_pid(struct task_struct *task)
{
	struct known_pid *entry;
	struct pid *pid;

	usermm_registry_lock();
	entry = find_known(task->pid);
	if (entry && entry->pid.task == task)
		pid = &entry->pid;
	else
		pid = add_known(task->pid, task);
	usermm_registry_unlock();
	return pid;
}

/*
 * The calling thread carries out an operation for a thread of a program, and becomes its task. If
 * another thread here is that already, the calling one gets a task that only looks the same.
 */
struct task_struct *usermm_program_enter(int tid, int pid, const char *comm)
{
	struct known_pid *entry;
	struct task_struct *task = NULL;

	usermm_registry_lock();
	entry = find_known(tid);
	if (entry && entry->pid.task->usermm_process && !entry->pid.task->context) {
		task = get_task_struct(entry->pid.task);
		task->context = usermm_self();	/* no other thread takes it */
	}
	usermm_registry_unlock();
	if (!task) {
		task = usermm_task_new(comm, 0);
		if (!task)
			abort();
		usermm_registry_lock();
		if (!find_known(tid))
			add_known(tid, task);
		usermm_registry_unlock();
	}
	set_task_comm(task, comm);
	flush_signals(task);
	usermm_task_enter(task);
	task->pid = tid;
	task->tgid = pid;
	task->usermm_process = (unsigned int)pid;
	return task;
}

/* A number that is used again is another task's. */
struct pid *find_vpid(int nr)
{
	struct task_struct *task;
	struct known_pid *entry;
	struct pid *pid = NULL;

	usermm_registry_lock();
	task = find_thread(nr);
	entry = find_known(nr);
	if (entry && (entry->pid.task == task || (!task && entry->pid.task->usermm_process &&
						  !(kill(nr, 0) && errno == ESRCH))))
		pid = &entry->pid;
	else if (task)
		pid = add_known(nr, task);
	usermm_registry_unlock();
	if (pid || task)
		return pid;
	task = new_program(nr);
	if (!task)
		return NULL;
	usermm_registry_lock();
	pid = add_known(nr, task);
	usermm_registry_unlock();
	put_task_struct(task);
	return pid;
}
