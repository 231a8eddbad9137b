/* SPDX-License-Identifier: MIT */
/*
 * Fences: events that happen once, at the end of a device's work. A fence is freed after a grace
 * period. Callbacks run under the fence's lock, in the context of the one who signals.
 */
#ifndef __LINUX_DMA_FENCE_H
#define __LINUX_DMA_FENCE_H

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/version.h>
#include <linux/wait.h>
#include <usermm/compiler.h>

struct dma_fence;
struct dma_fence_cb;

enum dma_fence_flag_bits {
	DMA_FENCE_FLAG_SIGNALED_BIT,
	DMA_FENCE_FLAG_TIMESTAMP_BIT,
	DMA_FENCE_FLAG_ENABLE_SIGNAL_BIT,
	DMA_FENCE_FLAG_USER_BITS,
};

typedef void (*dma_fence_func_t)(struct dma_fence *fence, struct dma_fence_cb *cb);

struct dma_fence_cb {
	struct list_head node;
	dma_fence_func_t func;
};

struct dma_fence_ops {
	bool use_64bit_seqno;
	const char *(*get_driver_name)(struct dma_fence *fence);
	const char *(*get_timeline_name)(struct dma_fence *fence);
	bool (*enable_signaling)(struct dma_fence *fence);	/* false: it is over */
	bool (*signaled)(struct dma_fence *fence);
	signed long (*wait)(struct dma_fence *fence, bool intr, signed long timeout);
	void (*release)(struct dma_fence *fence);		/* NULL: dma_fence_free() */
	void (*set_deadline)(struct dma_fence *fence, ktime_t deadline);
};

struct dma_fence {
	spinlock_t *lock;		/* the owner's, or inline_lock */
	const struct dma_fence_ops *ops;
	struct list_head cb_list;	/* Sync: lock */
	ktime_t timestamp;		/* of the signal */
	struct rcu_head rcu;
	u64 context, seqno;
	unsigned long flags;
	struct kref refcount;
	int error;
	spinlock_t inline_lock;
};

USERMM_BEGIN_DECLS

/* A fence with one reference. lock NULL: it has its own. */
void dma_fence_init(struct dma_fence *fence, const struct dma_fence_ops *ops, spinlock_t *lock,
		    u64 context, u64 seqno)
	USERMM_API(dma_fence_init);
/* The first of num numbers for dma_fence_init(). */
u64 dma_fence_context_alloc(unsigned int num)
	USERMM_API(dma_fence_context_alloc);
/* 0; -EINVAL: it was signalled before. The locked forms are called under the fence's lock. */
int usermm_dma_fence_signal(struct dma_fence *fence, ktime_t timestamp)
	USERMM_API(dma_fence_signal);
int usermm_dma_fence_signal_locked(struct dma_fence *fence, ktime_t timestamp)
	USERMM_API(dma_fence_signal_locked);
/* 0; -ENOENT: the fence is signalled, so func is never called. */
int dma_fence_add_callback(struct dma_fence *fence, struct dma_fence_cb *cb, dma_fence_func_t func)
	USERMM_API(dma_fence_add_callback);
/* True: the callback has not run, and will not. */
bool dma_fence_remove_callback(struct dma_fence *fence, struct dma_fence_cb *cb)
	USERMM_API(dma_fence_remove_callback);
void dma_fence_enable_signaling(struct dma_fence *fence)
	USERMM_API(dma_fence_enable_signaling);
/*
 * Waits so many jiffies: what is left, at least 1; 0 when they are over; -ERESTARTSYS for a signal
 * if intr; -EINVAL for less than 0. Sleeps.
 */
signed long dma_fence_wait_timeout(struct dma_fence *fence, bool intr, signed long timeout)
	USERMM_API(dma_fence_wait_timeout);
signed long dma_fence_default_wait(struct dma_fence *fence, bool intr, signed long timeout)
	USERMM_API(dma_fence_default_wait);
/* 1: signalled; 0: not yet; the error that the owner set. */
int dma_fence_get_status(struct dma_fence *fence)
	USERMM_API(dma_fence_get_status);
void dma_fence_release(struct kref *kref)
	USERMM_API(dma_fence_release);
void dma_fence_free(struct dma_fence *fence)
	USERMM_API(dma_fence_free);

USERMM_END_DECLS

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define USERMM_FENCE_SIGNAL(call) (call)
#else
#define USERMM_FENCE_SIGNAL(call) ((void)(call))
#define dma_fence_check_and_signal(fence) (usermm_dma_fence_signal(fence, ktime_get()) != 0)
#define dma_fence_check_and_signal_locked(fence) \
	(usermm_dma_fence_signal_locked(fence, ktime_get()) != 0)
#endif
#define dma_fence_signal(fence) USERMM_FENCE_SIGNAL(usermm_dma_fence_signal(fence, ktime_get()))
#define dma_fence_signal_locked(fence) \
	USERMM_FENCE_SIGNAL(usermm_dma_fence_signal_locked(fence, ktime_get()))
#define dma_fence_signal_timestamp(fence, time) \
	USERMM_FENCE_SIGNAL(usermm_dma_fence_signal(fence, time))
#define dma_fence_signal_timestamp_locked(fence, time) \
	USERMM_FENCE_SIGNAL(usermm_dma_fence_signal_locked(fence, time))
#define dma_fence_begin_signalling() true
#define dma_fence_end_signalling(cookie) ((void)(cookie))

static inline void dma_fence_put(struct dma_fence *fence)
{
	if (fence)
		kref_put(&fence->refcount, dma_fence_release);
}

static inline struct dma_fence *dma_fence_get(struct dma_fence *fence)
{
	if (fence)
		kref_get(&fence->refcount);
	return fence;
}

/* NULL: the last reference is gone. */
static inline struct dma_fence *dma_fence_get_rcu(struct dma_fence *fence)
{
	return kref_get_unless_zero(&fence->refcount) ? fence : NULL;
}

static inline bool usermm_dma_fence_has_signalled(const struct dma_fence *fence)
{
	return test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags);
}

static inline bool dma_fence_is_signaled(struct dma_fence *fence)
{
	if (!usermm_dma_fence_has_signalled(fence) && fence->ops->signaled &&
	    fence->ops->signaled(fence))
		(void)dma_fence_signal(fence);
	return usermm_dma_fence_has_signalled(fence);
}

static inline bool dma_fence_is_signaled_locked(struct dma_fence *fence)
{
	if (!usermm_dma_fence_has_signalled(fence) && fence->ops->signaled &&
	    fence->ops->signaled(fence))
		(void)dma_fence_signal_locked(fence);
	return usermm_dma_fence_has_signalled(fence);
}

static inline void dma_fence_set_error(struct dma_fence *fence, int error)
{
	WARN_ON(usermm_dma_fence_has_signalled(fence));
	WARN_ON(error >= 0 || error < -MAX_ERRNO);
	fence->error = error;
}

static inline ktime_t dma_fence_timestamp(const struct dma_fence *fence)
{
	return fence->timestamp;
}

/* Both are of one context. */
static inline bool dma_fence_is_later(const struct dma_fence *a, const struct dma_fence *b)
{
	return !WARN_ON(a->context != b->context) &&
	       (a->ops->use_64bit_seqno ? a->seqno > b->seqno :
					  (int)((u32)a->seqno - (u32)b->seqno) > 0);
}

static inline signed long dma_fence_wait(struct dma_fence *fence, bool intr)
{
	signed long left = dma_fence_wait_timeout(fence, intr, MAX_SCHEDULE_TIMEOUT);

	return left < 0 ? left : 0;
}

#endif
