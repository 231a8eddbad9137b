/* SPDX-License-Identifier: MIT */
/*
 * Sleeping until a bit is clear, or until a condition on a variable holds.
 *
 * All sleepers share one queue, and a wake-up looks at each of them: thousands that sleep at
 * once are slow.
 */
#ifndef KERNEL_LINUX_WAIT_BIT_H
#define KERNEL_LINUX_WAIT_BIT_H

#include <linux/bitops.h>
#include <linux/wait.h>

struct wait_bit_key {
	void *flags;			/* the word, or the variable */
	int bit_nr;			/* -1: a variable */
	unsigned long timeout;		/* jiffies at the end of a wait by bit_wait_timeout() */
};

struct wait_bit_queue_entry {
	struct wait_bit_key key;
	struct wait_queue_entry wq_entry;
};

/* Sleeps once. 0, or the error that ends the wait. */
typedef int wait_bit_action_f(struct wait_bit_key *key, int mode);

USERMM_BEGIN_DECLS

int bit_wait(struct wait_bit_key *key, int mode) USERMM_API(bit_wait);
int bit_wait_io(struct wait_bit_key *key, int mode) USERMM_API(bit_wait_io);
/* -EAGAIN once the key's time has come. */
int bit_wait_timeout(struct wait_bit_key *key, int mode) USERMM_API(bit_wait_timeout);
int out_of_line_wait_on_bit(void *word, int bit, wait_bit_action_f *action, unsigned int mode)
	USERMM_API(out_of_line_wait_on_bit);
int out_of_line_wait_on_bit_timeout(void *word, int bit, wait_bit_action_f *action,
				    unsigned int mode, unsigned long timeout)
	USERMM_API(out_of_line_wait_on_bit_timeout);
int out_of_line_wait_on_bit_lock(void *word, int bit, wait_bit_action_f *action,
				 unsigned int mode) USERMM_API(out_of_line_wait_on_bit_lock);
/* Call it after clearing the bit, with smp_mb() in between unless something else orders them. */
void wake_up_bit(void *word, int bit) USERMM_API(wake_up_bit);
/* Call it after changing what the condition of wait_var_event() reads, ordered in the same way. */
void wake_up_var(void *var) USERMM_API(wake_up_var);
struct wait_queue_head *__var_waitqueue(void *var) USERMM_API(__var_waitqueue);
void init_wait_var_entry(struct wait_bit_queue_entry *entry, void *var, int flags)
	USERMM_API(init_wait_var_entry);

USERMM_END_DECLS

/* 0 when the bit is clear. No signal reaches a task here: never -EINTR. */
static inline int wait_on_bit_action(unsigned long *word, int bit, wait_bit_action_f *action,
				     unsigned int mode)
{
	might_sleep();
	if (!test_bit_acquire(bit, word))
		return 0;
	return out_of_line_wait_on_bit(word, bit, action, mode);
}

static inline int wait_on_bit(unsigned long *word, int bit, unsigned int mode)
{
	return wait_on_bit_action(word, bit, bit_wait, mode);
}

static inline int wait_on_bit_io(unsigned long *word, int bit, unsigned int mode)
{
	return wait_on_bit_action(word, bit, bit_wait_io, mode);
}

/* -EAGAIN if the bit is set for so many jiffies. */
static inline int wait_on_bit_timeout(unsigned long *word, int bit, unsigned int mode,
				      unsigned long timeout)
{
	might_sleep();
	if (!test_bit_acquire(bit, word))
		return 0;
	return out_of_line_wait_on_bit_timeout(word, bit, bit_wait_timeout, mode, timeout);
}

/* 0 when the caller has set the bit, which was clear before. */
static inline int wait_on_bit_lock_action(unsigned long *word, int bit, wait_bit_action_f *action,
					  unsigned int mode)
{
	might_sleep();
	if (!test_and_set_bit(bit, word))
		return 0;
	return out_of_line_wait_on_bit_lock(word, bit, action, mode);
}

static inline int wait_on_bit_lock(unsigned long *word, int bit, unsigned int mode)
{
	return wait_on_bit_lock_action(word, bit, bit_wait, mode);
}

static inline int wait_on_bit_lock_io(unsigned long *word, int bit, unsigned int mode)
{
	return wait_on_bit_lock_action(word, bit, bit_wait_io, mode);
}

static inline void clear_and_wake_up_bit(int bit, unsigned long *word)
{
	clear_bit_unlock(bit, word);
	smp_mb();
	wake_up_bit(word, bit);
}

static inline bool test_and_clear_wake_up_bit(int bit, unsigned long *word)
{
	if (!test_and_clear_bit(bit, word))
		return false;
	wake_up_bit(word, bit);
	return true;
}

static inline bool atomic_dec_and_wake_up(atomic_t *var)
{
	if (!atomic_dec_and_test(var))
		return false;
	wake_up_var(var);
	return true;
}

#define store_release_wake_up(var, value)				\
	do {								\
		smp_store_release(var, value);				\
		smp_mb();						\
		wake_up_var(var);					\
	} while (0)

/* As ___wait_event(), on the variable's queue. */
#define ___wait_var_event(var, condition, state, exclusive, result, command) \
	({								\
		struct wait_queue_head *queue_ = __var_waitqueue(var);	\
		struct wait_bit_queue_entry entry_;			\
		long __ret = (result);					\
									\
		init_wait_var_entry(&entry_, var, (exclusive) ? WQ_FLAG_EXCLUSIVE : 0); \
		KERNEL_WAIT_LOOP(prepare_to_wait_event(queue_, &entry_.wq_entry, state), \
				 condition, command);			\
		finish_wait(queue_, &entry_.wq_entry);			\
		__ret;							\
	})
#define KERNEL_WAIT_VAR_EVENT(var, condition, state, sleep)		\
	({								\
		int event_ = 0;						\
									\
		might_sleep();						\
		if (!(condition))					\
			event_ = (int)___wait_var_event(var, condition, state, 0, 0, sleep); \
		event_;							\
	})
#define wait_var_event(var, condition) \
	((void)KERNEL_WAIT_VAR_EVENT(var, condition, TASK_UNINTERRUPTIBLE, schedule()))
#define wait_var_event_io(var, condition) \
	((void)KERNEL_WAIT_VAR_EVENT(var, condition, TASK_UNINTERRUPTIBLE, io_schedule()))
#define wait_var_event_interruptible(var, condition) \
	KERNEL_WAIT_VAR_EVENT(var, condition, TASK_INTERRUPTIBLE, schedule())
#define wait_var_event_killable(var, condition) \
	KERNEL_WAIT_VAR_EVENT(var, condition, TASK_KILLABLE, schedule())
#define wait_var_event_timeout(var, condition, timeout)			\
	({								\
		might_sleep();						\
		KERNEL_WAIT_TIMEOUT(condition, timeout,			\
			___wait_var_event(var, ___wait_cond_timeout(condition), \
					  TASK_UNINTERRUPTIBLE, 0, left_, \
					  __ret = schedule_timeout(__ret))); \
	})

#endif
