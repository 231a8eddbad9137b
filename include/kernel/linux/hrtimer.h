/* SPDX-License-Identifier: MIT */
/* Timers in nanoseconds. Their functions run as interrupts of the CPU that started the timer. */
#ifndef KERNEL_LINUX_HRTIMER_H
#define KERNEL_LINUX_HRTIMER_H

#include <linux/ktime.h>
#include <linux/rbtree.h>
#include <linux/seqlock.h>
#include <linux/timer.h>
#include <linux/timerqueue.h>

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };

enum hrtimer_mode {
	HRTIMER_MODE_ABS = 0,
	HRTIMER_MODE_REL = 1,
	HRTIMER_MODE_PINNED = 2,
	HRTIMER_MODE_SOFT = 4,
	HRTIMER_MODE_HARD = 8,
	HRTIMER_MODE_ABS_PINNED = HRTIMER_MODE_ABS | HRTIMER_MODE_PINNED,
	HRTIMER_MODE_REL_PINNED = HRTIMER_MODE_REL | HRTIMER_MODE_PINNED,
	HRTIMER_MODE_ABS_SOFT = HRTIMER_MODE_ABS | HRTIMER_MODE_SOFT,
	HRTIMER_MODE_REL_SOFT = HRTIMER_MODE_REL | HRTIMER_MODE_SOFT,
	HRTIMER_MODE_ABS_HARD = HRTIMER_MODE_ABS | HRTIMER_MODE_HARD,
	HRTIMER_MODE_REL_HARD = HRTIMER_MODE_REL | HRTIMER_MODE_HARD,
};

#define hrtimer_resolution 1U	/* nanoseconds */

struct hrtimer_clock_base {
	ktime_t (*get_time)(void);
};

struct hrtimer {
	struct timer_list timer;
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	ktime_t offset;			/* its clock minus the monotonic clock */
	const struct hrtimer_clock_base *base;
};

USERMM_BEGIN_DECLS

/* All clocks run like the monotonic one. The difference between them is measured here. */
void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
		   clockid_t clock, enum hrtimer_mode mode) USERMM_API(hrtimer_setup);
void hrtimer_start(struct hrtimer *timer, ktime_t when, enum hrtimer_mode mode)
	USERMM_API(hrtimer_start);
int hrtimer_cancel(struct hrtimer *timer) USERMM_API(hrtimer_cancel);
int hrtimer_try_to_cancel(struct hrtimer *timer) USERMM_API(hrtimer_try_to_cancel);
u64 hrtimer_forward(struct hrtimer *timer, ktime_t now, ktime_t interval)
	USERMM_API(hrtimer_forward);

/* Is the timer pending, or does its function run? */
bool hrtimer_active(const struct hrtimer *timer) USERMM_API(hrtimer_active);

USERMM_END_DECLS

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
static inline void hrtimer_init(struct hrtimer *timer, clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_setup(timer, NULL, clock, mode);
}
#else
USERMM_REMOVED(hrtimer_init, "6.15", "hrtimer_setup()")
#endif

/* The time of the timer's clock. */
static inline ktime_t hrtimer_cb_get_time(const struct hrtimer *timer)
{
	return ktime_get() + timer->offset;
}

static inline u64 hrtimer_forward_now(struct hrtimer *timer, ktime_t interval)
{
	return hrtimer_forward(timer, hrtimer_cb_get_time(timer), interval);
}

static inline void hrtimer_start_range_ns(struct hrtimer *timer, ktime_t when, u64 slack,
					  const enum hrtimer_mode mode)
{
	(void)slack;
	hrtimer_start(timer, when, mode);
}

static inline bool hrtimer_is_queued(struct hrtimer *timer)
{
	return timer_pending(&timer->timer);
}

static inline ktime_t hrtimer_get_expires(const struct hrtimer *timer)
{
	return (ktime_t)timer->timer.when + timer->offset;
}

static inline ktime_t hrtimer_get_remaining(const struct hrtimer *timer)
{
	return hrtimer_get_expires(timer) - hrtimer_cb_get_time(timer);
}

static inline void hrtimer_set_expires(struct hrtimer *timer, ktime_t when)
{
	timer->timer.when = (u64)(when - timer->offset);
}

static inline void hrtimer_start_expires(struct hrtimer *timer, enum hrtimer_mode mode)
{
	(void)mode;
	hrtimer_start(timer, hrtimer_get_expires(timer), HRTIMER_MODE_ABS);
}

static inline void hrtimer_restart(struct hrtimer *timer)
{
	hrtimer_start_expires(timer, HRTIMER_MODE_ABS);
}

#define hrtimer_init_on_stack(t, clock, mode) hrtimer_init(t, clock, mode)
#define hrtimer_setup_on_stack(t, function, clock, mode) hrtimer_setup(t, function, clock, mode)
#define destroy_hrtimer_on_stack(t) ((void)(t))

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#undef hrtimer_init_on_stack
USERMM_REMOVED(hrtimer_init_on_stack, "6.15", "hrtimer_setup_on_stack()")
#endif

#endif
