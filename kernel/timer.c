// SPDX-License-Identifier: MIT
/*
 * Timers: one thread waits for the next of them and calls its function as an
 * interrupt of the CPU that started it. The thread is made with the first timer.
 *
 * Pending timers are a list in order of time: there are few of them here.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/timer.h>

#include "context.h"

/* Everything below. No spin lock: the thread sleeps on it. */
static pthread_mutex_t timers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t timers_changed;
static LIST_HEAD(pending);
static struct timer_list *running;
static pthread_t timer_thread;
static bool have_thread;

static int remove_locked(struct timer_list *timer)
{
	if (!timer->entry.next)
		return 0;
	list_del(&timer->entry);
	timer->entry.next = NULL;
	return 1;
}

static void call(struct timer_list *timer)
{
	void (*function)(struct timer_list *timer) = timer->function;
	bool old = timer->flags & USERMM_TIMER_OF_DATA;
	unsigned long data = timer->data;

	remove_locked(timer);
	running = timer;
	usermm_cpu_switch((unsigned int)timer->cpu);
	pthread_mutex_unlock(&timers_lock);
	usermm_cpu_hold(SOFTIRQ_OFFSET);
	if (old)
		((void (*)(unsigned long))(void *)function)(data);
	else
		function(timer);
	usermm_cpu_drop(SOFTIRQ_OFFSET);
	pthread_mutex_lock(&timers_lock);
	running = NULL;
	pthread_cond_broadcast(&timers_changed);
}

static void *timer_main(void *task)
{
	usermm_task_enter(task);
	pthread_setname_np(pthread_self(), "timers");
	pthread_mutex_lock(&timers_lock);
	for (;;) {
		struct timer_list *next =
			list_first_entry_or_null(&pending, struct timer_list, entry);
		struct timespec until;

		if (!next) {
			pthread_cond_wait(&timers_changed, &timers_lock);
		} else if (next->when <= ktime_get_ns()) {
			call(next);
		} else {
			until.tv_sec = (time_t)(next->when / NSEC_PER_SEC);
			until.tv_nsec = (long)(next->when % NSEC_PER_SEC);
			pthread_cond_timedwait(&timers_changed, &timers_lock, &until);
		}
	}
	return NULL;
}

static void start_thread(void)
{
	struct task_struct *task = usermm_task_new("timers", PF_KTHREAD);
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&timers_changed, &attributes);
	if (!task || pthread_create(&timer_thread, NULL, timer_main, task))
		panic("no thread for timers\n");
	pthread_detach(timer_thread);
	have_thread = true;
}

static int start(struct timer_list *timer, u64 when, unsigned int cpu)
{
	struct timer_list *other;
	int was_pending;

	pthread_mutex_lock(&timers_lock);
	if (!have_thread)
		start_thread();
	was_pending = remove_locked(timer);
	if (timer->function) {
		timer->when = when;
		timer->cpu = (int)cpu;
		list_for_each_entry_reverse(other, &pending, entry)
			if (other->when <= when)
				break;
		list_add(&timer->entry, &other->entry);
		pthread_cond_broadcast(&timers_changed);
	}
	pthread_mutex_unlock(&timers_lock);
	return was_pending;
}

/* At the end of the jiffy, if it is not over. */
static u64 when_is(unsigned long expires)
{
	long left = (long)(expires - jiffies);

	return ktime_get_ns() + (left > 0 ? (u64)left * TICK_NSEC : 0);
}

int mod_timer(struct timer_list *timer, unsigned long expires)
{
	timer->expires = expires;
	return start(timer, when_is(expires), usermm_cpu_id());
}

int timer_reduce(struct timer_list *timer, unsigned long expires)
{
	if (timer_pending(timer) && time_before_eq(timer->expires, expires))
		return 1;
	return mod_timer(timer, expires);
}

void add_timer(struct timer_list *timer)
{
	BUG_ON(timer_pending(timer));
	mod_timer(timer, timer->expires);
}

void add_timer_on(struct timer_list *timer, int cpu)
{
	BUG_ON(timer_pending(timer));
	start(timer, when_is(timer->expires), (unsigned int)cpu);
}

static int stop(struct timer_list *timer, bool sync, bool for_good)
{
	int was_pending;

	pthread_mutex_lock(&timers_lock);
	was_pending = remove_locked(timer);
	if (for_good)
		timer->function = NULL;
	while (sync && running == timer && !pthread_equal(pthread_self(), timer_thread)) {
		pthread_cond_wait(&timers_changed, &timers_lock);
		was_pending |= remove_locked(timer);
	}
	pthread_mutex_unlock(&timers_lock);
	return was_pending;
}

int timer_delete(struct timer_list *timer)
{
	return stop(timer, false, false);
}

int timer_delete_sync(struct timer_list *timer)
{
	return stop(timer, true, false);
}

int timer_shutdown_sync(struct timer_list *timer)
{
	return stop(timer, true, true);
}

/* Goes on while the function says so; when it has moved the time by itself. */
static void hrtimer_expired(struct timer_list *timer)
{
	struct hrtimer *hrtimer = container_of(timer, struct hrtimer, timer);

	usermm_cpu_hold(HARDIRQ_OFFSET | USERMM_IRQS_OFF);
	if (hrtimer->function(hrtimer) == HRTIMER_RESTART)
		start(timer, timer->when, (unsigned int)timer->cpu);
	usermm_cpu_drop(HARDIRQ_OFFSET | USERMM_IRQS_OFF);
}

void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
		   clockid_t clock, enum hrtimer_mode mode)
{
	static const struct hrtimer_clock_base monotonic = { .get_time = ktime_get };

	(void)clock;
	(void)mode;
	*timer = (struct hrtimer){ .function = function, .base = &monotonic };
	timer_setup(&timer->timer, hrtimer_expired, 0);
}

void hrtimer_start(struct hrtimer *timer, ktime_t when, enum hrtimer_mode mode)
{
	if (mode & HRTIMER_MODE_REL)
		when += ktime_get();
	start(&timer->timer, (u64)when, usermm_cpu_id());
}

int hrtimer_cancel(struct hrtimer *timer)
{
	return timer_delete_sync(&timer->timer);
}

int hrtimer_try_to_cancel(struct hrtimer *timer)
{
	return READ_ONCE(running) == &timer->timer ? -1 : timer_delete(&timer->timer);
}

/* Past now in steps of interval; how many. */
u64 hrtimer_forward(struct hrtimer *timer, ktime_t now, ktime_t interval)
{
	u64 steps;

	if ((u64)now < timer->timer.when || interval <= 0)
		return 0;
	steps = ((u64)now - timer->timer.when) / (u64)interval + 1;
	timer->timer.when += steps * (u64)interval;
	return steps;
}
