/* SPDX-License-Identifier: MIT */
/* Queues of tasks that wait for a condition. */
#ifndef KERNEL_LINUX_WAIT_H
#define KERNEL_LINUX_WAIT_H

#include <asm/smp.h>
#include <asm/spinlock.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/rwlock.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/thread_info.h>
#include <usermm/compiler.h>

typedef struct wait_queue_entry wait_queue_entry_t;
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 13, 0)
typedef wait_queue_entry_t wait_queue_t;
#else
USERMM_REMOVED_TYPE(wait_queue_t, "4.13", "wait_queue_entry_t")
#endif
/* Nonzero: the entry was woken. */
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

/* All that are not exclusive and nr exclusive ones (0: all); how many were woken. */
int __wake_up(struct wait_queue_head *queue, unsigned int mode, int nr, void *key)
	USERMM_API(__wake_up);
int usermm_wake_up_locked(struct wait_queue_head *queue, unsigned int mode, int nr, void *key)
	__attribute__((visibility("default")));

/*
 * One sleep of wait_event_interruptible_locked(): the caller holds the queue's lock, which is
 * let go meanwhile. 0, or -ERESTARTSYS if a signal is there.
 */
int do_wait_intr(struct wait_queue_head *queue, struct wait_queue_entry *entry)
	USERMM_API(do_wait_intr);
int do_wait_intr_irq(struct wait_queue_head *queue, struct wait_queue_entry *entry)
	USERMM_API(do_wait_intr_irq);

/*
 * usermm_wait_end() tells when a wait of this length ends, in nanoseconds of the monotonic clock; 0
 * means never. usermm_sleep_until() is schedule() until that time at most; true if the time has
 * come.
 */
u64 usermm_wait_end(ktime_t timeout) __attribute__((visibility("default")));
bool usermm_sleep_until(u64 end) __attribute__((visibility("default")));

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

/*
 * A wake-up reaches the sleepers whose state shares a bit with its mode. So an interruptible
 * wake-up passes by a sleeper of wait_event(), and each form of wait_event_*() sleeps in the
 * state that its name tells.
 */
#define poll_to_key(mask) ((void *)(unsigned long)(mask))
#define key_to_poll(key) ((unsigned int)(unsigned long)(key))
#define wake_up(queue) __wake_up(queue, TASK_NORMAL, 1, NULL)
#define wake_up_nr(queue, nr) __wake_up(queue, TASK_NORMAL, nr, NULL)
#define wake_up_all(queue) __wake_up(queue, TASK_NORMAL, 0, NULL)
#define wake_up_sync(queue) wake_up(queue)
#define wake_up_poll(queue, mask) __wake_up(queue, TASK_NORMAL, 1, poll_to_key(mask))
#define wake_up_poll_on_current_cpu(queue, mask) wake_up_poll(queue, mask)
#define wake_up_pollfree(queue) __wake_up(queue, TASK_NORMAL, 0, NULL)
#define wake_up_interruptible(queue) __wake_up(queue, TASK_INTERRUPTIBLE, 1, NULL)
#define wake_up_interruptible_nr(queue, nr) __wake_up(queue, TASK_INTERRUPTIBLE, nr, NULL)
#define wake_up_interruptible_all(queue) __wake_up(queue, TASK_INTERRUPTIBLE, 0, NULL)
#define wake_up_interruptible_sync(queue) wake_up_interruptible(queue)
#define wake_up_interruptible_poll(queue, mask) \
	__wake_up(queue, TASK_INTERRUPTIBLE, 1, poll_to_key(mask))
#define wake_up_interruptible_sync_poll(queue, mask) wake_up_interruptible_poll(queue, mask)
#define wake_up_locked(queue) usermm_wake_up_locked(queue, TASK_NORMAL, 1, NULL)
#define wake_up_all_locked(queue) usermm_wake_up_locked(queue, TASK_NORMAL, 0, NULL)
#define wake_up_locked_poll(queue, mask) \
	usermm_wake_up_locked(queue, TASK_NORMAL, 1, poll_to_key(mask))
#define wake_up_interruptible_sync_poll_locked(queue, mask) \
	usermm_wake_up_locked(queue, TASK_INTERRUPTIBLE, 1, poll_to_key(mask))

/*
 * Runs command, which sleeps, until the condition holds, or until a signal ends the wait: then
 * prepare says so, and __ret becomes what it gave.
 */
#define KERNEL_WAIT_LOOP(prepare, condition, command)			\
	for (;;) {							\
		long signal_ = (prepare);				\
									\
		if (condition)						\
			break;						\
		if (signal_) {						\
			__ret = signal_;				\
			break;						\
		}							\
		command;						\
	}

/*
 * Runs command, which sleeps, until the condition holds. The value is that of the variable __ret,
 * which begins as result. The condition and the command may change __ret, and callers rely on this
 * name. If a signal ends the wait, the value is -ERESTARTSYS.
 */
