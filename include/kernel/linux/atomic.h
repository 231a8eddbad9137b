/* SPDX-License-Identifier: MIT */
/*
 * Atomic counters: atomic_t, atomic64_t and atomic_long_t. An operation that returns a value is
 * fully ordered, unless its name ends in _acquire, _release or _relaxed. An operation without a
 * result orders nothing.
 */
#ifndef KERNEL_LINUX_ATOMIC_H
#define KERNEL_LINUX_ATOMIC_H

#include <asm/barrier.h>
#include <asm/cmpxchg.h>
#include <linux/types.h>

/* As large as atomic64_t, but a long, so that %ld prints it. */
typedef struct {
	long counter;
} atomic_long_t;

#define ATOMIC_LONG_INIT(value) { (value) }

/* One operation with one memory order; `full` is the fence that a fully ordered one needs. */
#define ATOMIC_RETURNING(name, suffix, value_t, counter_t, op, order, full)		\
	static __always_inline value_t name##_fetch_##op##suffix(value_t i, counter_t *v) \
	{										\
		value_t old;								\
											\
		full;									\
		old = __atomic_fetch_##op(&v->counter, i, order);			\
		full;									\
		return old;								\
	}
#define ATOMIC_ARITHMETIC(name, suffix, value_t, counter_t, op, sign, order, full)	\
	ATOMIC_RETURNING(name, suffix, value_t, counter_t, op, order, full)		\
	static __always_inline value_t name##_##op##_return##suffix(value_t i, counter_t *v) \
	{										\
		/* Wraps around: signed overflow would be undefined. */			\
		return (value_t)((u64)name##_fetch_##op##suffix(i, v) sign (u64)i);	\
	}
#define ATOMIC_STEP(name, suffix, value_t, counter_t, step, op)				\
	static __always_inline value_t name##_##step##_return##suffix(counter_t *v)	\
	{										\
		return name##_##op##_return##suffix(1, v);				\
	}										\
	static __always_inline value_t name##_fetch_##step##suffix(counter_t *v)	\
	{										\
		return name##_fetch_##op##suffix(1, v);					\
	}
#define ATOMIC_ORDERED(name, suffix, value_t, counter_t, order, failure, full)		\
	ATOMIC_ARITHMETIC(name, suffix, value_t, counter_t, add, +, order, full)	\
	ATOMIC_ARITHMETIC(name, suffix, value_t, counter_t, sub, -, order, full)	\
	ATOMIC_STEP(name, suffix, value_t, counter_t, inc, add)				\
	ATOMIC_STEP(name, suffix, value_t, counter_t, dec, sub)				\
	ATOMIC_RETURNING(name, suffix, value_t, counter_t, and, order, full)		\
	ATOMIC_RETURNING(name, suffix, value_t, counter_t, or, order, full)		\
	ATOMIC_RETURNING(name, suffix, value_t, counter_t, xor, order, full)		\
	static __always_inline value_t name##_fetch_andnot##suffix(value_t i, counter_t *v) \
	{										\
		return name##_fetch_and##suffix(~i, v);					\
	}										\
	static __always_inline value_t name##_xchg##suffix(counter_t *v, value_t value)	\
	{										\
		value_t old;								\
											\
		full;									\
		old = __atomic_exchange_n(&v->counter, value, order);			\
		full;									\
		return old;								\
	}										\
	static __always_inline bool name##_try_cmpxchg##suffix(counter_t *v, value_t *old, \
							       value_t value)		\
	{										\
		bool done;								\
											\
		full;									\
		done = __atomic_compare_exchange_n(&v->counter, old, value, false,	\
						   order, failure);			\
		full;									\
		return done;								\
	}										\
	static __always_inline value_t name##_cmpxchg##suffix(counter_t *v, value_t old, \
							      value_t value)		\
	{										\
		name##_try_cmpxchg##suffix(v, &old, value);				\
		return old;								\
	}										\
	static __always_inline bool name##_add_negative##suffix(value_t i, counter_t *v) \
	{										\
		return name##_add_return##suffix(i, v) < 0;				\
	}

#define ATOMIC_VOID(name, value_t, counter_t, op)					\
	static __always_inline void name##_##op(value_t i, counter_t *v)		\
	{										\
		__atomic_fetch_##op(&v->counter, i, __ATOMIC_RELAXED);			\
	}

