// SPDX-License-Identifier: MIT
/*
 * Timers. One thread, which the first timer creates, calls the functions of all timers. A function
 * runs as an interrupt of the CPU that started the timer: the thread calls it only when it holds
 * this CPU (docs/glossary.md). A thread that holds a CPU for long thus delays only the timers of
 * this CPU.
 *
 * Pending timers are in one list, ordered by time, since there are few. A timer counts as running
 * only while the thread holds the timer's CPU. So a thread may wait for a running timer while it
 * holds a CPU itself: it cannot be the timer's CPU, so there is no deadlock.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "context.h"
#include "module/module_run.h"

#define LOOK_AGAIN_NANOSECONDS 50000

/* Protects everything below. A mutex, since the thread sleeps on a condition with it. */
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

/* Calls the timer's function. The thread holds the timer's CPU. */
static void call(struct timer_list *timer)
{
	void (*function)(struct timer_list *timer) = timer->function;
	bool old = timer->flags & USERMM_TIMER_OF_DATA;
	unsigned long data = timer->data;

	remove_locked(timer);
	running = timer;
	usermm_cpu_switch((unsigned int)timer->cpu);
	pthread_mutex_unlock(&timers_lock);
	usermm_self()->count = SOFTIRQ_OFFSET;
	if (old)
		((void (*)(unsigned long))(void *)function)(data);
	else
		function(timer);
	if (usermm_self()->count != SOFTIRQ_OFFSET)
		pr_err("BUG: timer %pS leaves another preempt_count: %08x\n", function,
		       preempt_count());
	usermm_cpu_drop(usermm_self()->count);
	pthread_mutex_lock(&timers_lock);
	running = NULL;
	pthread_cond_broadcast(&timers_changed);
}

/* The first timer that is due and whose CPU is free. The thread then holds this CPU. */
static struct timer_list *take_due(u64 now)
{
	struct timer_list *timer;

	list_for_each_entry(timer, &pending, entry) {
		if (timer->when > now)
			break;
		if (usermm_trylock(&usermm_cpus[timer->cpu].lock))
			return timer;
	}
	return NULL;
}

/* Sleeps until a timer is due, or until it is time to look again at a CPU that was held. */
static void wait_locked(u64 now)
{
	struct timer_list *first = list_first_entry_or_null(&pending, struct timer_list, entry);
	struct timespec until;
	u64 when;

	if (!first) {
		pthread_cond_wait(&timers_changed, &timers_lock);
		return;
	}
	when = first->when > now ? first->when : now + LOOK_AGAIN_NANOSECONDS;
	until.tv_sec = (time_t)(when / NSEC_PER_SEC);
	until.tv_nsec = (long)(when % NSEC_PER_SEC);
	pthread_cond_timedwait(&timers_changed, &timers_lock, &until);
}