#define ___wait_event(queue, condition, state, exclusive, result, command) \
	({								\
		struct wait_queue_entry entry_;			\
		long __ret = (result);					\
									\
		init_wait_entry(&entry_, (exclusive) ? WQ_FLAG_EXCLUSIVE : 0); \
		KERNEL_WAIT_LOOP(prepare_to_wait_event(&(queue), &entry_, state), condition, \
				 command);				\
		finish_wait(&(queue), &entry_);			\
		__ret;							\
	})

/* True when the wait ends. __ret is what is left of the time: at least 1 if the condition holds. */
#define ___wait_cond_timeout(condition)					\
	({								\
		const bool holds_ = (condition);			\
									\
		__ret += holds_ && !__ret;				\
		holds_ || !__ret;					\
	})

#define KERNEL_WAIT_EVENT(queue, condition, state, exclusive, command)	\
	({								\
		int event_ = 0;						\
									\
		might_sleep();						\
		if (!(condition))					\
			event_ = (int)___wait_event(queue, condition, state, exclusive, 0, \
						    command);		\
		event_;							\
	})
/*
 * 0 if the condition does not hold after so many jiffies, else what is left, at least 1. wait is
 * a ___wait_event() whose result begins as left_.
 */
#define KERNEL_WAIT_TIMEOUT(condition, timeout, wait)			\
	({								\
		long left_ = (timeout);					\
									\
		if (condition)						\
			left_ = left_ ? left_ : 1;			\
		else if (left_)						\
			left_ = (wait);					\
		left_;							\
	})
#define KERNEL_WAIT_EVENT_TIMEOUT(queue, condition, state, exclusive, timeout) \
	({								\
		might_sleep();						\
		KERNEL_WAIT_TIMEOUT(condition, timeout,			\
			___wait_event(queue, ___wait_cond_timeout(condition), state, exclusive, \
				      left_, __ret = schedule_timeout(__ret))); \
	})
#define KERNEL_WAIT_FREEZABLE (TASK_INTERRUPTIBLE | TASK_FREEZABLE)

#define wait_event(queue, condition) \
	((void)KERNEL_WAIT_EVENT(queue, condition, TASK_UNINTERRUPTIBLE, 0, schedule()))
#define io_wait_event(queue, condition) \
	((void)KERNEL_WAIT_EVENT(queue, condition, TASK_UNINTERRUPTIBLE, 0, io_schedule()))
#define wait_event_state(queue, condition, state) \
	KERNEL_WAIT_EVENT(queue, condition, state, 0, schedule())
#define wait_event_interruptible(queue, condition) \
	KERNEL_WAIT_EVENT(queue, condition, TASK_INTERRUPTIBLE, 0, schedule())
#define wait_event_killable(queue, condition) \
	KERNEL_WAIT_EVENT(queue, condition, TASK_KILLABLE, 0, schedule())
#define wait_event_freezable(queue, condition) \
	KERNEL_WAIT_EVENT(queue, condition, KERNEL_WAIT_FREEZABLE, 0, schedule())
#define wait_event_idle(queue, condition) \
	((void)KERNEL_WAIT_EVENT(queue, condition, TASK_IDLE, 0, schedule()))
#define wait_event_interruptible_exclusive(queue, condition) \
	KERNEL_WAIT_EVENT(queue, condition, TASK_INTERRUPTIBLE, 1, schedule())
#define wait_event_killable_exclusive(queue, condition) \
	KERNEL_WAIT_EVENT(queue, condition, TASK_KILLABLE, 1, schedule())
#define wait_event_freezable_exclusive(queue, condition) \
	KERNEL_WAIT_EVENT(queue, condition, KERNEL_WAIT_FREEZABLE, 1, schedule())
#define wait_event_idle_exclusive(queue, condition) \
	((void)KERNEL_WAIT_EVENT(queue, condition, TASK_IDLE, 1, schedule()))

#define wait_event_timeout(queue, condition, timeout) \
	KERNEL_WAIT_EVENT_TIMEOUT(queue, condition, TASK_UNINTERRUPTIBLE, 0, timeout)
#define wait_event_interruptible_timeout(queue, condition, timeout) \
	KERNEL_WAIT_EVENT_TIMEOUT(queue, condition, TASK_INTERRUPTIBLE, 0, timeout)
#define wait_event_killable_timeout(queue, condition, timeout) \
	KERNEL_WAIT_EVENT_TIMEOUT(queue, condition, TASK_KILLABLE, 0, timeout)
#define wait_event_freezable_timeout(queue, condition, timeout) \
	KERNEL_WAIT_EVENT_TIMEOUT(queue, condition, KERNEL_WAIT_FREEZABLE, 0, timeout)
#define wait_event_idle_timeout(queue, condition, timeout) \
	KERNEL_WAIT_EVENT_TIMEOUT(queue, condition, TASK_IDLE, 0, timeout)
#define wait_event_idle_exclusive_timeout(queue, condition, timeout) \
	KERNEL_WAIT_EVENT_TIMEOUT(queue, condition, TASK_IDLE, 1, timeout)

