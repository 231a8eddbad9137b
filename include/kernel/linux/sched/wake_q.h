/* SPDX-License-Identifier: MIT */
/*
 * Queues of tasks to be woken later: who holds a lock adds tasks, and wakes them after the release.
 * A task is in one queue at a time. If it is in one already, that queue's owner wakes it.
 */
#ifndef _LINUX_SCHED_WAKE_Q_H
#define _LINUX_SCHED_WAKE_Q_H

#include <linux/sched.h>
#include <usermm/compiler.h>

/* The caller's own; no lock is needed. */
struct wake_q_head {
	struct wake_q_node *first;
	struct wake_q_node **lastp;
};

#define WAKE_Q_TAIL ((struct wake_q_node *)0x01)
#define WAKE_Q_HEAD_INITIALIZER(name) { WAKE_Q_TAIL, &(name).first }
#define DEFINE_WAKE_Q(name) struct wake_q_head name = WAKE_Q_HEAD_INITIALIZER(name)

USERMM_BEGIN_DECLS

/*
 * Adds the task with a reference of its own, or nothing if it is in a queue already. In any
 * context. The task may be woken at once.
 */
void wake_q_add(struct wake_q_head *head, struct task_struct *task) USERMM_API(wake_q_add);
/* The same, but takes over the caller's reference. */
void wake_q_add_safe(struct wake_q_head *head, struct task_struct *task)
	USERMM_API(wake_q_add_safe);
/* Wakes all, and drops the references. To use the queue again, call wake_q_init(). */
void wake_up_q(struct wake_q_head *head) USERMM_API(wake_up_q);

USERMM_END_DECLS

static inline void wake_q_init(struct wake_q_head *head)
{
	head->first = WAKE_Q_TAIL;
	head->lastp = &head->first;
}

static inline bool wake_q_empty(struct wake_q_head *head)
{
	return head->first == WAKE_Q_TAIL;
}

#endif
