// SPDX-License-Identifier: MIT
/* Tasks to be woken after a lock is released (cf. Linux kernel/sched/core.c). */
#include <linux/atomic.h>
#include <linux/sched/task.h>
#include <linux/sched/wake_q.h>

/* Returns whether the task is in the queue now; otherwise it is in somebody's already. */
static bool add(struct wake_q_head *head, struct task_struct *task)
{
	struct wake_q_node *node = &task->wake_q;

	/*
	 * Store the condition before looking whether the task is in a queue. Pairs with the barrier
	 * of wake_up_state() behind the store of NULL in wake_up_q(): who finds the task in a queue
	 * knows that its wakeup comes later, so the sleeper sees the condition.
	 */
	smp_mb();
	if (cmpxchg(&node->next, NULL, WAKE_Q_TAIL))
		return false;
	*head->lastp = node;
	head->lastp = &node->next;
	return true;
}

void wake_q_add(struct wake_q_head *head, struct task_struct *task)
{
	if (add(head, task))
		get_task_struct(task);
}

void wake_q_add_safe(struct wake_q_head *head, struct task_struct *task)
{
	if (!add(head, task))
		put_task_struct(task);
}

void wake_up_q(struct wake_q_head *head)
{
	struct wake_q_node *node = head->first;

	while (node != WAKE_Q_TAIL) {
		struct task_struct *task = container_of(node, struct task_struct, wake_q);

		node = node->next;
		/* From here on the task may be in another queue. */
		WRITE_ONCE(task->wake_q.next, NULL);
		wake_up_process(task);
		put_task_struct(task);
	}
}
