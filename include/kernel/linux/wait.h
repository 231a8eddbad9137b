/* SPDX-License-Identifier: MIT */
/* Queues of tasks that wait for a condition. */
#ifndef KERNEL_LINUX_WAIT_H
#define KERNEL_LINUX_WAIT_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <usermm/compiler.h>

typedef struct wait_queue_entry wait_queue_entry_t;
typedef wait_queue_entry_t wait_queue_t;
/* Returns nonzero if it has woken the task. */
typedef int (*wait_queue_func_t)(struct wait_queue_entry *entry, unsigned int mode, int flags,
				 void *key);

#define WQ_FLAG_EXCLUSIVE 0x01

struct wait_queue_entry {
	unsigned int flags;
	void *private;
	wait_queue_func_t func;
	struct list_head entry;		/* Sync: the queue's lock */
};

struct wait_queue_head {
	spinlock_t lock;
	struct list_head head;		/* Sync: lock */
};
typedef struct wait_queue_head wait_queue_head_t;

#define __WAIT_QUEUE_HEAD_INITIALIZER(name) \
	{ .lock = __SPIN_LOCK_UNLOCKED(name), .head = LIST_HEAD_INIT((name).head) }
#define DECLARE_WAIT_QUEUE_HEAD(name) \
	struct wait_queue_head name = __WAIT_QUEUE_HEAD_INITIALIZER(name)
#define DECLARE_WAIT_QUEUE_HEAD_ONSTACK(name) DECLARE_WAIT_QUEUE_HEAD(name)
#define init_waitqueue_head(queue)					\
	do {								\
		spin_lock_init(&(queue)->lock);				\
		INIT_LIST_HEAD(&(queue)->head);				\
	} while (0)
#define DEFINE_WAIT_FUNC(name, function)				\
	struct wait_queue_entry name = { .private = current, .func = function, \
					 .entry = LIST_HEAD_INIT((name).entry) }
#define DEFINE_WAIT(name) DEFINE_WAIT_FUNC(name, autoremove_wake_function)
#define DECLARE_WAITQUEUE(name, task)					\
	struct wait_queue_entry name = { .private = task, .func = default_wake_function, \
					 .entry = LIST_HEAD_INIT((name).entry) }

USERMM_BEGIN_DECLS

