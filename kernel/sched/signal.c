// SPDX-License-Identifier: MIT
/* Signals to tasks. cf. Linux kernel/signal.c. */
#include <errno.h>
#include <signal.h>
#include <sys/types.h>

#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "context.h"

#undef si_ptr		/* libc's macro, for a structure of its own */

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
