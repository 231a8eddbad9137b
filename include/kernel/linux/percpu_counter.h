/* SPDX-License-Identifier: MIT */
/*
 * A counter with a part for each CPU. A CPU adds to its own part; when the part reaches the batch,
 * it is moved to the common count. A read without a sum may be off by batch times CPUs.
 */
#ifndef KERNEL_LINUX_PERCPU_COUNTER_H
#define KERNEL_LINUX_PERCPU_COUNTER_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/version.h>

struct percpu_counter {
	raw_spinlock_t lock;
	s64 count;			/* Sync: lock */
	s32 __percpu *counters;		/* each CPU's part */
};

USERMM_BEGIN_DECLS

extern int percpu_counter_batch USERMM_API(percpu_counter_batch);

int usermm_percpu_counter_init(struct percpu_counter *counter, s64 amount, gfp_t gfp)
	__attribute__((visibility("default")));
void percpu_counter_destroy(struct percpu_counter *counter) USERMM_API(percpu_counter_destroy);
void percpu_counter_set(struct percpu_counter *counter, s64 amount)
	USERMM_API(percpu_counter_set);
void percpu_counter_add_batch(struct percpu_counter *counter, s64 amount, s32 batch)
	USERMM_API(percpu_counter_add_batch);
s64 __percpu_counter_sum(struct percpu_counter *counter) USERMM_API(__percpu_counter_sum);
/* Returns -1, 0 or 1, exactly. It sums only if the common count is too close to value. */
int __percpu_counter_compare(struct percpu_counter *counter, s64 value, s32 batch)
	USERMM_API(__percpu_counter_compare);
void percpu_counter_sync(struct percpu_counter *counter) USERMM_API(percpu_counter_sync);
/* Adds amount, unless the sum would pass limit: then it adds nothing and returns false. */
bool __percpu_counter_limited_add(struct percpu_counter *counter, s64 limit, s64 amount,
				  s32 batch) USERMM_API(__percpu_counter_limited_add);

USERMM_END_DECLS

#define percpu_counter_init(counter, amount, gfp) usermm_percpu_counter_init(counter, amount, gfp)
#define percpu_counter_init_many(counters, amount, gfp, nr)		\
	({								\
		int many_error_ = 0;					\
		u32 many_i_ = 0;					\
									\
		while (!many_error_ && many_i_ < (u32)(nr))		\
			many_error_ = percpu_counter_init((counters) + many_i_++, amount, gfp); \
		if (many_error_)					\
			while (many_i_--)				\
				percpu_counter_destroy((counters) + many_i_); \
		many_error_;						\
	})

static inline void percpu_counter_destroy_many(struct percpu_counter *counters, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		percpu_counter_destroy(&counters[i]);
}

static inline void percpu_counter_add(struct percpu_counter *counter, s64 amount)
{
	percpu_counter_add_batch(counter, amount, percpu_counter_batch);
}

static inline void percpu_counter_add_local(struct percpu_counter *counter, s64 amount)
{
	percpu_counter_add_batch(counter, amount, S32_MAX);
}

static inline void percpu_counter_inc(struct percpu_counter *counter)
{
	percpu_counter_add(counter, 1);
}

static inline void percpu_counter_dec(struct percpu_counter *counter)
{
	percpu_counter_add(counter, -1);
}

static inline void percpu_counter_sub(struct percpu_counter *counter, s64 amount)
{
	percpu_counter_add(counter, -amount);
}

static inline void percpu_counter_sub_local(struct percpu_counter *counter, s64 amount)
{
	percpu_counter_add_local(counter, -amount);
}

static inline s64 percpu_counter_read(struct percpu_counter *counter)
{
	return READ_ONCE(counter->count);
}

static inline s64 percpu_counter_read_positive(struct percpu_counter *counter)
{
	s64 count = percpu_counter_read(counter);

	return count < 0 ? 0 : count;
}

static inline s64 percpu_counter_sum(struct percpu_counter *counter)
{
	return __percpu_counter_sum(counter);
}

static inline s64 percpu_counter_sum_positive(struct percpu_counter *counter)
{
	s64 sum = __percpu_counter_sum(counter);

	return sum < 0 ? 0 : sum;
}

static inline int percpu_counter_compare(struct percpu_counter *counter, s64 value)
{
	return __percpu_counter_compare(counter, value, percpu_counter_batch);
}

static inline bool percpu_counter_limited_add(struct percpu_counter *counter, s64 limit,
					      s64 amount)
{
	return __percpu_counter_limited_add(counter, limit, amount, percpu_counter_batch);
}

static inline bool percpu_counter_initialized(struct percpu_counter *counter)
{
	return counter->counters != NULL;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 13, 0)
#define __percpu_counter_add(counter, amount, batch) \
	percpu_counter_add_batch(counter, amount, batch)
#else
USERMM_REMOVED(__percpu_counter_add, "4.13", "percpu_counter_add_batch()")
#endif

#endif
