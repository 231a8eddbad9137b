// SPDX-License-Identifier: MIT
/* Signals to tasks. cf. Linux kernel/signal.c. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "context.h"

#undef si_ptr		/* libc's macro, for a structure of its own */

/* All machines have these numbers. A libc may be too old to have the names. */
enum { SYS_PIDFD_SEND_SIGNAL = 424, SYS_PIDFD_OPEN = 434 };

int usermm_raise(int number, struct task_struct *task)
{
	u64 bit = number ? 1ULL << (number - 1) : 0;

	if (task->flags & PF_KTHREAD && !(READ_ONCE(task->usermm_allowed) & bit))
		return 0;		/* a kernel thread ignores it */
	__atomic_fetch_or(&task->usermm_signals, bit, __ATOMIC_SEQ_CST);
	wake_up_state(task, TASK_INTERRUPTIBLE | (number == SIGKILL ? TASK_WAKEKILL : 0));
	return 0;
}

/* Without pidfds. value: of SI_QUEUE, or NULL. */
static int kill_by_number(int pid, int number, const union sigval *value)
{
	return (value ? sigqueue(pid, number, *value) : kill(pid, number)) ? -errno : 0;
}

static int kill_by_fd(int fd, int number, const union sigval *value)
{
	struct siginfo info = {
		.si_signo = number, .si_code = SI_QUEUE, .si_pid = getpid(), .si_uid = getuid(),
	};

	if (value)
		info.si_ptr = value->sival_ptr;
	return syscall(SYS_PIDFD_SEND_SIGNAL, fd, number, value ? &info : NULL, 0) ? -errno : 0;
}

/*
 * To the process of the thread nr, if that is the one that began then. Its start is read after the
 * descriptor is made. If it is the right one, it had its number all the time: the descriptor is
 * its process's.
 */
static int kill_program(int pid, int nr, unsigned long started, int number,
			const union sigval *value)
{
	int fd = (int)syscall(SYS_PIDFD_OPEN, pid, 0), error = fd < 0 ? -errno : 0;

	if (error == -ESRCH)
		return error;
	if (!started || usermm_program_started(nr) != started)
		error = -ESRCH;
	else if (fd < 0)
		error = kill_by_number(pid, number, value);
	else
		error = kill_by_fd(fd, number, value);
	if (error == -ENOSYS)
		error = kill_by_number(pid, number, value);
	if (fd >= 0)
		close(fd);
	return error;
}

int usermm_kill_process(int pid, unsigned long started, int number)
{
	unsigned long now;

	if (pid >= 0)
		return kill_program(pid, pid, started, number, NULL);
	/* Nobody gets the number of a group that has members: its first process may have ended. */
	now = usermm_program_started(-pid);
	return now && now != started ? -ESRCH : kill_by_number(pid, number, NULL);
}

int send_sig_info(int number, struct kernel_siginfo *info, struct task_struct *task)
{
	bool has_value = info != SEND_SIG_NOINFO && info != SEND_SIG_PRIV &&
			 info->si_code == SI_QUEUE;

	if (number < 0 || number > 64)
		return -EINVAL;
	if (!task)
		return -ESRCH;
	if (task->usermm_process) {
		const union sigval value = { .sival_ptr = has_value ? info->si_ptr : NULL };

		return kill_program((int)task->usermm_process, task->pid, task->usermm_started,
				    number, has_value ? &value : NULL);
	}
	if (!pid_alive(task))
		return -ESRCH;
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