static void *timer_main(void *task)
{
	usermm_task_enter(task);
	pthread_setname_np(pthread_self(), "timers");
	pthread_mutex_lock(&timers_lock);
	for (;;) {
		u64 now = ktime_get_ns();
		struct timer_list *due = take_due(now);

		if (due)
			call(due);
		else
			wait_locked(now);
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

enum how { ALWAYS, IF_PENDING, IF_EARLIER };

/* Starts a timer. expires is in jiffies (0 for an hrtimer). True if the timer was pending. */
static int start(struct timer_list *timer, u64 when, unsigned long expires, unsigned int cpu,
		 enum how how)
{
	struct timer_list *other;
	bool was_pending;

	pthread_mutex_lock(&timers_lock);
	if (!have_thread)
		start_thread();
	was_pending = timer->entry.next;
	if (!timer->function || (how == IF_PENDING && !was_pending) ||
	    (how == IF_EARLIER && was_pending && time_before_eq(timer->expires, expires)))
		goto out;
	remove_locked(timer);
	timer->expires = expires;
	timer->when = when;
	timer->cpu = (int)cpu;
	list_for_each_entry_reverse(other, &pending, entry)
		if (other->when <= when)
			break;
	list_add(&timer->entry, &other->entry);
	pthread_cond_broadcast(&timers_changed);
out:
	pthread_mutex_unlock(&timers_lock);
	return was_pending;
}

/* A time within the jiffy `expires`, in nanoseconds; now, if this jiffy is over. */
static u64 when_is(unsigned long expires)
{
	long left = (long)(expires - jiffies);
	u64 wait = left > 0 ? (u64)left : 0;

	/* Cut times that the clock cannot express: nobody will live to see them. */
	if (__builtin_mul_overflow(wait, (u64)TICK_NSEC, &wait) || wait > KTIME_MAX / 2)
		wait = KTIME_MAX / 2;
	return ktime_get_ns() + wait;
}

int timer_pending(const struct timer_list *timer)
{
	bool is_pending;

	pthread_mutex_lock(&timers_lock);
	is_pending = timer->entry.next;
	pthread_mutex_unlock(&timers_lock);
	return is_pending;
}

int mod_timer(struct timer_list *timer, unsigned long expires)
{
	return start(timer, when_is(expires), expires, usermm_cpu_id(), ALWAYS);
}

int mod_timer_pending(struct timer_list *timer, unsigned long expires)
{
	return start(timer, when_is(expires), expires, usermm_cpu_id(), IF_PENDING);
}

int timer_reduce(struct timer_list *timer, unsigned long expires)
{
	return start(timer, when_is(expires), expires, usermm_cpu_id(), IF_EARLIER);
}

void add_timer(struct timer_list *timer)
{
	if (!WARN_ON_ONCE(timer_pending(timer)))
		mod_timer(timer, timer->expires);
}

void add_timer_on(struct timer_list *timer, int cpu)
{
	if (!WARN_ON_ONCE(timer_pending(timer)))
		start(timer, when_is(timer->expires), timer->expires, (unsigned int)cpu, ALWAYS);
}

static bool runs_elsewhere(const struct timer_list *timer)
{
	return running == timer && !pthread_equal(pthread_self(), timer_thread);
}

static int stop(struct timer_list *timer, bool sync, bool for_good)
{
	int was_pending;

	pthread_mutex_lock(&timers_lock);
	was_pending = remove_locked(timer);
	if (for_good)
		timer->function = NULL;
	while (sync && runs_elsewhere(timer)) {
		pthread_cond_wait(&timers_changed, &timers_lock);
		was_pending |= remove_locked(timer);
	}
	pthread_mutex_unlock(&timers_lock);
	return was_pending;
}

void usermm_timer_wait(const struct timer_list *timer)
{
	pthread_mutex_lock(&timers_lock);
	while (runs_elsewhere(timer))
		pthread_cond_wait(&timers_changed, &timers_lock);
	pthread_mutex_unlock(&timers_lock);
}

int timer_delete(struct timer_list *timer)
{
	return stop(timer, false, false);
}

int timer_delete_sync(struct timer_list *timer)
{
	return stop(timer, true, false);
}

/* -1, with no effect, if the timer's function runs. */
int timer_delete_sync_try(struct timer_list *timer)
{
	int result = -1;

	pthread_mutex_lock(&timers_lock);
	if (running != timer)
		result = remove_locked(timer);
	pthread_mutex_unlock(&timers_lock);
	return result;
}

int timer_shutdown(struct timer_list *timer)
{
	return stop(timer, false, true);
}

int timer_shutdown_sync(struct timer_list *timer)
{
	return stop(timer, true, true);
}

/* Restarts the hrtimer if its function asks for it. The function has set the new time itself. */
static void hrtimer_expired(struct timer_list *timer)
{
	struct hrtimer *hrtimer = container_of(timer, struct hrtimer, timer);

	usermm_cpu_hold(HARDIRQ_OFFSET | USERMM_IRQS_OFF);
	if (hrtimer->function(hrtimer) == HRTIMER_RESTART)
		start(timer, timer->when, 0, (unsigned int)timer->cpu, ALWAYS);
	usermm_cpu_drop(HARDIRQ_OFFSET | USERMM_IRQS_OFF);
}

static ktime_t clock_offset(clockid_t clock)
{
	return clock == CLOCK_REALTIME ? ktime_get_real() - ktime_get() :
	       clock == CLOCK_BOOTTIME ? ktime_get_boottime() - ktime_get() : 0;
}

void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
		   clockid_t clock, enum hrtimer_mode mode)
{
	static const struct hrtimer_clock_base clocks[] = {
		{ ktime_get }, { ktime_get_real }, { ktime_get_boottime },
	};

	(void)mode;
	*timer = (struct hrtimer){
		.function = function,
		.offset = clock_offset(clock),
		.base = &clocks[clock == CLOCK_REALTIME ? 1 : clock == CLOCK_BOOTTIME ? 2 : 0],
	};
	timer_setup(&timer->timer, hrtimer_expired, 0);
}

void hrtimer_start(struct hrtimer *timer, ktime_t when, enum hrtimer_mode mode)
{
	ktime_t base = mode & HRTIMER_MODE_REL ? ktime_get() : -timer->offset;

	/*
	 * Cut to half of the clock's range, which is never reached, so that sums do not overflow.
	 */
	if (__builtin_add_overflow(when, base, &when) || when > KTIME_MAX / 2)
		when = KTIME_MAX / 2;
	start(&timer->timer, (u64)max(when, (ktime_t)0), 0, usermm_cpu_id(), ALWAYS);
}

int hrtimer_cancel(struct hrtimer *timer)
{
	return timer_delete_sync(&timer->timer);
}

int hrtimer_try_to_cancel(struct hrtimer *timer)
{
	return timer_delete_sync_try(&timer->timer);
}

bool hrtimer_active(const struct hrtimer *timer)
{
	bool active;

	pthread_mutex_lock(&timers_lock);
	active = timer->timer.entry.next || running == &timer->timer;
	pthread_mutex_unlock(&timers_lock);
	return active;
}

/* Moves the expiry in steps of interval until it is after now. Returns the number of steps. */
u64 hrtimer_forward(struct hrtimer *timer, ktime_t now, ktime_t interval)
{
	ktime_t behind = now - hrtimer_get_expires(timer);
	u64 steps;

	if (behind < 0 || WARN_ON(hrtimer_is_queued(timer)))
		return 0;
	interval = max(interval, (ktime_t)1);
	steps = (u64)behind / (u64)interval + 1;
	timer->timer.when += steps * (u64)interval;
	return steps;
}

static const void *function_of(const struct timer_list *timer)
{
	if (timer->function == hrtimer_expired)
		return (const void *)container_of(timer, struct hrtimer, timer)->function;
	if (timer->function == delayed_work_timer_fn)
		return (const void *)container_of(timer, struct delayed_work, timer)->work.func;
	return (const void *)timer->function;
}

void module_timers_report(void)
{
	const struct timer_list *timer;
	char name[128];

	pthread_mutex_lock(&timers_lock);
	list_for_each_entry(timer, &pending, entry) {
		symbol_text(function_of(timer), name, sizeof(name));
		fprintf(stderr, "usermm module: leak: timer of %s is still pending\n", name);
	}
	pthread_mutex_unlock(&timers_lock);
}
