/* SPDX-License-Identifier: MIT */
/* Time structures: the old ones, for versions that had them, and the new ones. */
#ifndef KERNEL_LINUX_TIME_H
#define KERNEL_LINUX_TIME_H

#include <asm/tsc.h>
#include <linux/cache.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/version.h>

struct timezone;

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 6, 0)
/* If a source includes libc's headers too, libc's structures are used. */
#ifndef _STRUCT_TIMESPEC
#define _STRUCT_TIMESPEC 1
struct timespec {
	time_t tv_sec;
	long tv_nsec;
};
#endif
#ifndef __timeval_defined
#define __timeval_defined 1
struct timeval {
	time_t tv_sec;
	long tv_usec;
};
#endif

static inline s64 timespec_to_ns(const struct timespec *t)
{
	return t->tv_sec * NSEC_PER_SEC + t->tv_nsec;
}

static inline struct timespec ns_to_timespec(s64 ns)
{
	struct timespec64 t = ns_to_timespec64(ns);

	return (struct timespec){ t.tv_sec, t.tv_nsec };
}

static inline s64 timeval_to_ns(const struct timeval *t)
{
	return t->tv_sec * NSEC_PER_SEC + t->tv_usec * NSEC_PER_USEC;
}

static inline struct timeval ns_to_timeval(s64 ns)
{
	struct timespec64 t = ns_to_timespec64(ns);

	return (struct timeval){ t.tv_sec, t.tv_nsec / NSEC_PER_USEC };
}

static inline struct timespec timespec_sub(struct timespec a, struct timespec b)
{
	return ns_to_timespec(timespec_to_ns(&a) - timespec_to_ns(&b));
}

static inline struct timespec timespec_add(struct timespec a, struct timespec b)
{
	return ns_to_timespec(timespec_to_ns(&a) + timespec_to_ns(&b));
}

static inline int timespec_compare(const struct timespec *a, const struct timespec *b)
{
	return ktime_compare(timespec_to_ns(a), timespec_to_ns(b));
}

static inline int timespec_equal(const struct timespec *a, const struct timespec *b)
{
	return !timespec_compare(a, b);
}

static inline int timeval_compare(const struct timeval *a, const struct timeval *b)
{
	return ktime_compare(timeval_to_ns(a), timeval_to_ns(b));
}

static inline void set_normalized_timespec(struct timespec *t, time_t seconds, s64 ns)
{
	*t = ns_to_timespec(seconds * NSEC_PER_SEC + ns);
}

static inline void getnstimeofday(struct timespec *t)
{
	*t = ns_to_timespec(ktime_get_real());
}

static inline void do_gettimeofday(struct timeval *t)
{
	*t = ns_to_timeval(ktime_get_real());
}

static inline void ktime_get_ts(struct timespec *t)
{
	*t = ns_to_timespec(ktime_get());
}

static inline void ktime_get_real_ts(struct timespec *t)
{
	*t = ns_to_timespec(ktime_get_real());
}

static inline void getrawmonotonic(struct timespec *t)
{
	*t = ns_to_timespec(ktime_get_raw());
}

static inline void get_monotonic_boottime(struct timespec *t)
{
	*t = ns_to_timespec(ktime_get_boottime());
}

static inline struct timespec current_kernel_time(void)
{
	return ns_to_timespec(ktime_get_real());
}

static inline unsigned long get_seconds(void)
{
	return (unsigned long)(ktime_get_real() / NSEC_PER_SEC);
}

#define do_posix_clock_monotonic_gettime(t) ktime_get_ts(t)
#define ktime_to_timespec(t) ns_to_timespec(t)
#define ktime_to_timeval(t) ns_to_timeval(t)
#define timespec_to_ktime(t) ((ktime_t)timespec_to_ns(&(const struct timespec){ (t).tv_sec, \
										(t).tv_nsec }))
#define timeval_to_ktime(t) ((ktime_t)timeval_to_ns(&(const struct timeval){ (t).tv_sec, \
									      (t).tv_usec }))
#define timespec_to_timespec64(t) ((struct timespec64){ (t).tv_sec, (t).tv_nsec })
#define timespec64_to_timespec(t) ((struct timespec){ (t).tv_sec, (t).tv_nsec })
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 12, 0)
#define CURRENT_TIME current_kernel_time()
#endif
#endif

/* If a source includes libc's header too, libc's structure is used. */
#ifndef __struct_tm_defined
#define __struct_tm_defined 1
struct tm {
	int tm_sec, tm_min, tm_hour;
	int tm_mday, tm_mon;		/* from 1 and from 0 on */
	long tm_year;			/* since 1900 */
	int tm_wday, tm_yday;
};
#endif
/* The date offset seconds east of UTC. In any context. */
void time64_to_tm(time64_t seconds, int offset, struct tm *result) USERMM_API(time64_to_tm);

#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 12, 0)
USERMM_REMOVED(CURRENT_TIME, "4.12", "ktime_get_real_ts64()")
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 6, 0)
USERMM_REMOVED(getnstimeofday, "5.6", "ktime_get_real_ts64()")
USERMM_REMOVED(do_gettimeofday, "5.6", "ktime_get_real_ts64()")
USERMM_REMOVED(getrawmonotonic, "5.6", "ktime_get_raw_ts64()")
USERMM_REMOVED(current_kernel_time, "5.6", "ktime_get_coarse_real_ts64()")
USERMM_REMOVED(get_seconds, "5.6", "ktime_get_real_seconds()")
USERMM_REMOVED(timespec_sub, "5.6", "timespec64_sub()")
#endif

#endif
