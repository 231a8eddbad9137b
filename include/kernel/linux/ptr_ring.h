/* SPDX-License-Identifier: MIT */
/*
 * A ring of pointers with a lock at each end. An empty slot is NULL, so producer and consumer share
 * only the slots. Semantics: Linux 6.12 include/linux/ptr_ring.h.
 */
#ifndef _LINUX_PTR_RING_H
#define _LINUX_PTR_RING_H

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/huge_mm.h>
#include <linux/kdev_t.h>
#include <linux/migrate_mode.h>
#include <linux/page_ref.h>
#include <linux/percpu-rwsem.h>
#include <linux/sched/mm.h>
#include <linux/sched/rt.h>
#include <linux/semaphore.h>
#include <linux/shrinker.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stacktrace.h>
#include <linux/vmstat.h>
#include <linux/wait_bit.h>

struct ptr_ring {
	int producer __attribute__((aligned(64)));
	spinlock_t producer_lock;
	int consumer_head __attribute__((aligned(64)));
	spinlock_t consumer_lock;
	int size __attribute__((aligned(64)));
	void **queue;
};

static inline int ptr_ring_init(struct ptr_ring *ring, int size, gfp_t gfp)
{
	ring->queue = kvmalloc_array((size_t)size, sizeof(void *), gfp | __GFP_ZERO);
	if (!ring->queue)
		return -ENOMEM;
	ring->size = size;
	ring->producer = ring->consumer_head = 0;
	spin_lock_init(&ring->producer_lock);
	spin_lock_init(&ring->consumer_lock);
	return 0;
}

static inline bool __ptr_ring_full(struct ptr_ring *ring)
{
	return READ_ONCE(ring->queue[ring->producer]);
}

static inline bool __ptr_ring_empty(struct ptr_ring *ring)
{
	return !ring->size || !READ_ONCE(ring->queue[READ_ONCE(ring->consumer_head)]);
}

#define ptr_ring_full(ring) __ptr_ring_full(ring)
#define ptr_ring_full_irq(ring) __ptr_ring_full(ring)
#define ptr_ring_full_bh(ring) __ptr_ring_full(ring)
#define ptr_ring_full_any(ring) __ptr_ring_full(ring)
#define ptr_ring_empty(ring) __ptr_ring_empty(ring)
#define ptr_ring_empty_irq(ring) __ptr_ring_empty(ring)
#define ptr_ring_empty_bh(ring) __ptr_ring_empty(ring)
#define ptr_ring_empty_any(ring) __ptr_ring_empty(ring)

/* A consumer that sees the pointer also sees the data behind it. */
static inline int __ptr_ring_produce(struct ptr_ring *ring, void *ptr)
{
	if (!ring->size || __ptr_ring_full(ring))
		return -ENOSPC;
	__atomic_store_n(&ring->queue[ring->producer], ptr, __ATOMIC_RELEASE);
	if (++ring->producer >= ring->size)
		ring->producer = 0;
	return 0;
}

static inline void *__ptr_ring_peek(struct ptr_ring *ring)
{
	if (!ring->size)
		return NULL;
	return __atomic_load_n(&ring->queue[ring->consumer_head], __ATOMIC_ACQUIRE);
}

static inline void *__ptr_ring_consume(struct ptr_ring *ring)
{
	void *ptr = __ptr_ring_peek(ring);

	if (!ptr)
		return NULL;
	__atomic_store_n(&ring->queue[ring->consumer_head], NULL, __ATOMIC_RELEASE);
	WRITE_ONCE(ring->consumer_head,
		   ring->consumer_head + 1 >= ring->size ? 0 : ring->consumer_head + 1);
	return ptr;
}

static inline int __ptr_ring_consume_batched(struct ptr_ring *ring, void **array, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		array[i] = __ptr_ring_consume(ring);
		if (!array[i])
			break;
	}
	return i;
}

