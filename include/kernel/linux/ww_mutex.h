/* SPDX-License-Identifier: MIT */
/*
 * Locks that are taken in any order. If two contexts want each other's locks, the one that came
 * first waits. The other one gets -EDEADLK, and must release all that it holds.
 */
#ifndef __LINUX_WW_MUTEX_H
#define __LINUX_WW_MUTEX_H

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/rtmutex.h>

struct ww_class {
	atomic_long_t stamp;
	const char *acquire_name, *mutex_name;
	unsigned int is_wait_die;
};

struct ww_acquire_ctx {
	struct task_struct *task;
	unsigned long stamp;		/* the lower came first */
	unsigned int acquired;
	struct ww_class *ww_class;
};

struct ww_mutex {
	struct mutex base;
	struct ww_acquire_ctx *ctx;	/* the holder's. Sync: the holder writes it */
};

#define __WW_CLASS_INITIALIZER(class, is_die) \
	{ ATOMIC_LONG_INIT(0), #class "_acquire", #class "_mutex", is_die }
#define DEFINE_WD_CLASS(name) struct ww_class name = __WW_CLASS_INITIALIZER(name, 1)
#define DEFINE_WW_CLASS(name) struct ww_class name = __WW_CLASS_INITIALIZER(name, 0)
#define DEFINE_WW_MUTEX(name, class) struct ww_mutex name = { __MUTEX_INITIALIZER(name.base), NULL }

static inline void ww_mutex_init(struct ww_mutex *lock, struct ww_class *ww_class)
{
	(void)ww_class;
	mutex_init(&lock->base);
	lock->ctx = NULL;
}

static inline void ww_acquire_init(struct ww_acquire_ctx *ctx, struct ww_class *ww_class)
{
	*ctx = (struct ww_acquire_ctx){
		.task = current, .ww_class = ww_class,
		.stamp = (unsigned long)atomic_long_inc_return(&ww_class->stamp),
	};
}

/* Waits unless it holds locks and came later than the holder: two never wait for one another. */
static inline int ww_mutex_lock(struct ww_mutex *lock, struct ww_acquire_ctx *ctx)
{
	if (!ctx) {
		mutex_lock(&lock->base);
		return 0;
	}
	while (!mutex_trylock(&lock->base)) {
		struct ww_acquire_ctx *holder = READ_ONCE(lock->ctx);

		if (holder == ctx)
			return -EALREADY;
		if (ctx->acquired && holder && READ_ONCE(holder->stamp) < ctx->stamp)
			return -EDEADLK;
		usleep_range(10, 50);
	}
	WRITE_ONCE(lock->ctx, ctx);
	ctx->acquired++;
	return 0;
}

static inline void ww_mutex_unlock(struct ww_mutex *lock)
{
	if (lock->ctx)
		lock->ctx->acquired--;
	WRITE_ONCE(lock->ctx, NULL);
	mutex_unlock(&lock->base);
}

static inline int ww_mutex_trylock(struct ww_mutex *lock, struct ww_acquire_ctx *ctx)
{
	if (!mutex_trylock(&lock->base))
		return 0;
	WRITE_ONCE(lock->ctx, ctx);
	if (ctx)
		ctx->acquired++;
	return 1;
}

#define ww_mutex_lock_interruptible(lock, ctx) ww_mutex_lock(lock, ctx)
/* Call it after -EDEADLK, when no other lock is held. */
#define ww_mutex_lock_slow(lock, ctx) ((void)ww_mutex_lock(lock, ctx))
#define ww_mutex_lock_slow_interruptible(lock, ctx) ww_mutex_lock(lock, ctx)
#define ww_mutex_is_locked(lock) mutex_is_locked(&(lock)->base)
#define ww_mutex_destroy(lock) mutex_destroy(&(lock)->base)
#define ww_acquire_done(ctx) ((void)(ctx))
#define ww_acquire_fini(ctx) ((void)(ctx))

#endif
