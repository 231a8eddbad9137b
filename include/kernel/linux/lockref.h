/* SPDX-License-Identifier: MIT */
/* A count and a lock in one; here the lock guards each step of the count. */
#ifndef __LINUX_LOCKREF_H
#define __LINUX_LOCKREF_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct lockref {
	spinlock_t lock;
	int count;		/* below 0: dead */
};

static inline void lockref_init(struct lockref *ref)
{
	spin_lock_init(&ref->lock);
	ref->count = 1;
}

/* Adds n if the count is at least `least`. Returns whether it was. */
static inline bool usermm_lockref_add(struct lockref *ref, int n, int least)
{
	bool is_enough;

	spin_lock(&ref->lock);
	is_enough = ref->count >= least;
	if (is_enough)
		WRITE_ONCE(ref->count, ref->count + n);
	spin_unlock(&ref->lock);
	return is_enough;
}

static inline void lockref_get(struct lockref *ref)
{
	usermm_lockref_add(ref, 1, INT_MIN);
}

static inline bool lockref_get_not_zero(struct lockref *ref)
{
	return usermm_lockref_add(ref, 1, 1);
}

static inline bool lockref_get_not_dead(struct lockref *ref)
{
	return usermm_lockref_add(ref, 1, 0);
}

/*
 * Drops one use and returns the new count. If the count is 0 or less, changes nothing and returns
 * -1.
 */
static inline int lockref_put_return(struct lockref *ref)
{
	int count = -1;

	spin_lock(&ref->lock);
	if (ref->count > 0) {
		count = ref->count - 1;
		WRITE_ONCE(ref->count, count);
	}
	spin_unlock(&ref->lock);
	return count;
}

/* False with the lock held if this is the last user. */
static inline bool lockref_put_or_lock(struct lockref *ref)
{
	spin_lock(&ref->lock);
	if (ref->count <= 1)
		return false;
	WRITE_ONCE(ref->count, ref->count - 1);
	spin_unlock(&ref->lock);
	return true;
}

/* With the lock held. */
static inline void lockref_mark_dead(struct lockref *ref)
{
	WRITE_ONCE(ref->count, -128);
}

static inline bool __lockref_is_dead(const struct lockref *ref)
{
	return READ_ONCE(ref->count) < 0;
}

#endif
