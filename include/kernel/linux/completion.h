/* SPDX-License-Identifier: MIT */
/* Completions: threads wait until something is done. */
#ifndef KERNEL_LINUX_COMPLETION_H
#define KERNEL_LINUX_COMPLETION_H

#include <linux/minmax.h>
#include <linux/swait.h>

struct completion {
	unsigned int done;		/* waiters to let go; UINT_MAX: all. Sync: wait.lock */
	struct swait_queue_head wait;
};

#define COMPLETION_INITIALIZER(work) { 0, __SWAIT_QUEUE_HEAD_INITIALIZER((work).wait) }
#define COMPLETION_INITIALIZER_ONSTACK(work) COMPLETION_INITIALIZER(work)
#define DECLARE_COMPLETION(work) struct completion work = COMPLETION_INITIALIZER(work)
#define DECLARE_COMPLETION_ONSTACK(work) DECLARE_COMPLETION(work)

static inline void init_completion(struct completion *x)
{
	x->done = 0;
	init_swait_queue_head(&x->wait);
}

static inline void reinit_completion(struct completion *x)
{
	x->done = 0;
}

USERMM_BEGIN_DECLS

void complete(struct completion *x) USERMM_API(complete);
void complete_all(struct completion *x) USERMM_API(complete_all);
void wait_for_completion(struct completion *x) USERMM_API(wait_for_completion);
/* Returns 0 if the time is over, else the jiffies that were left, at least 1. */
unsigned long wait_for_completion_timeout(struct completion *x, unsigned long jiffies_left)
	USERMM_API(wait_for_completion_timeout);
bool try_wait_for_completion(struct completion *x) USERMM_API(try_wait_for_completion);
bool completion_done(struct completion *x) USERMM_API(completion_done);

/* As wait_for_completion_timeout(), asleep in that state; or -ERESTARTSYS. */
long usermm_completion_wait(struct completion *x, unsigned long jiffies_left,
				unsigned int state)
	__attribute__((visibility("default")));

USERMM_END_DECLS

/* 0, or -ERESTARTSYS if a signal ended the wait. */
#define wait_for_completion_state(x, state) \
	((int)min(usermm_completion_wait(x, MAX_SCHEDULE_TIMEOUT, state), 0L))
#define wait_for_completion_interruptible(x) wait_for_completion_state(x, TASK_INTERRUPTIBLE)
#define wait_for_completion_killable(x) wait_for_completion_state(x, TASK_KILLABLE)
#define wait_for_completion_interruptible_timeout(x, left) \
	usermm_completion_wait(x, left, TASK_INTERRUPTIBLE)
#define wait_for_completion_killable_timeout(x, left) \
	usermm_completion_wait(x, left, TASK_KILLABLE)
#define wait_for_completion_io(x) wait_for_completion(x)
#define wait_for_completion_io_timeout(x, left) wait_for_completion_timeout(x, left)

#endif
