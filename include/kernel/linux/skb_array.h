/* SPDX-License-Identifier: MIT */
/* A ring of packets: ptr_ring.h with a type. */
#ifndef KERNEL_LINUX_SKB_ARRAY_H
#define KERNEL_LINUX_SKB_ARRAY_H

#include <asm/delay.h>
#include <linux/bsearch.h>
#include <linux/cpu.h>
#include <linux/crc32.h>
#include <linux/hashtable.h>
#include <linux/if_vlan.h>
#include <linux/kallsyms.h>
#include <linux/memcontrol.h>
#include <linux/net.h>
#include <linux/ptr_ring.h>
#include <linux/skbuff.h>
#include <linux/stackdepot.h>
#include <linux/unaligned.h>

struct skb_array {
	struct ptr_ring ring;
};

static inline void __skb_array_destroy_skb(void *skb)
{
	kfree_skb(skb);
}

static inline int skb_array_init(struct skb_array *a, int size, gfp_t gfp)
{
	return ptr_ring_init(&a->ring, size, gfp);
}

static inline void skb_array_cleanup(struct skb_array *a)
{
	ptr_ring_cleanup(&a->ring, __skb_array_destroy_skb);
}

static inline int skb_array_resize(struct skb_array *a, int size, gfp_t gfp)
{
	return ptr_ring_resize(&a->ring, size, gfp, __skb_array_destroy_skb);
}

#define __skb_array_full(a) __ptr_ring_full(&(a)->ring)
#define skb_array_full(a) ptr_ring_full(&(a)->ring)
#define __skb_array_empty(a) __ptr_ring_empty(&(a)->ring)
#define skb_array_empty(a) ptr_ring_empty(&(a)->ring)
#define skb_array_produce(a, skb) ptr_ring_produce(&(a)->ring, skb)
#define skb_array_produce_bh(a, skb) ptr_ring_produce_bh(&(a)->ring, skb)
#define skb_array_produce_irq(a, skb) ptr_ring_produce_irq(&(a)->ring, skb)
#define skb_array_produce_any(a, skb) ptr_ring_produce_any(&(a)->ring, skb)
#define skb_array_consume(a) ((struct sk_buff *)ptr_ring_consume(&(a)->ring))
#define skb_array_consume_bh(a) ((struct sk_buff *)ptr_ring_consume_bh(&(a)->ring))
#define skb_array_consume_irq(a) ((struct sk_buff *)ptr_ring_consume_irq(&(a)->ring))
#define skb_array_consume_any(a) ((struct sk_buff *)ptr_ring_consume_any(&(a)->ring))
#define __skb_array_consume(a) ((struct sk_buff *)__ptr_ring_consume(&(a)->ring))
#define __skb_array_peek(a) ((struct sk_buff *)__ptr_ring_peek(&(a)->ring))
#define skb_array_consume_batched(a, array, n) \
	ptr_ring_consume_batched(&(a)->ring, (void **)(array), n)

#endif
