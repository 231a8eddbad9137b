/* SPDX-License-Identifier: MIT */
/* Times in nanoseconds, and the clocks. */
#ifndef KERNEL_LINUX_KTIME_H
#define KERNEL_LINUX_KTIME_H

#include <asm/tsc.h>
#include <linux/jiffies.h>
#include <linux/time64.h>
#include <usermm/compiler.h>

USERMM_BEGIN_DECLS

/* Monotonic time; the same including suspend (boottime), or unadjusted (raw); time since 1970. */
ktime_t ktime_get(void) USERMM_API(ktime_get);
ktime_t ktime_get_boottime(void) USERMM_API(ktime_get_boottime);
ktime_t ktime_get_raw(void) USERMM_API(ktime_get_raw);
ktime_t ktime_get_real(void) USERMM_API(ktime_get_real);

USERMM_END_DECLS

static inline u64 ktime_get_ns(void)
{
	return (u64)ktime_get();
}

static inline u64 ktime_get_boottime_ns(void)
{
	return (u64)ktime_get_boottime();
}

static inline u64 ktime_get_raw_ns(void)
{
	return (u64)ktime_get_raw();
}

static inline u64 ktime_get_real_ns(void)
{
	return (u64)ktime_get_real();
}

static inline u64 ktime_get_clocktai_ns(void)
{
	return (u64)ktime_get_real();
}

static inline u64 ktime_get_coarse_ns(void)
{
	return (u64)ktime_get();
}

static inline u64 ktime_get_mono_fast_ns(void)
{
	return (u64)ktime_get();
}

static inline u64 ktime_get_raw_fast_ns(void)
{
	return (u64)ktime_get_raw();
}

static inline u64 ktime_get_boot_fast_ns(void)
{
	return (u64)ktime_get_boottime();
}

static inline u64 ktime_get_real_fast_ns(void)
{
	return (u64)ktime_get_real();
}

#define ktime_get_boot_ns() ktime_get_boottime_ns()

static inline ktime_t ktime_get_coarse(void)
{
	return ktime_get();
}

static inline ktime_t ktime_get_coarse_real(void)
{
	return ktime_get_real();
}

static inline ktime_t ktime_get_clocktai(void)
{
	return ktime_get_real();
}

static inline time64_t ktime_get_seconds(void)
{
	return ktime_get() / NSEC_PER_SEC;
}

static inline time64_t ktime_get_real_seconds(void)
{
	return ktime_get_real() / NSEC_PER_SEC;
}

static inline time64_t ktime_get_boottime_seconds(void)
{
	return ktime_get_boottime() / NSEC_PER_SEC;
}

static inline void ktime_get_ts64(struct timespec64 *t)
{
	*t = ns_to_timespec64(ktime_get());
}

static inline void ktime_get_raw_ts64(struct timespec64 *t)
{
	*t = ns_to_timespec64(ktime_get_raw());
}

static inline void ktime_get_real_ts64(struct timespec64 *t)
{
	*t = ns_to_timespec64(ktime_get_real());
}

static inline void ktime_get_boottime_ts64(struct timespec64 *t)
{
	*t = ns_to_timespec64(ktime_get_boottime());
}

static inline void ktime_get_coarse_ts64(struct timespec64 *t)
{
	*t = ns_to_timespec64(ktime_get());
}

static inline void ktime_get_coarse_real_ts64(struct timespec64 *t)
{
	*t = ns_to_timespec64(ktime_get_real());
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 6, 0)
#define getnstimeofday64(t) ktime_get_real_ts64(t)
#else
USERMM_REMOVED(getnstimeofday64, "5.6", "ktime_get_real_ts64()")
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 6, 0)
#define getrawmonotonic64(t) ktime_get_raw_ts64(t)
#define get_monotonic_boottime64(t) ktime_get_boottime_ts64(t)
#define current_kernel_time64() ns_to_timespec64(ktime_get_real())
#else
USERMM_REMOVED(getrawmonotonic64, "5.6", "ktime_get_raw_ts64()")
USERMM_REMOVED(get_monotonic_boottime64, "5.6", "ktime_get_boottime_ts64()")
USERMM_REMOVED(current_kernel_time64, "5.6", "ktime_get_coarse_real_ts64()")
#endif

/* They are macros in the kernel, too. */
#define ktime_add(a, b) ((ktime_t)((a) + (b)))
#define ktime_sub(a, b) ((ktime_t)((a) - (b)))
/* The sum, or the latest time. */
static inline ktime_t ktime_add_safe(ktime_t a, ktime_t b)
{
	ktime_t sum = (ktime_t)((u64)a + (u64)b);

	return sum < 0 || sum < a || sum < b ? KTIME_MAX : sum;
}

#define ktime_add_unsafe(a, b) ((ktime_t)((u64)(a) + (u64)(b)))
#define ktime_add_ns(t, ns) ((ktime_t)((t) + (s64)(ns)))
#define ktime_sub_ns(t, ns) ((ktime_t)((t) - (s64)(ns)))
#define ktime_to_timespec64(t) ns_to_timespec64(t)

static inline ktime_t ktime_set(s64 seconds, unsigned long ns)
{
	return seconds >= KTIME_SEC_MAX ? KTIME_MAX : seconds * NSEC_PER_SEC + (s64)ns;
}

static inline ktime_t ktime_add_us(const ktime_t t, const u64 us)
{
	return t + (s64)(us * NSEC_PER_USEC);
}

static inline ktime_t ktime_sub_us(const ktime_t t, const u64 us)
{
	return t - (s64)(us * NSEC_PER_USEC);
}

static inline ktime_t ktime_add_ms(const ktime_t t, const u64 ms)
{
	return t + (s64)(ms * NSEC_PER_MSEC);
}

static inline ktime_t ktime_sub_ms(const ktime_t t, const u64 ms)
{
	return t - (s64)(ms * NSEC_PER_MSEC);
}

static inline s64 ktime_to_ns(const ktime_t t)
{
	return t;
}

static inline s64 ktime_to_us(const ktime_t t)
{
	return t / NSEC_PER_USEC;
}

static inline s64 ktime_to_ms(const ktime_t t)
{
	return t / NSEC_PER_MSEC;
}

static inline s64 ktime_us_delta(const ktime_t later, const ktime_t earlier)
{
	return ktime_to_us(later - earlier);
}

static inline s64 ktime_ms_delta(const ktime_t later, const ktime_t earlier)
{
	return ktime_to_ms(later - earlier);
}

static inline s64 ktime_divns(const ktime_t t, s64 divisor)
{
	return t / divisor;
}

static inline int ktime_compare(const ktime_t a, const ktime_t b)
{
	return a < b ? -1 : a > b;
}

static inline bool ktime_after(const ktime_t a, const ktime_t b)
{
	return a > b;
}

static inline bool ktime_before(const ktime_t a, const ktime_t b)
{
	return a < b;
}

static inline ktime_t ns_to_ktime(u64 ns)
{
	return (ktime_t)ns;
}

static inline ktime_t us_to_ktime(u64 us)
{
	return (ktime_t)(us * NSEC_PER_USEC);
}

static inline ktime_t ms_to_ktime(u64 ms)
{
	return (ktime_t)(ms * NSEC_PER_MSEC);
}

static inline ktime_t timespec64_to_ktime(struct timespec64 t)
{
	return ktime_set(t.tv_sec, (unsigned long)t.tv_nsec);
}

#endif
