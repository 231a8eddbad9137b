/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TIME64_H
#define KERNEL_LINUX_TIME64_H

#include <asm/div64.h>
#include <linux/math64.h>
#include <linux/types.h>
#include <vdso/time64.h>

#ifndef CLOCK_REALTIME
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#endif

struct timespec64 {
	time64_t tv_sec;
	long tv_nsec;
};

struct itimerspec64 {
	struct timespec64 it_interval, it_value;
};

#define TIME64_MAX ((s64)~(1ULL << 63))
#define TIME64_MIN (-TIME64_MAX - 1)
#define KTIME_MAX ((s64)~(1ULL << 63))
#define KTIME_MIN (-KTIME_MAX - 1)
#define KTIME_SEC_MAX (KTIME_MAX / NSEC_PER_SEC)

static inline s64 timespec64_to_ns(const struct timespec64 *t)
{
	return t->tv_sec * NSEC_PER_SEC + t->tv_nsec;
}

static inline struct timespec64 ns_to_timespec64(s64 ns)
{
	struct timespec64 t = { ns / NSEC_PER_SEC, (long)(ns % NSEC_PER_SEC) };

	if (t.tv_nsec < 0) {
		t.tv_sec--;
		t.tv_nsec += NSEC_PER_SEC;
	}
	return t;
}

static inline struct timespec64 timespec64_sub(struct timespec64 a, struct timespec64 b)
{
	return ns_to_timespec64(timespec64_to_ns(&a) - timespec64_to_ns(&b));
}

static inline struct timespec64 timespec64_add(struct timespec64 a, struct timespec64 b)
{
	return ns_to_timespec64(timespec64_to_ns(&a) + timespec64_to_ns(&b));
}

static inline int timespec64_compare(const struct timespec64 *a, const struct timespec64 *b)
{
	s64 left = timespec64_to_ns(a), right = timespec64_to_ns(b);

	return left < right ? -1 : left > right;
}

static inline bool timespec64_equal(const struct timespec64 *a, const struct timespec64 *b)
{
	return !timespec64_compare(a, b);
}

#endif