/* Defines ptr_ring_produce##end() and so on, which take the lock of their end by lock(). */
#define USERMM_PTR_RING_LOCKED(end, lock, unlock)			\
	static inline int ptr_ring_produce##end(struct ptr_ring *ring, void *ptr) \
	{								\
		unsigned long flags __maybe_unused;			\
		int error;						\
									\
		lock(&ring->producer_lock);				\
		error = __ptr_ring_produce(ring, ptr);			\
		unlock(&ring->producer_lock);				\
		return error;						\
	}								\
									\
	static inline void *ptr_ring_consume##end(struct ptr_ring *ring) \
	{								\
		unsigned long flags __maybe_unused;			\
		void *ptr;						\
									\
		lock(&ring->consumer_lock);				\
		ptr = __ptr_ring_consume(ring);				\
		unlock(&ring->consumer_lock);				\
		return ptr;						\
	}								\
									\
	static inline int ptr_ring_consume_batched##end(struct ptr_ring *ring, \
							void **array, int n) \
	{								\
		unsigned long flags __maybe_unused;			\
		int got;						\
									\
		lock(&ring->consumer_lock);				\
		got = __ptr_ring_consume_batched(ring, array, n);	\
		unlock(&ring->consumer_lock);				\
		return got;						\
	}

#define USERMM_PTR_RING_SAVE(lock) spin_lock_irqsave(lock, flags)
#define USERMM_PTR_RING_RESTORE(lock) spin_unlock_irqrestore(lock, flags)

USERMM_PTR_RING_LOCKED(, spin_lock, spin_unlock)
USERMM_PTR_RING_LOCKED(_bh, spin_lock_bh, spin_unlock_bh)
USERMM_PTR_RING_LOCKED(_irq, spin_lock_irq, spin_unlock_irq)
USERMM_PTR_RING_LOCKED(_any, USERMM_PTR_RING_SAVE, USERMM_PTR_RING_RESTORE)

/* Puts entries back at the front, in their order. Entries without room are destroyed. */
static inline void ptr_ring_unconsume(struct ptr_ring *ring, void **batch, int n,
				      void (*destroy)(void *))
{
	unsigned long flags;

	spin_lock_irqsave(&ring->consumer_lock, flags);
	spin_lock(&ring->producer_lock);
	while (n) {
		int before = ring->consumer_head ? ring->consumer_head - 1 : ring->size - 1;

		if (!ring->size || ring->queue[before])
			break;
		ring->queue[before] = batch[--n];
		WRITE_ONCE(ring->consumer_head, before);
	}
	while (n)
		destroy(batch[--n]);
	spin_unlock(&ring->producer_lock);
	spin_unlock_irqrestore(&ring->consumer_lock, flags);
}

/* Keeps as many entries as fit, and destroys the others. */
static inline int ptr_ring_resize(struct ptr_ring *ring, int size, gfp_t gfp,
				  void (*destroy)(void *))
{
	void **queue = kvmalloc_array((size_t)size, sizeof(void *), gfp | __GFP_ZERO), **old, *ptr;
	unsigned long flags;
	int n = 0;

	if (!queue)
		return -ENOMEM;
	spin_lock_irqsave(&ring->consumer_lock, flags);
	spin_lock(&ring->producer_lock);
	while ((ptr = __ptr_ring_consume(ring))) {
		if (n < size)
			queue[n++] = ptr;
		else if (destroy)
			destroy(ptr);
	}
	old = ring->queue;
	ring->queue = queue;
	ring->size = size;
	ring->producer = n >= size ? 0 : n;
	ring->consumer_head = 0;
	spin_unlock(&ring->producer_lock);
	spin_unlock_irqrestore(&ring->consumer_lock, flags);
	kvfree(old);
	return 0;
}

static inline void ptr_ring_cleanup(struct ptr_ring *ring, void (*destroy)(void *))
{
	void *ptr;

	while (destroy && (ptr = ptr_ring_consume(ring)))
		destroy(ptr);
	kvfree(ring->queue);
}

#endif