int default_wake_function(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
	USERMM_API(default_wake_function);
int autoremove_wake_function(struct wait_queue_entry *entry, unsigned int mode, int flags,
			     void *key) USERMM_API(autoremove_wake_function);
int woken_wake_function(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
	USERMM_API(woken_wake_function);
long wait_woken(struct wait_queue_entry *entry, unsigned int mode, long jiffies_left)
	USERMM_API(wait_woken);

void add_wait_queue(struct wait_queue_head *queue, struct wait_queue_entry *entry)
	USERMM_API(add_wait_queue);
void add_wait_queue_exclusive(struct wait_queue_head *queue, struct wait_queue_entry *entry)
	USERMM_API(add_wait_queue_exclusive);
void remove_wait_queue(struct wait_queue_head *queue, struct wait_queue_entry *entry)
	USERMM_API(remove_wait_queue);
void init_wait_entry(struct wait_queue_entry *entry, int flags) USERMM_API(init_wait_entry);
void prepare_to_wait(struct wait_queue_head *queue, struct wait_queue_entry *entry, int state)
	USERMM_API(prepare_to_wait);
bool prepare_to_wait_exclusive(struct wait_queue_head *queue, struct wait_queue_entry *entry,
			       int state) USERMM_API(prepare_to_wait_exclusive);
long prepare_to_wait_event(struct wait_queue_head *queue, struct wait_queue_entry *entry,
			   int state) USERMM_API(prepare_to_wait_event);
void finish_wait(struct wait_queue_head *queue, struct wait_queue_entry *entry)
	USERMM_API(finish_wait);

/* Wakes all non-exclusive waiters and nr exclusive ones (0: all). Returns how many were woken. */
int __wake_up(struct wait_queue_head *queue, unsigned int mode, int nr, void *key)
	USERMM_API(__wake_up);
int usermm_wake_up_locked(struct wait_queue_head *queue, unsigned int mode, int nr, void *key)
	__attribute__((visibility("default")));

USERMM_END_DECLS

#define init_wait(entry) init_wait_entry(entry, 0)
#define init_waitqueue_entry(entry_ptr, task)				\
	((void)(*(entry_ptr) = (struct wait_queue_entry){		\
		.private = (task), .func = default_wake_function }))
#define init_waitqueue_func_entry(entry_ptr, function)			\
	((void)(*(entry_ptr) = (struct wait_queue_entry){ .func = (function) }))
#define __add_wait_queue(queue, entry_ptr) list_add(&(entry_ptr)->entry, &(queue)->head)
#define __add_wait_queue_entry_tail(queue, entry_ptr) \
	list_add_tail(&(entry_ptr)->entry, &(queue)->head)
#define __remove_wait_queue(queue, entry_ptr) list_del(&(entry_ptr)->entry)
#define waitqueue_active(queue) (!list_empty(&(queue)->head))
#define wq_has_sleeper(queue) ({ smp_mb(); waitqueue_active(queue); })

#define wake_up(queue) __wake_up(queue, TASK_NORMAL, 1, NULL)
#define wake_up_nr(queue, nr) __wake_up(queue, TASK_NORMAL, nr, NULL)
#define wake_up_all(queue) __wake_up(queue, TASK_NORMAL, 0, NULL)
#define wake_up_interruptible(queue) __wake_up(queue, TASK_INTERRUPTIBLE, 1, NULL)
#define wake_up_interruptible_nr(queue, nr) __wake_up(queue, TASK_INTERRUPTIBLE, nr, NULL)
#define wake_up_interruptible_all(queue) __wake_up(queue, TASK_INTERRUPTIBLE, 0, NULL)
#define wake_up_interruptible_sync(queue) wake_up_interruptible(queue)
#define wake_up_sync(queue) wake_up(queue)
#define wake_up_locked(queue) usermm_wake_up_locked(queue, TASK_NORMAL, 1, NULL)
#define wake_up_all_locked(queue) usermm_wake_up_locked(queue, TASK_NORMAL, 0, NULL)

/* Executes `sleep` until the condition holds. */
#define KERNEL_WAIT_EVENT(queue, condition, state, exclusive, sleep)	\
	do {								\
		struct wait_queue_entry wait_;				\
									\
		init_wait_entry(&wait_, exclusive);			\
		for (;;) {						\
			prepare_to_wait_event(&(queue), &wait_, state);	\
			if (condition)					\
				break;					\
			sleep;						\
		}							\
		finish_wait(&(queue), &wait_);				\
	} while (0)
#define ___wait_event(queue, condition, state, exclusive, ret, command) \
	({								\
		KERNEL_WAIT_EVENT(queue, condition, state, exclusive, command); \
		ret;							\
	})

#define wait_event(queue, condition)					\
	do {								\
		might_sleep();						\
		if (!(condition))					\
			KERNEL_WAIT_EVENT(queue, condition, TASK_UNINTERRUPTIBLE, 0, \
					  schedule());			\
	} while (0)
#define wait_event_state(queue, condition, state) ({ wait_event(queue, condition); 0; })
#define wait_event_interruptible(queue, condition) ({ wait_event(queue, condition); 0; })
#define wait_event_killable(queue, condition) ({ wait_event(queue, condition); 0; })
#define wait_event_freezable(queue, condition) ({ wait_event(queue, condition); 0; })
#define wait_event_idle(queue, condition) wait_event(queue, condition)
#define io_wait_event(queue, condition) wait_event(queue, condition)
#define wait_event_interruptible_exclusive(queue, condition)		\
	({								\
		if (!(condition))					\
			KERNEL_WAIT_EVENT(queue, condition, TASK_INTERRUPTIBLE, \
					  WQ_FLAG_EXCLUSIVE, schedule()); \
		0;							\
	})
#define wait_event_idle_exclusive(queue, condition) \
	((void)wait_event_interruptible_exclusive(queue, condition))

/* 0 if the condition does not hold after so many jiffies; else the jiffies left, at least 1. */
#define wait_event_timeout(queue, condition, timeout)			\
	({								\
		long left_ = (timeout);					\
		bool holds_ = (condition);				\
									\
		if (!holds_)						\
			KERNEL_WAIT_EVENT(queue, (holds_ = (condition)) || !left_, \
					  TASK_UNINTERRUPTIBLE, 0,	\
					  left_ = schedule_timeout(left_)); \
		holds_ && !left_ ? 1 : holds_ ? left_ : 0;		\
	})
#define wait_event_interruptible_timeout(queue, condition, timeout) \
	wait_event_timeout(queue, condition, timeout)
#define wait_event_killable_timeout(queue, condition, timeout) \
	wait_event_timeout(queue, condition, timeout)
#define wait_event_idle_timeout(queue, condition, timeout) \
	wait_event_timeout(queue, condition, timeout)
#define wait_event_freezable_timeout(queue, condition, timeout) \
	wait_event_timeout(queue, condition, timeout)

/* The caller holds lock, which is dropped during each sleep. */
#define wait_event_lock_irq(queue, condition, lock)			\
	do {								\
		if (!(condition))					\
			KERNEL_WAIT_EVENT(queue, condition, TASK_UNINTERRUPTIBLE, 0, \
				({ spin_unlock_irq(&(lock)); schedule(); \
				   spin_lock_irq(&(lock)); }));		\
	} while (0)
#define wait_event_interruptible_lock_irq(queue, condition, lock) \
	({ wait_event_lock_irq(queue, condition, lock); 0; })
#define wait_event_cmd(queue, condition, before, after)			\
	do {								\
		if (!(condition))					\
			KERNEL_WAIT_EVENT(queue, condition, TASK_UNINTERRUPTIBLE, 0, \
					  ({ before; schedule(); after; })); \
	} while (0)

#endif