#define ATOMIC_FAMILY(name, value_t, counter_t)						\
	static __always_inline value_t name##_read(const counter_t *v)			\
	{										\
		return READ_ONCE(v->counter);						\
	}										\
	static __always_inline value_t name##_read_acquire(const counter_t *v)		\
	{										\
		return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);			\
	}										\
	static __always_inline void name##_set(counter_t *v, value_t value)		\
	{										\
		WRITE_ONCE(v->counter, value);						\
	}										\
	static __always_inline void name##_set_release(counter_t *v, value_t value)	\
	{										\
		__atomic_store_n(&v->counter, value, __ATOMIC_RELEASE);			\
	}										\
	ATOMIC_VOID(name, value_t, counter_t, add)					\
	ATOMIC_VOID(name, value_t, counter_t, sub)					\
	ATOMIC_VOID(name, value_t, counter_t, and)					\
	ATOMIC_VOID(name, value_t, counter_t, or)					\
	ATOMIC_VOID(name, value_t, counter_t, xor)					\
	static __always_inline void name##_andnot(value_t i, counter_t *v)		\
	{										\
		name##_and(~i, v);							\
	}										\
	static __always_inline void name##_inc(counter_t *v)				\
	{										\
		name##_add(1, v);							\
	}										\
	static __always_inline void name##_dec(counter_t *v)				\
	{										\
		name##_sub(1, v);							\
	}										\
	ATOMIC_ORDERED(name, _relaxed, value_t, counter_t,				\
		       __ATOMIC_RELAXED, __ATOMIC_RELAXED, (void)0)			\
	ATOMIC_ORDERED(name, _acquire, value_t, counter_t,				\
		       __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE, (void)0)			\
	ATOMIC_ORDERED(name, _release, value_t, counter_t,				\
		       __ATOMIC_RELEASE, __ATOMIC_RELAXED, (void)0)			\
	ATOMIC_ORDERED(name, , value_t, counter_t,					\
		       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, KERNEL_FULL_FENCE())		\
	static __always_inline bool name##_sub_and_test(value_t i, counter_t *v)	\
	{										\
		return name##_sub_return(i, v) == 0;					\
	}										\
	static __always_inline bool name##_dec_and_test(counter_t *v)			\
	{										\
		return name##_dec_return(v) == 0;					\
	}										\
	static __always_inline bool name##_inc_and_test(counter_t *v)			\
	{										\
		return name##_inc_return(v) == 0;					\
	}										\
	/* Returns the old value. If this is `forbidden`, adds nothing. */		\
	static __always_inline value_t name##_fetch_add_unless(counter_t *v, value_t i,	\
							       value_t forbidden)	\
	{										\
		value_t old = name##_read(v);						\
											\
		while (old != forbidden &&						\
		       !name##_try_cmpxchg(v, &old, (value_t)((u64)old + (u64)i)))	\
			;								\
		return old;								\
	}										\
	static __always_inline bool name##_add_unless(counter_t *v, value_t i,		\
						      value_t forbidden)		\
	{										\
		return name##_fetch_add_unless(v, i, forbidden) != forbidden;		\
	}										\
	static __always_inline bool name##_inc_not_zero(counter_t *v)			\
	{										\
		return name##_add_unless(v, 1, 0);					\
	}										\
	static __always_inline bool name##_inc_unless_negative(counter_t *v)		\
	{										\
		value_t old = name##_read(v);						\
											\
		while (old >= 0)							\
			if (name##_try_cmpxchg(v, &old, old + 1))			\
				return true;						\
		return false;								\
	}										\
	static __always_inline bool name##_dec_unless_positive(counter_t *v)		\
	{										\
		value_t old = name##_read(v);						\
											\
		while (old <= 0)							\
			if (name##_try_cmpxchg(v, &old, old - 1))			\
				return true;						\
		return false;								\
	}										\
	/* Returns the old value minus one, and stores it unless it is negative. */	\
	static __always_inline value_t name##_dec_if_positive(counter_t *v)		\
	{										\
		value_t old = name##_read(v);						\
											\
		while (old > 0 && !name##_try_cmpxchg(v, &old, old - 1))		\
			;								\
		return old - 1;								\
	}

ATOMIC_FAMILY(atomic, int, atomic_t)
ATOMIC_FAMILY(atomic64, s64, atomic64_t)
ATOMIC_FAMILY(atomic_long, long, atomic_long_t)

#define atomic_cond_read_relaxed(v, condition) smp_cond_load_relaxed(&(v)->counter, condition)
#define atomic_cond_read_acquire(v, condition) smp_cond_load_acquire(&(v)->counter, condition)
#define atomic64_cond_read_acquire atomic_cond_read_acquire
#define atomic_long_cond_read_acquire atomic_cond_read_acquire

#endif
