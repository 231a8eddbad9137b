/* SPDX-License-Identifier: MIT */
/*
 * Simple wait queues: first in, first out, and each waiter is exclusive. A wake-up takes the first
 * waiter off the queue whatever state it sleeps in, so all waiters of a queue should be of one
 * kind.
 */
#ifndef KERNEL_LINUX_SWAIT_H
#define KERNEL_LINUX_SWAIT_H

#include <asm/current.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/wait.h>

struct swait_queue_head {
	raw_spinlock_t lock;
	struct list_head task_list;	/* Sync: lock */
};

struct swait_queue {
	struct task_struct *task;
	struct list_head task_list;	/* Sync: the queue's lock */
};

#define __SWAITQUEUE_INITIALIZER(name) \
	{ .task = current, .task_list = LIST_HEAD_INIT((name).task_list) }
#define DECLARE_SWAITQUEUE(name) struct swait_queue name = __SWAITQUEUE_INITIALIZER(name)
#define __SWAIT_QUEUE_HEAD_INITIALIZER(name)				\
	{ .lock = __RAW_SPIN_LOCK_UNLOCKED((name).lock),		\
	  .task_list = LIST_HEAD_INIT((name).task_list) }
#define DECLARE_SWAIT_QUEUE_HEAD(name) \
	struct swait_queue_head name = __SWAIT_QUEUE_HEAD_INITIALIZER(name)
#define DECLARE_SWAIT_QUEUE_HEAD_ONSTACK(name) DECLARE_SWAIT_QUEUE_HEAD(name)
#define init_swait_queue_head(queue)					\
	do {								\
		raw_spin_lock_init(&(queue)->lock);			\
		INIT_LIST_HEAD(&(queue)->task_list);			\
	} while (0)

USERMM_BEGIN_DECLS

/* Queues the entry of the current task, and sets the task's state. */
void prepare_to_swait_exclusive(struct swait_queue_head *queue, struct swait_queue *entry,
				int state) USERMM_API(prepare_to_swait_exclusive);
/* The same. If a signal ends sleeps of this state: -ERESTARTSYS, and the entry is off the queue. */
long prepare_to_swait_event(struct swait_queue_head *queue, struct swait_queue *entry, int state)
	USERMM_API(prepare_to_swait_event);
void finish_swait(struct swait_queue_head *queue, struct swait_queue *entry)
	USERMM_API(finish_swait);
/* The caller holds the queue's lock. */
void __finish_swait(struct swait_queue_head *queue, struct swait_queue *entry)
	USERMM_API(__finish_swait);

void swake_up_one(struct swait_queue_head *queue) USERMM_API(swake_up_one);
/* Lets go of the lock after each waiter, so interrupts must be enabled. */
void swake_up_all(struct swait_queue_head *queue) USERMM_API(swake_up_all);
/* Wakes one. The caller holds the queue's lock. */
void swake_up_locked(struct swait_queue_head *queue, int flags) USERMM_API(swake_up_locked);

USERMM_END_DECLS

/* Without the queue's lock, the caller needs a full barrier between its condition and the look. */
static inline int swait_active(struct swait_queue_head *queue)
{
	return !list_empty(&queue->task_list);
}

static inline bool swq_has_sleeper(struct swait_queue_head *queue)
{
	smp_mb();	/* pairs with that of set_current_state() */
	return swait_active(queue);
}

/* As ___wait_event(): __ret is the value, and condition and command may change it. */
#define ___swait_event(queue, condition, state, result, command)	\
	({								\
		struct swait_queue entry_;				\
		long __ret = (result);					\
									\
		INIT_LIST_HEAD(&entry_.task_list);			\
		KERNEL_WAIT_LOOP(prepare_to_swait_event(&(queue), &entry_, state), condition, \
				 command);				\
		finish_swait(&(queue), &entry_);			\
		__ret;							\
	})

#define KERNEL_SWAIT_EVENT(queue, condition, state) \
	((condition) ? 0 : (int)___swait_event(queue, condition, state, 0, schedule()))
#define KERNEL_SWAIT_EVENT_TIMEOUT(queue, condition, state, timeout)	\
	KERNEL_WAIT_TIMEOUT(condition, timeout,				\
		___swait_event(queue, ___wait_cond_timeout(condition), state, left_, \
			       __ret = schedule_timeout(__ret)))

/* 0, or -ERESTARTSYS if a signal ended the wait. */
#define swait_event_interruptible_exclusive(queue, condition) \
	KERNEL_SWAIT_EVENT(queue, condition, TASK_INTERRUPTIBLE)
#define swait_event_exclusive(queue, condition) \
	((void)KERNEL_SWAIT_EVENT(queue, condition, TASK_UNINTERRUPTIBLE))
#define swait_event_idle_exclusive(queue, condition) \
	((void)KERNEL_SWAIT_EVENT(queue, condition, TASK_IDLE))
/* 0 if the condition does not hold after so many jiffies, else what is left, at least 1. */
#define swait_event_timeout_exclusive(queue, condition, timeout) \
	KERNEL_SWAIT_EVENT_TIMEOUT(queue, condition, TASK_UNINTERRUPTIBLE, timeout)
#define swait_event_interruptible_timeout_exclusive(queue, condition, timeout) \
	KERNEL_SWAIT_EVENT_TIMEOUT(queue, condition, TASK_INTERRUPTIBLE, timeout)
#define swait_event_idle_timeout_exclusive(queue, condition, timeout) \
	KERNEL_SWAIT_EVENT_TIMEOUT(queue, condition, TASK_IDLE, timeout)

#endif
