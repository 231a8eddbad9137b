// SPDX-License-Identifier: MIT
/* Simple wait queues. */
#include <linux/sched/signal.h>
#include <linux/swait.h>

/*
 * The entry is on the stack of the woken task, which may leave once the entry is off the queue. So
 * the task is woken before.
 */
void swake_up_locked(struct swait_queue_head *queue, int flags)
{
	struct swait_queue *first;

	(void)flags;
	if (list_empty(&queue->task_list))
		return;
	first = list_first_entry(&queue->task_list, struct swait_queue, task_list);
	wake_up_state(first->task, TASK_NORMAL);
	/* pairs with finish_swait() */
	list_del_init_careful(&first->task_list);
}

void swake_up_one(struct swait_queue_head *queue)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&queue->lock, flags);
	swake_up_locked(queue, 0);
	raw_spin_unlock_irqrestore(&queue->lock, flags);
}

/* Only those who wait now: else a task that queues itself again at once would keep this going. */
void swake_up_all(struct swait_queue_head *queue)
{
	struct swait_queue_head waiting;

	INIT_LIST_HEAD(&waiting.task_list);
	raw_spin_lock_irq(&queue->lock);
	list_splice_init(&queue->task_list, &waiting.task_list);
	while (swait_active(&waiting)) {
		swake_up_locked(&waiting, 0);
		raw_spin_unlock_irq(&queue->lock);
		raw_spin_lock_irq(&queue->lock);
	}
	raw_spin_unlock_irq(&queue->lock);
}

/* The caller holds the queue's lock. */
static void prepare_locked(struct swait_queue_head *queue, struct swait_queue *entry, int state)
{
	entry->task = current;
	if (list_empty(&entry->task_list))
		list_add_tail(&entry->task_list, &queue->task_list);
	set_current_state((unsigned int)state);
}

void prepare_to_swait_exclusive(struct swait_queue_head *queue, struct swait_queue *entry,
				int state)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&queue->lock, flags);
	prepare_locked(queue, entry, state);
	raw_spin_unlock_irqrestore(&queue->lock, flags);
}

/* A waiter that gives up must not be the one that a wake-up is spent on. */
long prepare_to_swait_event(struct swait_queue_head *queue, struct swait_queue *entry, int state)
{
	bool interrupted = signal_pending_state((unsigned int)state, current);
	unsigned long flags;

	raw_spin_lock_irqsave(&queue->lock, flags);
	if (interrupted)
		list_del_init(&entry->task_list);
	else
		prepare_locked(queue, entry, state);
	raw_spin_unlock_irqrestore(&queue->lock, flags);
	return interrupted ? -ERESTARTSYS : 0;
}

void __finish_swait(struct swait_queue_head *queue, struct swait_queue *entry)
{
	(void)queue;
	__set_current_state(TASK_RUNNING);
	list_del_init(&entry->task_list);
}

void finish_swait(struct swait_queue_head *queue, struct swait_queue *entry)
{
	unsigned long flags;

	__set_current_state(TASK_RUNNING);
	/* pairs with swake_up_locked(): a waker that removed the entry is done with it */
	if (list_empty_careful(&entry->task_list))
		return;
	raw_spin_lock_irqsave(&queue->lock, flags);
	list_del_init(&entry->task_list);
	raw_spin_unlock_irqrestore(&queue->lock, flags);
}
