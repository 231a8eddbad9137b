/* SPDX-License-Identifier: MIT */
/* Times in nanoseconds, and the clocks. */
#ifndef KERNEL_LINUX_KTIME_H
#define KERNEL_LINUX_KTIME_H

#include <linux/jiffies.h>
#include <linux/time64.h>
#include <usermm/compiler.h>

USERMM_BEGIN_DECLS

/* Since some moment in the past: monotonic, with the time asleep, of the world. */
ktime_t ktime_get(void) USERMM_API(ktime_get);
ktime_t ktime_get_boottime(void) USERMM_API(ktime_get_boottime);
ktime_t ktime_get_raw(void) USERMM_API(ktime_get_raw);
ktime_t ktime_get_real(void) USERMM_API(ktime_get_real);

USERMM_END_DECLS

#define ktime_get_ns() ((u64)ktime_get())
#define ktime_get_boottime_ns() ((u64)ktime_get_boottime())
#define ktime_get_boot_ns() ktime_get_boottime_ns()
#define ktime_get_raw_ns() ((u64)ktime_get_raw())
#define ktime_get_real_ns() ((u64)ktime_get_real())
#define ktime_get_mono_fast_ns() ktime_get_ns()
#define ktime_get_raw_fast_ns() ktime_get_raw_ns()
#define ktime_get_coarse() ktime_get()
#define ktime_get_coarse_ns() ktime_get_ns()
#define ktime_get_clocktai() ktime_get_real()
#define ktime_get_seconds() ((time64_t)(ktime_get() / NSEC_PER_SEC))
#define ktime_get_real_seconds() ((time64_t)(ktime_get_real() / NSEC_PER_SEC))
#define ktime_get_boottime_seconds() ((time64_t)(ktime_get_boottime() / NSEC_PER_SEC))
#define ktime_get_ts64(t) ((void)(*(t) = ns_to_timespec64(ktime_get())))
#define ktime_get_raw_ts64(t) ((void)(*(t) = ns_to_timespec64(ktime_get_raw())))
#define ktime_get_real_ts64(t) ((void)(*(t) = ns_to_timespec64(ktime_get_real())))
#define ktime_get_boottime_ts64(t) ((void)(*(t) = ns_to_timespec64(ktime_get_boottime())))
#define ktime_get_coarse_real_ts64(t) ktime_get_real_ts64(t)
#define getnstimeofday64(t) ktime_get_real_ts64(t)
#define do_gettimeofday64(t) ktime_get_real_ts64(t)

#define ktime_set(seconds, ns) ((ktime_t)(seconds) * NSEC_PER_SEC + (ktime_t)(ns))
#define ktime_add(a, b) ((ktime_t)((a) + (b)))
#define ktime_sub(a, b) ((ktime_t)((a) - (b)))
#define ktime_add_ns(t, ns) ((ktime_t)((t) + (s64)(ns)))
#define ktime_sub_ns(t, ns) ((ktime_t)((t) - (s64)(ns)))
#define ktime_add_us(t, us) ktime_add_ns(t, (us) * NSEC_PER_USEC)
#define ktime_sub_us(t, us) ktime_sub_ns(t, (us) * NSEC_PER_USEC)
#define ktime_add_ms(t, ms) ktime_add_ns(t, (ms) * NSEC_PER_MSEC)
#define ktime_sub_ms(t, ms) ktime_sub_ns(t, (ms) * NSEC_PER_MSEC)
#define ktime_to_ns(t) ((s64)(t))
#define ktime_to_us(t) ((s64)((t) / NSEC_PER_USEC))
#define ktime_to_ms(t) ((s64)((t) / NSEC_PER_MSEC))
#define ktime_to_timespec64(t) ns_to_timespec64(t)
#define timespec64_to_ktime(t) ktime_set((t).tv_sec, (t).tv_nsec)
#define ktime_us_delta(later, earlier) ktime_to_us(ktime_sub(later, earlier))
#define ktime_ms_delta(later, earlier) ktime_to_ms(ktime_sub(later, earlier))
#define ktime_divns(t, divisor) ((s64)((t) / (divisor)))
#define ktime_after(a, b) ((a) > (b))
#define ktime_before(a, b) ((a) < (b))
#define ktime_compare(a, b) ((a) < (b) ? -1 : (a) > (b))
#define ns_to_ktime(ns) ((ktime_t)(ns))
#define us_to_ktime(us) ((ktime_t)((us) * NSEC_PER_USEC))
#define ms_to_ktime(ms) ((ktime_t)((ms) * NSEC_PER_MSEC))

#endif
