/* SPDX-License-Identifier: MIT */
/*
 * Signals, and lists of tasks. The system sends a signal to a program of the machine, and never to
 * another one that has the number of a program that ended. Lists have the threads of this process,
 * and the programs whose operations they carry out.
 */
#ifndef KERNEL_LINUX_SCHED_SIGNAL_H
#define KERNEL_LINUX_SCHED_SIGNAL_H

#include <asm/ptrace.h>
#include <linux/alarmtimer.h>
#include <linux/cred.h>
#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/user.h>
#include <linux/signal.h>
#include <linux/sysctl.h>
#include <linux/timerqueue.h>
#include <usermm/compiler.h>

struct tty_struct;

/* What the threads of a process share: there is one, without a terminal. */
struct signal_struct {
	refcount_t sigcnt;
	atomic_t live;
	int nr_threads;
	int group_exit_code;
	unsigned int flags;
	struct tty_struct *tty;
	struct pid *tty_old_pgrp;
	short oom_score_adj;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt, inblock, oublock;
};

/* What tasks do with signals. Nobody changes it: kernel threads ignore all, the others none. */
struct sighand_struct {
	spinlock_t siglock;
	refcount_t count;
	wait_queue_head_t signalfd_wqh;
	struct k_sigaction action[64];
};

USERMM_BEGIN_DECLS

/* 0; -ESRCH if the task has ended; -EINVAL for a number that is none; or kill()'s -errno. */
int send_sig(int signal, struct task_struct *task, int private) USERMM_API(send_sig);
int send_sig_info(int signal, struct kernel_siginfo *info, struct task_struct *task)
	USERMM_API(send_sig_info);
int kill_pid(struct pid *pid, int signal, int private) USERMM_API(kill_pid);
/*
 * To the process, or to the group of the process -pid, if usermm_program_started() told `started`
 * of that process before. 0 or -errno.
 */
int usermm_kill_process(int pid, unsigned long started, int signal)
	__attribute__((visibility("default")));
/* What a kernel thread takes. */
void allow_signal(int signal) USERMM_API(allow_signal);
void disallow_signal(int signal) USERMM_API(disallow_signal);
/* Takes the lowest pending signal away; 0 if there is none. */
int kernel_dequeue_signal(void) USERMM_API(kernel_dequeue_signal);
void flush_signals(struct task_struct *task) USERMM_API(flush_signals);

USERMM_END_DECLS

#define do_send_sig_info(signal, info, task, type) send_sig_info(signal, info, task)
#define force_sig(signal) send_sig(signal, current, 1)
#define kill_pgrp(pid, signal, private) kill_pid(pid, signal, private)
#define kill_pid_info(signal, info, pid) kill_pid(pid, signal, 0)
#define kill_fasync_info(list, signal, band) kill_fasync(list, signal, band)

#define next_task(task) list_entry_rcu((task)->tasks.next, struct task_struct, tasks)
#define for_each_process(task) \
	for (task = &init_task; (task = next_task(task)) != &init_task;)
/* Each task is a process of one thread. */
#define for_each_thread(process, thread) \
	for (thread = (process); thread; thread = NULL)
#define for_each_process_thread(process, thread) \
	for_each_process(process) for_each_thread(process, thread)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define do_each_thread(process, thread) for_each_process_thread(process, thread)
#define while_each_thread(process, thread)
#else
USERMM_REMOVED(do_each_thread, "6.6", "for_each_process_thread()")
USERMM_REMOVED(while_each_thread, "6.6", "for_each_process_thread()")
#endif
#define next_thread(task) (task)
#define thread_group_leader(task) ((void)(task), true)
#define same_thread_group(a, b) ((a) == (b))
#define thread_group_empty(task) ((void)(task), true)
#define get_nr_threads(task) ((void)(task), 1)

#endif
