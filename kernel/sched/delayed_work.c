// SPDX-License-Identifier: MIT
/*
 * Work items that wait for a time or for RCU before they go on their queue's list; and the end of
 * items of any kind: cancel_work(), disable_work() and the like. workqueue.c says more.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "work.h"

/* The timer may call this late, when it was already stopped or restarted. */
void delayed_work_timer_fn(struct timer_list *timer)
{
	struct delayed_work *delayed = timer_container_of(delayed, timer, timer);

	pthread_mutex_lock(&usermm_queues_lock);
	if (delayed->armed && !timer_pending(timer)) {
		delayed->armed = false;
		usermm_work_put(delayed->wq, &delayed->work, delayed->cpu);
	}
	pthread_mutex_unlock(&usermm_queues_lock);
}

static void start_delayed(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			  unsigned long delay)
{
	work->wq = queue;
	work->cpu = cpu;
	work->armed = delay;
	if (delay)
		mod_timer(&work->timer, jiffies + delay);
	else
		usermm_work_put(queue, &work->work, cpu);
}

bool queue_delayed_work_on(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			   unsigned long delay)
{
	bool claimed;

	pthread_mutex_lock(&usermm_queues_lock);
	claimed = usermm_work_claim(&work->work);
	if (claimed)
		start_delayed(cpu, queue, work, delay);
	pthread_mutex_unlock(&usermm_queues_lock);
	return claimed;
}

/*
 * usermm_work_take_back() for delayed work. *late is set if the timer's function runs, which still
 * uses the item. The caller must then call usermm_timer_wait(), without the lock, before it says
 * that the item is cancelled.
 */
static bool take_back_delayed(struct delayed_work *work, bool *late)
{
	if (!work->armed)
		return usermm_work_take_back(&work->work);
	work->armed = false;
	*late = !timer_delete(&work->timer);
	atomic_long_set(&work->work.data, 0);
	return true;
}

bool mod_delayed_work_on(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			 unsigned long delay)
{
	bool was_pending, late = false;

	pthread_mutex_lock(&usermm_queues_lock);
	was_pending = take_back_delayed(work, &late);
	if (late) {
		/* Wait before the timer is started again: *late tells only of the latest start. */
		pthread_mutex_unlock(&usermm_queues_lock);
		usermm_timer_wait(&work->timer);
		pthread_mutex_lock(&usermm_queues_lock);
	}
	if (usermm_work_claim(&work->work))
		start_delayed(cpu, queue, work, delay);
	pthread_mutex_unlock(&usermm_queues_lock);
	return was_pending;
}

static void rcu_work_function(struct rcu_head *head)
{
	struct rcu_work *work = container_of(head, struct rcu_work, rcu);

	pthread_mutex_lock(&usermm_queues_lock);
	usermm_work_put(work->wq, &work->work, WORK_CPU_UNBOUND);
	pthread_mutex_unlock(&usermm_queues_lock);
}

bool queue_rcu_work(struct workqueue_struct *queue, struct rcu_work *work)
{
	bool claimed;

	pthread_mutex_lock(&usermm_queues_lock);
	claimed = usermm_work_claim(&work->work);
	pthread_mutex_unlock(&usermm_queues_lock);
	if (claimed) {
		work->wq = queue;
		call_rcu(&work->rcu, rcu_work_function);
	}
	return claimed;
}

bool flush_delayed_work(struct delayed_work *work)
{
	bool late = false;

	pthread_mutex_lock(&usermm_queues_lock);
	if (work->armed) {
		take_back_delayed(work, &late);
		if (usermm_work_claim(&work->work))
			usermm_work_put(work->wq, &work->work, work->cpu);
	}
	pthread_mutex_unlock(&usermm_queues_lock);
	if (late)
		usermm_timer_wait(&work->timer);
	return flush_work(&work->work);
}

bool flush_rcu_work(struct rcu_work *work)
{
	bool pending = work_pending(&work->work);

	if (pending)
		rcu_barrier();
	return flush_work(&work->work) || pending;
}

/* delayed is the delayed_work that contains work, or NULL. */
static bool cancel(struct work_struct *work, struct delayed_work *delayed, bool sync,
		   bool stays_disabled)
{
	bool was_pending, late = false;

	pthread_mutex_lock(&usermm_queues_lock);
	was_pending = delayed ? take_back_delayed(delayed, &late) : usermm_work_take_back(work);
	work->disabled++;
	if (sync)
		usermm_work_wait(work);
	work->disabled -= !stays_disabled;
	pthread_mutex_unlock(&usermm_queues_lock);
	/* The caller may free the item after this. */
	if (delayed && (late || sync))
		usermm_timer_wait(&delayed->timer);
	return was_pending;
}

bool cancel_work(struct work_struct *work)
{
	return cancel(work, NULL, false, false);
}

bool cancel_work_sync(struct work_struct *work)
{
	might_sleep();
	return cancel(work, NULL, true, false);
}

bool cancel_delayed_work(struct delayed_work *work)
{
	return cancel(&work->work, work, false, false);
}

bool cancel_delayed_work_sync(struct delayed_work *work)
{
	might_sleep();
	return cancel(&work->work, work, true, false);
}

bool disable_work(struct work_struct *work)
{
	return cancel(work, NULL, false, true);
}

bool disable_work_sync(struct work_struct *work)
{
	might_sleep();
	return cancel(work, NULL, true, true);
}

bool disable_delayed_work(struct delayed_work *work)
{
	return cancel(&work->work, work, false, true);
}

bool disable_delayed_work_sync(struct delayed_work *work)
{
	might_sleep();
	return cancel(&work->work, work, true, true);
}

bool enable_work(struct work_struct *work)
{
	bool enabled;

	pthread_mutex_lock(&usermm_queues_lock);
	if (!WARN_ON_ONCE(!work->disabled))
		work->disabled--;
	enabled = !work->disabled;
	pthread_mutex_unlock(&usermm_queues_lock);
	return enabled;
}
