/* SPDX-License-Identifier: MIT */
/*
 * Packets, for benchmarks of allocators; nobody sends them. The structure has the kernel's size,
 * but only the fields for the data.
 */
#ifndef KERNEL_LINUX_SKBUFF_H
#define KERNEL_LINUX_SKBUFF_H

#include <asm/hardirq.h>
#include <asm/io.h>
#include <linux/cache.h>
#include <linux/device/devres.h>
#include <linux/dma-direction.h>
#include <linux/dma-mapping.h>
#include <linux/error-injection.h>
#include <linux/kdev_t.h>
#include <linux/migrate_mode.h>
#include <linux/moduleparam.h>
#include <linux/page_ref.h>
#include <linux/percpu-rwsem.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/sched/rt.h>
#include <linux/sched/task_stack.h>
#include <linux/semaphore.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/types.h>
#include <linux/vmstat.h>
#include <linux/wait_bit.h>

struct sk_buff {
	struct sk_buff *next, *prev;
	unsigned char *head, *data;
	unsigned int len, truesize;
	unsigned int tail, end;
	refcount_t users;
	char cb[48] __attribute__((__aligned__(8)));
	unsigned char opaque[128];
};

_Static_assert(sizeof(struct sk_buff) == 232, "the kernel's size");

#define SKB_DATA_ALIGN(x) ALIGN(x, SMP_CACHE_BYTES)
#define NET_SKB_PAD 64
#define NET_IP_ALIGN 0
#define SKB_WITH_OVERHEAD(x) ((x) - SKB_DATA_ALIGN(320))
#define SKB_TRUESIZE(x) ((x) + SKB_DATA_ALIGN(sizeof(struct sk_buff)) + SKB_DATA_ALIGN(320))

static inline struct sk_buff *alloc_skb(unsigned int size, gfp_t gfp)
{
	struct sk_buff *skb = kzalloc(sizeof(*skb), gfp);

	if (!skb)
		return NULL;
	skb->head = skb->data = kmalloc(SKB_DATA_ALIGN(size), gfp);
	if (!skb->head) {
		kfree(skb);
		return NULL;
	}
	skb->end = SKB_DATA_ALIGN(size);
	skb->truesize = SKB_TRUESIZE(size);
	refcount_set(&skb->users, 1);
	return skb;
}

#define __dev_alloc_skb(size, gfp) alloc_skb((size) + NET_SKB_PAD, gfp)
#define dev_alloc_skb(size) __dev_alloc_skb(size, GFP_ATOMIC)

static inline struct sk_buff *skb_get(struct sk_buff *skb)
{
	refcount_inc(&skb->users);
	return skb;
}

static inline void kfree_skb(struct sk_buff *skb)
{
	if (!skb || !refcount_dec_and_test(&skb->users))
		return;
	kfree(skb->head);
	kfree(skb);
}

#define consume_skb(skb) kfree_skb(skb)
#define dev_kfree_skb(skb) kfree_skb(skb)
#define dev_kfree_skb_any(skb) kfree_skb(skb)

static inline unsigned int skb_tailroom(const struct sk_buff *skb)
{
	return skb->end - skb->tail;
}

static inline void skb_reserve(struct sk_buff *skb, int n)
{
	skb->data += n;
	skb->tail += (unsigned int)n;
}

static inline void *skb_put(struct sk_buff *skb, unsigned int n)
{
	void *end = skb->head + skb->tail;

	BUG_ON(n > skb_tailroom(skb));
	skb->tail += n;
	skb->len += n;
	return end;
}

#endif
