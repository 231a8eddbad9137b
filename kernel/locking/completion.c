// SPDX-License-Identifier: MIT
#include <linux/completion.h>
#include <linux/kernel.h>

void complete(struct completion *x)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&x->wait.lock, flags);
	if (x->done != UINT_MAX)
		x->done++;
	swake_up_locked(&x->wait, 0);
	raw_spin_unlock_irqrestore(&x->wait.lock, flags);
}

void complete_all(struct completion *x)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&x->wait.lock, flags);
	x->done = UINT_MAX;
	while (swait_active(&x->wait))
		swake_up_locked(&x->wait, 0);
	raw_spin_unlock_irqrestore(&x->wait.lock, flags);
}

bool try_wait_for_completion(struct completion *x)
{
	unsigned long flags;
	bool done;

	raw_spin_lock_irqsave(&x->wait.lock, flags);
	done = x->done;
	if (done && x->done != UINT_MAX)
		x->done--;
	raw_spin_unlock_irqrestore(&x->wait.lock, flags);
	return done;
}

bool completion_done(struct completion *x)
{
	unsigned long flags;
	bool done;

	/* The lock makes sure that complete() has left the completion: the caller may free it. */
	raw_spin_lock_irqsave(&x->wait.lock, flags);
	done = x->done;
	raw_spin_unlock_irqrestore(&x->wait.lock, flags);
	return done;
}

long usermm_completion_wait(struct completion *x, unsigned long jiffies_left,
				unsigned int state)
{
	long left = (long)min(jiffies_left, (unsigned long)MAX_SCHEDULE_TIMEOUT);
	bool done = try_wait_for_completion(x);
	struct swait_queue entry;

	might_sleep();
	if (done)
		return left ? left : 1;
	INIT_LIST_HEAD(&entry.task_list);
	for (;;) {
		long interrupted = prepare_to_swait_event(&x->wait, &entry, (int)state);

		done = try_wait_for_completion(x);
		if (!done && interrupted)
			left = interrupted;
		if (done || left <= 0)
			break;
		left = schedule_timeout(left);
	}
	finish_swait(&x->wait, &entry);
	return done ? (left > 0 ? left : 1) : left;
}

void wait_for_completion(struct completion *x)
{
	usermm_completion_wait(x, MAX_SCHEDULE_TIMEOUT, TASK_UNINTERRUPTIBLE);
}

unsigned long wait_for_completion_timeout(struct completion *x, unsigned long jiffies_left)
{
	return (unsigned long)usermm_completion_wait(x, jiffies_left, TASK_UNINTERRUPTIBLE);
}