/* 0, or -ETIME if the condition does not hold after that time (a ktime_t; KTIME_MAX: for ever). */
#define KERNEL_WAIT_EVENT_HRTIMEOUT(queue, condition, state, timeout)	\
	({								\
		u64 end_ = usermm_wait_end(timeout);			\
		bool late_ = false;					\
									\
		might_sleep();						\
		(condition) ? 0 : (int)___wait_event(queue, condition, state, 0, 0, \
			({						\
				if (late_) {				\
					__ret = -ETIME;			\
					break;				\
				}					\
				late_ = usermm_sleep_until(end_);	\
			}));						\
	})
#define wait_event_hrtimeout(queue, condition, timeout) \
	KERNEL_WAIT_EVENT_HRTIMEOUT(queue, condition, TASK_UNINTERRUPTIBLE, timeout)
#define wait_event_interruptible_hrtimeout(queue, condition, timeout) \
	KERNEL_WAIT_EVENT_HRTIMEOUT(queue, condition, TASK_INTERRUPTIBLE, timeout)

/* The caller holds lock, which is let go around each sleep. */
#define KERNEL_WAIT_EVENT_LOCK_IRQ(queue, condition, state, lock, command) \
	({								\
		int event_ = 0;						\
									\
		if (!(condition))					\
			event_ = (int)___wait_event(queue, condition, state, 0, 0, \
				({ spin_unlock_irq(&(lock)); command; schedule(); \
				   spin_lock_irq(&(lock)); }));		\
		event_;							\
	})
#define KERNEL_WAIT_EVENT_LOCK_IRQ_TIMEOUT(queue, condition, state, lock, timeout) \
	KERNEL_WAIT_TIMEOUT(condition, timeout,				\
		___wait_event(queue, ___wait_cond_timeout(condition), state, 0, left_, \
			({ spin_unlock_irq(&(lock)); __ret = schedule_timeout(__ret); \
			   spin_lock_irq(&(lock)); })))
#define wait_event_lock_irq(queue, condition, lock) \
	((void)KERNEL_WAIT_EVENT_LOCK_IRQ(queue, condition, TASK_UNINTERRUPTIBLE, lock, (void)0))
#define wait_event_lock_irq_cmd(queue, condition, lock, command) \
	((void)KERNEL_WAIT_EVENT_LOCK_IRQ(queue, condition, TASK_UNINTERRUPTIBLE, lock, command))
#define wait_event_interruptible_lock_irq(queue, condition, lock) \
	KERNEL_WAIT_EVENT_LOCK_IRQ(queue, condition, TASK_INTERRUPTIBLE, lock, (void)0)
#define wait_event_interruptible_lock_irq_cmd(queue, condition, lock, command) \
	KERNEL_WAIT_EVENT_LOCK_IRQ(queue, condition, TASK_INTERRUPTIBLE, lock, command)
#define wait_event_lock_irq_timeout(queue, condition, lock, timeout) \
	KERNEL_WAIT_EVENT_LOCK_IRQ_TIMEOUT(queue, condition, TASK_UNINTERRUPTIBLE, lock, timeout)
#define wait_event_interruptible_lock_irq_timeout(queue, condition, lock, timeout) \
	KERNEL_WAIT_EVENT_LOCK_IRQ_TIMEOUT(queue, condition, TASK_INTERRUPTIBLE, lock, timeout)

/* The two commands run around each sleep. */
#define wait_event_cmd(queue, condition, before, after) \
	((void)KERNEL_WAIT_EVENT(queue, condition, TASK_UNINTERRUPTIBLE, 0, \
				 ({ before; schedule(); after; })))
#define wait_event_exclusive_cmd(queue, condition, before, after) \
	((void)KERNEL_WAIT_EVENT(queue, condition, TASK_UNINTERRUPTIBLE, 1, \
				 ({ before; schedule(); after; })))

/* The caller holds the queue's own lock, which is let go around each sleep. */
#define KERNEL_WAIT_EVENT_LOCKED(queue, condition, exclusive, sleep)	\
	({								\
		int event_ = 0;						\
									\
		if (!(condition)) {					\
			DEFINE_WAIT(wait_);				\
									\
			if (exclusive)					\
				wait_.flags |= WQ_FLAG_EXCLUSIVE;	\
			do						\
				event_ = sleep(&(queue), &wait_);	\
			while (!event_ && !(condition));		\
			list_del_init(&wait_.entry);			\
			__set_current_state(TASK_RUNNING);		\
		}							\
		event_;							\
	})
#define wait_event_interruptible_locked(queue, condition) \
	KERNEL_WAIT_EVENT_LOCKED(queue, condition, 0, do_wait_intr)
#define wait_event_interruptible_locked_irq(queue, condition) \
	KERNEL_WAIT_EVENT_LOCKED(queue, condition, 0, do_wait_intr_irq)
#define wait_event_interruptible_exclusive_locked(queue, condition) \
	KERNEL_WAIT_EVENT_LOCKED(queue, condition, 1, do_wait_intr)
#define wait_event_interruptible_exclusive_locked_irq(queue, condition) \
	KERNEL_WAIT_EVENT_LOCKED(queue, condition, 1, do_wait_intr_irq)

#endif
