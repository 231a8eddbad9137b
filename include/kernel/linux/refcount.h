/* SPDX-License-Identifier: MIT */
/*
 * Reference counts that do not wrap around. A count that overflows, or is used after it reached 0,
 * is reported once and keeps its value for ever.
 */
#ifndef KERNEL_LINUX_REFCOUNT_H
#define KERNEL_LINUX_REFCOUNT_H

#include <asm/atomic.h>
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/mutex.h>
#include <linux/refcount_types.h>
#include <linux/spinlock.h>

#define REFCOUNT_INIT(n) { .refs = ATOMIC_INIT(n) }
#define REFCOUNT_MAX 0x7fffffff
#define REFCOUNT_SATURATED ((int)0xc0000000)

static inline void refcount_set(refcount_t *r, int n)
{
	atomic_set(&r->refs, n);
}

static inline unsigned int refcount_read(const refcount_t *r)
{
	return (unsigned int)atomic_read(&r->refs);
}

static inline void usermm_refcount_saturate(refcount_t *r, const char *why)
{
	refcount_set(r, REFCOUNT_SATURATED);
	WARN_ONCE(1, "refcount_t: %s\n", why);
}

static inline __must_check bool refcount_add_not_zero(int i, refcount_t *r)
{
	int old = refcount_read(r);

	do {
		if (!old)
			return false;
	} while (!atomic_try_cmpxchg_relaxed(&r->refs, &old, (int)((u32)old + (u32)i)));
	if (unlikely(old < 0 || (int)((u32)old + (u32)i) < 0))
		usermm_refcount_saturate(r, "saturated; leaking memory.");
	return true;
}

static inline __must_check bool refcount_inc_not_zero(refcount_t *r)
{
	return refcount_add_not_zero(1, r);
}

static inline void refcount_add(int i, refcount_t *r)
{
	int old = atomic_fetch_add_relaxed(i, &r->refs);

	if (unlikely(!old))
		usermm_refcount_saturate(r, "addition on 0; use-after-free.");
	else if (unlikely(old < 0 || (int)((u32)old + (u32)i) < 0))
		usermm_refcount_saturate(r, "saturated; leaking memory.");
}

static inline void refcount_inc(refcount_t *r)
{
	refcount_add(1, r);
}

static inline __must_check bool refcount_sub_and_test(int i, refcount_t *r)
{
	/* release: earlier uses of the object; acquire: for the thread that frees it */
	int old = __atomic_fetch_sub(&r->refs.counter, i, __ATOMIC_ACQ_REL);

	if (old > 0 && old == i)
		return true;
	if (unlikely(old < 0 || old < i))
		usermm_refcount_saturate(r, "underflow; use-after-free.");
	return false;
}

static inline __must_check bool refcount_dec_and_test(refcount_t *r)
{
	return refcount_sub_and_test(1, r);
}

static inline void refcount_dec(refcount_t *r)
{
	if (unlikely(atomic_fetch_sub_release(1, &r->refs) <= 1))
		usermm_refcount_saturate(r, "decrement hit 0; leaking memory.");
}

static inline __must_check bool refcount_dec_if_one(refcount_t *r)
{
	int old = 1;

	return atomic_try_cmpxchg_release(&r->refs, &old, 0);
}

static inline __must_check bool refcount_dec_not_one(refcount_t *r)
{
	int old = atomic_read(&r->refs);

	do {
		if (old == REFCOUNT_SATURATED)
			return true;
		if (old == 1)
			return false;
		if (old < 1) {
			usermm_refcount_saturate(r, "underflow; use-after-free.");
			return true;
		}
	} while (!atomic_try_cmpxchg_release(&r->refs, &old, old - 1));
	return true;
}

/* True if the count has reached 0; the mutex is then held. */
static inline __must_check bool refcount_dec_and_mutex_lock(refcount_t *r, struct mutex *lock)
{
	if (refcount_dec_not_one(r))
		return false;
	mutex_lock(lock);
	if (refcount_dec_and_test(r))
		return true;
	mutex_unlock(lock);
	return false;
}

static inline __must_check bool refcount_dec_and_lock(refcount_t *r, spinlock_t *lock)
{
	if (refcount_dec_not_one(r))
		return false;
	spin_lock(lock);
	if (refcount_dec_and_test(r))
		return true;
	spin_unlock(lock);
	return false;
}

#endif
