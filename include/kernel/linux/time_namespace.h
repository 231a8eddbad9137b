/* SPDX-License-Identifier: MIT */
/* The one namespace of times, whose clocks are the machine's: no offset is added. */
#ifndef _LINUX_TIMENS_H
#define _LINUX_TIMENS_H

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/ns_common.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/time64.h>

struct user_namespace;

struct timens_offsets {
	struct timespec64 monotonic, boottime;
};

struct time_namespace {
	struct user_namespace *user_ns;
	struct ns_common ns;
	struct timens_offsets offsets;	/* zeros */
	bool frozen_offsets;
};

extern struct time_namespace init_time_ns __asm__("usermm_init_time_ns")
	__attribute__((visibility("default")));

#define get_time_ns(namespace) (namespace)
#define put_time_ns(namespace) ((void)(namespace))
#define timens_add_monotonic(time) \
	((void)(*(time) = timespec64_add(*(time), init_time_ns.offsets.monotonic)))
#define timens_add_boottime(time) \
	((void)(*(time) = timespec64_add(*(time), init_time_ns.offsets.boottime)))
#define timens_sub_boottime(time) \
	((void)(*(time) = timespec64_sub(*(time), init_time_ns.offsets.boottime)))

static inline u64 timens_add_boottime_ns(u64 nanoseconds)
{
	return nanoseconds + (u64)timespec64_to_ns(&init_time_ns.offsets.boottime);
}

static inline ktime_t timens_ktime_to_host(clockid_t clock, ktime_t time)
{
	(void)clock;
	return time;
}

#endif
