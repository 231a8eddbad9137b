/* SPDX-License-Identifier: MIT */
/* Timers by the nanosecond; their functions run as interrupts of the CPU that started them. */
#ifndef KERNEL_LINUX_HRTIMER_H
#define KERNEL_LINUX_HRTIMER_H

#include <linux/ktime.h>
#include <linux/timer.h>

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

#ifndef CLOCK_REALTIME
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_BOOTTIME 7
#endif

struct hrtimer {
	struct timer_list timer;
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	ktime_t offset;			/* of its clock from the monotonic one */
};

USERMM_BEGIN_DECLS

/* All clocks go like the monotonic one: their distance is taken here. */
void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
		   clockid_t clock, enum hrtimer_mode mode) USERMM_API(hrtimer_setup);
void hrtimer_start(struct hrtimer *timer, ktime_t when, enum hrtimer_mode mode)
	USERMM_API(hrtimer_start);
int hrtimer_cancel(struct hrtimer *timer) USERMM_API(hrtimer_cancel);
int hrtimer_try_to_cancel(struct hrtimer *timer) USERMM_API(hrtimer_try_to_cancel);
u64 hrtimer_forward(struct hrtimer *timer, ktime_t now, ktime_t interval)
	USERMM_API(hrtimer_forward);

/* Pending, or its function runs. */
bool hrtimer_active(const struct hrtimer *timer) USERMM_API(hrtimer_active);

USERMM_END_DECLS

#define hrtimer_init(t, clock, mode) hrtimer_setup(t, NULL, clock, mode)
#define hrtimer_forward_now(t, interval) \
	hrtimer_forward(t, hrtimer_cb_get_time(t), interval)
#define hrtimer_start_range_ns(t, when, slack, mode) hrtimer_start(t, when, mode)
#define hrtimer_is_queued(t) timer_pending(&(t)->timer)
#define hrtimer_get_expires(t) ((ktime_t)(t)->timer.when + (t)->offset)
#define hrtimer_cb_get_time(t) (ktime_get() + (t)->offset)

#endif
