// SPDX-License-Identifier: MIT
/* Events that happen once: see linux/dma-fence.h; cf. Linux drivers/dma-buf/dma-fence.c. */
#include <linux/completion.h>
#include <linux/dma-fence.h>
#include <linux/slab.h>

static atomic64_t next_context = ATOMIC64_INIT(1);

u64 dma_fence_context_alloc(unsigned int num)
{
	return (u64)atomic64_fetch_add(num, &next_context);
}

void dma_fence_init(struct dma_fence *fence, const struct dma_fence_ops *ops, spinlock_t *lock,
		    u64 context, u64 seqno)
{
	*fence = (struct dma_fence){
		.lock = lock ? lock : &fence->inline_lock, .ops = ops, .context = context,
		.seqno = seqno,
	};
	spin_lock_init(&fence->inline_lock);
	INIT_LIST_HEAD(&fence->cb_list);
	kref_init(&fence->refcount);
}

void dma_fence_free(struct dma_fence *fence)
{
	kfree_rcu(fence, rcu);
}

void dma_fence_release(struct kref *kref)
{
	struct dma_fence *fence = container_of(kref, struct dma_fence, refcount);
	unsigned long flags;

	/* Who waits would wait for ever. */
	if (WARN(!list_empty(&fence->cb_list) && !usermm_dma_fence_has_signalled(fence),
		 "Fence %s:%s:%llx:%llx released with pending signals!\n",
		 fence->ops->get_driver_name(fence), fence->ops->get_timeline_name(fence),
		 fence->context, fence->seqno)) {
		spin_lock_irqsave(fence->lock, flags);
		fence->error = -EDEADLK;
		(void)dma_fence_signal_locked(fence);
		spin_unlock_irqrestore(fence->lock, flags);
	}
	if (fence->ops->release)
		fence->ops->release(fence);
	else
		dma_fence_free(fence);
}

int usermm_dma_fence_signal_locked(struct dma_fence *fence, ktime_t timestamp)
{
	struct dma_fence_cb *cb, *next;
	LIST_HEAD(callbacks);

	if (test_and_set_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags))
		return -EINVAL;
	list_replace_init(&fence->cb_list, &callbacks);
	fence->timestamp = timestamp;
	set_bit(DMA_FENCE_FLAG_TIMESTAMP_BIT, &fence->flags);
	list_for_each_entry_safe(cb, next, &callbacks, node) {
		INIT_LIST_HEAD(&cb->node);
		cb->func(fence, cb);
	}
	return 0;
}

int usermm_dma_fence_signal(struct dma_fence *fence, ktime_t timestamp)
{
	unsigned long flags;
	int error;

	spin_lock_irqsave(fence->lock, flags);
	error = usermm_dma_fence_signal_locked(fence, timestamp);
	spin_unlock_irqrestore(fence->lock, flags);
	return error;
}

/* Under the fence's lock: is there a signal to come? */
static bool will_signal(struct dma_fence *fence)
{
	bool was_enabled = test_and_set_bit(DMA_FENCE_FLAG_ENABLE_SIGNAL_BIT, &fence->flags);

	if (usermm_dma_fence_has_signalled(fence))
		return false;
	if (was_enabled || !fence->ops->enable_signaling || fence->ops->enable_signaling(fence))
		return true;
	(void)dma_fence_signal_locked(fence);
	return false;
}

void dma_fence_enable_signaling(struct dma_fence *fence)
{
	unsigned long flags;

	spin_lock_irqsave(fence->lock, flags);
	(void)will_signal(fence);
	spin_unlock_irqrestore(fence->lock, flags);
}

int dma_fence_add_callback(struct dma_fence *fence, struct dma_fence_cb *cb, dma_fence_func_t func)
{
	unsigned long flags;
	int error = 0;

	if (WARN_ON(!fence || !func))
		return -EINVAL;
	INIT_LIST_HEAD(&cb->node);
	spin_lock_irqsave(fence->lock, flags);
	if (will_signal(fence)) {
		cb->func = func;
		list_add_tail(&cb->node, &fence->cb_list);
	} else {
		error = -ENOENT;
	}
	spin_unlock_irqrestore(fence->lock, flags);
	return error;
}

bool dma_fence_remove_callback(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	unsigned long flags;
	bool is_waiting;

	spin_lock_irqsave(fence->lock, flags);
	is_waiting = !list_empty(&cb->node);
	if (is_waiting)
		list_del_init(&cb->node);
	spin_unlock_irqrestore(fence->lock, flags);
	return is_waiting;
}

int dma_fence_get_status(struct dma_fence *fence)
{
	if (!dma_fence_is_signaled(fence))
		return 0;
	return fence->error ? fence->error : 1;
}

struct waiter {
	struct dma_fence_cb callback;
	struct completion completion;
};

static void wake(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	(void)fence;
	complete(&container_of(cb, struct waiter, callback)->completion);
}

signed long dma_fence_default_wait(struct dma_fence *fence, bool intr, signed long timeout)
{
	struct waiter waiter;
	long left;

	if (!timeout)
		return dma_fence_is_signaled(fence);
	init_completion(&waiter.completion);
	if (dma_fence_add_callback(fence, &waiter.callback, wake))
		return timeout;
	if (intr)
		left = wait_for_completion_interruptible_timeout(&waiter.completion,
								 (unsigned long)timeout);
	else
		left = (long)wait_for_completion_timeout(&waiter.completion,
							 (unsigned long)timeout);
	/* Also waits for a callback that runs: it is under the lock. */
	(void)dma_fence_remove_callback(fence, &waiter.callback);
	return left;
}

signed long dma_fence_wait_timeout(struct dma_fence *fence, bool intr, signed long timeout)
{
	might_sleep();
	if (WARN_ON(timeout < 0))
		return -EINVAL;
	if (fence->ops->wait)
		return fence->ops->wait(fence, intr, timeout);
	return dma_fence_default_wait(fence, intr, timeout);
}
