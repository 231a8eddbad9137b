/* SPDX-License-Identifier: MIT */
/* Numbers of tasks. There is one namespace, and each task is a process of its own. */
#ifndef _LINUX_PID_H
#define _LINUX_PID_H

#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <usermm/compiler.h>

enum pid_type { PIDTYPE_PID, PIDTYPE_TGID, PIDTYPE_PGID, PIDTYPE_SID, PIDTYPE_MAX };

struct pid_namespace;
extern struct pid_namespace init_pid_ns __asm__("usermm_init_pid_ns")
	__attribute__((visibility("default")));

/* The pid of a thread of this process or of a program of the machine; NULL if there is none. */
struct pid {
	int nr;
	struct task_struct *task;
};

USERMM_BEGIN_DECLS

struct pid *find_vpid(int nr) USERMM_API(find_vpid);

USERMM_END_DECLS

#define find_get_pid(nr) find_vpid(nr)
#define find_pid_ns(nr, ns) find_vpid(nr)
#define get_pid(pid) (pid)
#define put_pid(pid) ((void)(pid))
#define pid_nr(pid) ((pid) ? (pid)->nr : 0)
#define pid_vnr(pid) pid_nr(pid)
#define pid_nr_ns(pid, ns) pid_nr(pid)
#define task_active_pid_ns(task) (&init_pid_ns)
#define task_pid_nr_ns(task, ns) task_pid_nr(task)

static inline struct task_struct *pid_task(struct pid *pid, enum pid_type type)
{
	(void)type;
	return pid ? pid->task : NULL;
}

static inline struct task_struct *get_pid_task(struct pid *pid, enum pid_type type)
{
	struct task_struct *task = pid_task(pid, type);

	return task ? get_task_struct(task) : NULL;
}

static inline struct task_struct *find_task_by_vpid(int nr)
{
	return pid_task(find_vpid(nr), PIDTYPE_PID);
}

static inline struct task_struct *find_get_task_by_vpid(int nr)
{
	return get_pid_task(find_vpid(nr), PIDTYPE_PID);
}

#endif
