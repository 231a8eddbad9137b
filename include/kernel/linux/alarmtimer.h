/* SPDX-License-Identifier: MIT */
/* Timers that would wake a sleeping machine. This one never sleeps, so they are hrtimers. */
#ifndef _LINUX_ALARMTIMER_H
#define _LINUX_ALARMTIMER_H

#include <linux/hrtimer.h>
#include <linux/time.h>
#include <linux/timerqueue.h>
#include <linux/version.h>

struct rtc_device;

enum alarmtimer_type { ALARM_REALTIME, ALARM_BOOTTIME, ALARM_NUMTYPE };

#define ALARMTIMER_STATE_INACTIVE 0
#define ALARMTIMER_STATE_ENQUEUED 1

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
enum alarmtimer_restart { ALARMTIMER_NORESTART, ALARMTIMER_RESTART };
#define USERMM_ALARM_RESULT enum alarmtimer_restart
#else
#define USERMM_ALARM_RESULT void
#endif

struct alarm {
	struct timerqueue_node node;	/* its time; in no queue */
	struct hrtimer timer;
	USERMM_ALARM_RESULT (*function)(struct alarm *alarm, ktime_t now);
	enum alarmtimer_type type;
	int state;
	void *data;
};

static inline enum hrtimer_restart usermm_alarm_rings(struct hrtimer *timer)
{
	struct alarm *alarm = container_of(timer, struct alarm, timer);

	alarm->state = ALARMTIMER_STATE_INACTIVE;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	if (alarm->function(alarm, hrtimer_cb_get_time(timer)) == ALARMTIMER_RESTART) {
		alarm->state = ALARMTIMER_STATE_ENQUEUED;
		hrtimer_set_expires(timer, alarm->node.expires);
		return HRTIMER_RESTART;
	}
#else
	alarm->function(alarm, hrtimer_cb_get_time(timer));
#endif
	return HRTIMER_NORESTART;
}

static inline void alarm_init(struct alarm *alarm, enum alarmtimer_type type,
			      USERMM_ALARM_RESULT (*function)(struct alarm *alarm, ktime_t now))
{
	timerqueue_init(&alarm->node);
	hrtimer_setup(&alarm->timer, usermm_alarm_rings,
		      type == ALARM_REALTIME ? CLOCK_REALTIME : CLOCK_BOOTTIME, HRTIMER_MODE_ABS);
	alarm->function = function;
	alarm->type = type;
	alarm->state = ALARMTIMER_STATE_INACTIVE;
}

static inline void usermm_alarm_start(struct alarm *alarm, ktime_t expires)
{
	alarm->node.expires = expires;
	alarm->state = ALARMTIMER_STATE_ENQUEUED;
	hrtimer_start(&alarm->timer, expires, HRTIMER_MODE_ABS);
}

/* Starts the alarm at a time of its clock, or so long from now. False: that time is over. */
static inline bool alarm_start_timer(struct alarm *alarm, ktime_t expires, bool relative)
{
	ktime_t now = hrtimer_cb_get_time(&alarm->timer);

	if (relative)
		expires = ktime_add_safe(now, expires);
	if (expires <= now)
		return false;
	usermm_alarm_start(alarm, expires);
	return true;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
static inline void alarm_start(struct alarm *alarm, ktime_t start)
{
	usermm_alarm_start(alarm, start);
}

static inline void alarm_start_relative(struct alarm *alarm, ktime_t start)
{
	usermm_alarm_start(alarm, ktime_add_safe(hrtimer_cb_get_time(&alarm->timer), start));
}

static inline void alarm_restart(struct alarm *alarm)
{
	usermm_alarm_start(alarm, alarm->node.expires);
}
#else
USERMM_REMOVED(alarm_start, "7.3", "alarm_start_timer()")
USERMM_REMOVED(alarm_start_relative, "7.3", "alarm_start_timer()")
USERMM_REMOVED(alarm_restart, "7.3", "alarm_start_timer()")
#endif

/* 1: it was pending; 0: it was not; -1: its function runs. */
static inline int alarm_try_to_cancel(struct alarm *alarm)
{
	int result = hrtimer_try_to_cancel(&alarm->timer);

	if (result >= 0)
		alarm->state = ALARMTIMER_STATE_INACTIVE;
	return result;
}

/* As above, but waits for the function, and never returns -1. Sleeps. */
static inline int alarm_cancel(struct alarm *alarm)
{
	int result = hrtimer_cancel(&alarm->timer);

	alarm->state = ALARMTIMER_STATE_INACTIVE;
	return result;
}

/* Moves the alarm's time by whole intervals behind now: how many. */
static inline u64 alarm_forward(struct alarm *alarm, ktime_t now, ktime_t interval)
{
	ktime_t late = now - alarm->node.expires;
	u64 n;

	if (late < 0)
		return 0;
	n = (u64)(late / interval) + 1;
	alarm->node.expires = ktime_add_safe(alarm->node.expires, interval * (ktime_t)n);
	return n;
}

static inline u64 alarm_forward_now(struct alarm *alarm, ktime_t interval)
{
	return alarm_forward(alarm, hrtimer_cb_get_time(&alarm->timer), interval);
}

static inline ktime_t alarm_expires_remaining(const struct alarm *alarm)
{
	return alarm->node.expires - hrtimer_cb_get_time(&alarm->timer);
}

#define alarmtimer_get_rtcdev() ((struct rtc_device *)NULL)

#endif
