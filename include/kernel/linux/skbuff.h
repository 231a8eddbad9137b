/* SPDX-License-Identifier: MIT */
/*
 * Packets, which modules make and receive: see linux/netdevice.h. The structure has the kernel's
 * size. All data of a packet lie in one piece.
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
#include <net/checksum.h>

struct sk_buff {
	struct sk_buff *next, *prev;
	unsigned char *head, *data;
	unsigned int len, truesize;
	unsigned int tail, end;
	refcount_t users;
	char cb[48] __attribute__((__aligned__(8)));
	struct net_device *dev;
	struct sock *sk;
	unsigned long _skb_refdst;
	unsigned int data_len;		/* 0 */
	__u32 mark, priority;
	int skb_iif;
	__be16 protocol;
	__u16 mac_header, network_header, transport_header;	/* from head on */
	__u16 mac_len, vlan_tci;
	__u8 pkt_type, ip_summed;
	__u8 cloned, nohdr;
	__u32 hash;
	union {
		__wsum csum;
		struct {	/* with CHECKSUM_PARTIAL: what is to be summed, from head on */
			__u16 csum_start, csum_offset;
		};
	};
	ktime_t tstamp;
	unsigned char opaque[52];
};

_Static_assert(sizeof(struct sk_buff) == 232, "the kernel's size");

struct net_device;
struct sock;

#define CHECKSUM_NONE 0
#define CHECKSUM_UNNECESSARY 1
#define CHECKSUM_COMPLETE 2
#define CHECKSUM_PARTIAL 3
#define SKB_DATA_ALIGN(x) ALIGN(x, SMP_CACHE_BYTES)
#define NET_SKB_PAD 64
#define NET_IP_ALIGN 0
#define MAX_SKB_FRAGS 17

typedef struct skb_frag {
	unsigned long netmem;
	unsigned int len, offset;
} skb_frag_t;

/* Behind a packet's data. There are no pieces: nr_frags is 0. */
struct skb_shared_info {
	__u8 flags, meta_len, nr_frags, tx_flags;
	unsigned short gso_size, gso_segs;
	ktime_t hwtstamps;
	unsigned int gso_type;
	u32 tskey;
	atomic_t dataref;
	unsigned int xdp_frags_size;
	struct sk_buff *frag_list;
	void *destructor_arg;
	skb_frag_t frags[MAX_SKB_FRAGS];
};

_Static_assert(sizeof(struct skb_shared_info) == 320, "the kernel's size");

#define SKB_WITH_OVERHEAD(x) ((x) - SKB_DATA_ALIGN(320))
#define SKB_TRUESIZE(x) ((x) + SKB_DATA_ALIGN(sizeof(struct sk_buff)) + SKB_DATA_ALIGN(320))

USERMM_BEGIN_DECLS

/* A packet with room for size bytes, or NULL. In any context, as gfp allows. */
struct sk_buff *usermm_alloc_skb(unsigned int size, gfp_t gfp)
	USERMM_API(alloc_skb);
/* Drops a reference; the last one frees the packet. NULL is allowed. */
void kfree_skb(struct sk_buff *skb)
	USERMM_API(kfree_skb);
/* A packet with the same data, and room of its own: this much in front, and behind. Or NULL. */
struct sk_buff *skb_copy_expand(const struct sk_buff *skb, int headroom, int tailroom, gfp_t gfp)
	USERMM_API(skb_copy_expand);
/* More room, in front and behind. Pointers into the data are void then. 0, -ENOMEM. */
int pskb_expand_head(struct sk_buff *skb, int headroom, int tailroom, gfp_t gfp)
	USERMM_API(pskb_expand_head);
/* Writes the sum that CHECKSUM_PARTIAL leaves to the device: 0, -EINVAL outside of the data. */
int skb_checksum_help(struct sk_buff *skb)
	USERMM_API(skb_checksum_help);

USERMM_END_DECLS

#define alloc_skb(size, gfp) usermm_alloc_skb(size, gfp)

#define __dev_alloc_skb(size, gfp) alloc_skb((size) + NET_SKB_PAD, gfp)
#define dev_alloc_skb(size) __dev_alloc_skb(size, GFP_ATOMIC)

static inline struct sk_buff *skb_get(struct sk_buff *skb)
{
	refcount_inc(&skb->users);
	return skb;
}

#define consume_skb(skb) kfree_skb(skb)
#define dev_kfree_skb(skb) kfree_skb(skb)
#define dev_kfree_skb_any(skb) kfree_skb(skb)

static inline unsigned int skb_tailroom(const struct sk_buff *skb)
{
	return skb->end - skb->tail;
}

static inline unsigned int skb_headroom(const struct sk_buff *skb)
{
	return (unsigned int)(skb->data - skb->head);
}

static inline unsigned int skb_headlen(const struct sk_buff *skb)
{
	return skb->len - skb->data_len;
}

#define skb_is_nonlinear(skb) ((skb)->data_len != 0)
/* No clock of a device is asked for. */
#define skb_tx_timestamp(skb) ((void)(skb))
#define skb_linearize(skb) ((void)(skb), 0)
#define skb_ensure_writable(skb, n) ((n) <= (skb)->len ? 0 : -ENOMEM)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 4, 0)
#define skb_make_writable(skb, n) ((n) <= (skb)->len)
#else
USERMM_REMOVED(skb_make_writable, "5.4", "skb_ensure_writable()")
#endif

static inline void skb_reserve(struct sk_buff *skb, int n)
{
	skb->data += n;
	skb->tail += (unsigned int)n;
}

static inline unsigned char *skb_tail_pointer(const struct sk_buff *skb)
{
	return skb->head + skb->tail;
}

static inline unsigned char *skb_end_pointer(const struct sk_buff *skb)
{
	return skb->head + skb->end;
}

static inline void *skb_put(struct sk_buff *skb, unsigned int n)
{
	void *end = skb_tail_pointer(skb);

	BUG_ON(n > skb_tailroom(skb));
	skb->tail += n;
	skb->len += n;
	return end;
}

static inline void *skb_put_zero(struct sk_buff *skb, unsigned int n)
{
	return memset(skb_put(skb, n), 0, n);
}

static inline void *skb_put_data(struct sk_buff *skb, const void *data, unsigned int n)
{
	return memcpy(skb_put(skb, n), data, n);
}

static inline void skb_put_u8(struct sk_buff *skb, u8 value)
{
	*(u8 *)skb_put(skb, 1) = value;
}

static inline void *skb_push(struct sk_buff *skb, unsigned int n)
{
	BUG_ON(n > skb_headroom(skb));
	skb->len += n;
	return skb->data -= n;
}

static inline void *skb_pull(struct sk_buff *skb, unsigned int n)
{
	if (n > skb->len)
		return NULL;
	skb->len -= n;
	return skb->data += n;
}

static inline void skb_trim(struct sk_buff *skb, unsigned int n)
{
	if (skb->len <= n)
		return;
	skb->len = n;
	skb->tail = skb_headroom(skb) + n;
}

#define __skb_put(skb, n) skb_put(skb, n)
#define __skb_push(skb, n) skb_push(skb, n)
#define __skb_pull(skb, n) skb_pull(skb, n)
#define __skb_trim(skb, n) skb_trim(skb, n)
#define pskb_pull(skb, n) skb_pull(skb, n)

/* 0; the room in front was grown if there was less: -ENOMEM. */
static inline int skb_cow(struct sk_buff *skb, unsigned int headroom)
{
	unsigned int have = skb_headroom(skb);

	return have >= headroom ? 0 : pskb_expand_head(skb, (int)(headroom - have), 0, GFP_ATOMIC);
}

#define skb_cow_head(skb, headroom) skb_cow(skb, headroom)

static inline int pskb_trim(struct sk_buff *skb, unsigned int n)
{
	skb_trim(skb, n);
	return 0;
}

static inline bool pskb_may_pull(struct sk_buff *skb, unsigned int n)
{
	return n <= skb->len;
}

static inline void *skb_header_pointer(const struct sk_buff *skb, int offset, int n, void *buffer)
{
	(void)buffer;
	return offset + n <= (int)skb->len ? skb->data + offset : NULL;
}

static inline int skb_copy_bits(const struct sk_buff *skb, int offset, void *to, int n)
{
	if (offset > (int)skb->len - n)
		return -EFAULT;
	memcpy(to, skb->data + offset, (size_t)n);
	return 0;
}

/* Writes into the data: 0, -EFAULT outside of it. */
static inline int skb_store_bits(struct sk_buff *skb, int offset, const void *from, int n)
{
	if (offset > (int)skb->len - n)
		return -EFAULT;
	memcpy(skb->data + offset, from, (size_t)n);
	return 0;
}

#define skb_copy_from_linear_data(skb, to, n) ((void)memcpy(to, (skb)->data, n))
#define skb_copy_from_linear_data_offset(skb, offset, to, n) \
	((void)memcpy(to, (skb)->data + (offset), n))
#define skb_copy_to_linear_data(skb, from, n) ((void)memcpy((skb)->data, from, n))
#define skb_copy_to_linear_data_offset(skb, offset, from, n) \
	((void)memcpy((skb)->data + (offset), from, n))
#define skb_checksum(skb, offset, n, sum) csum_partial((skb)->data + (offset), n, sum)

#define USERMM_SKB_HEADER(kind)							\
	static inline unsigned char *skb_##kind##_header(const struct sk_buff *skb) \
	{									\
		return skb->head + skb->kind##_header;				\
	}									\
	static inline void skb_reset_##kind##_header(struct sk_buff *skb)	\
	{									\
		skb->kind##_header = (__u16)skb_headroom(skb);			\
	}									\
	static inline void skb_set_##kind##_header(struct sk_buff *skb, int offset) \
	{									\
		skb->kind##_header = (__u16)((int)skb_headroom(skb) + offset);	\
	}									\
	static inline int skb_##kind##_offset(const struct sk_buff *skb)	\
	{									\
		return (int)(skb_##kind##_header(skb) - skb->data);		\
	}
USERMM_SKB_HEADER(mac)
USERMM_SKB_HEADER(network)
USERMM_SKB_HEADER(transport)

static inline unsigned int skb_network_header_len(const struct sk_buff *skb)
{
	return (unsigned int)(skb->transport_header - skb->network_header);
}

/* Headers, of structures that <linux/ip.h> and so on define. */
#define USERMM_SKB_STRUCTURE(kind, structure, layer)				\
	struct structure;							\
	static inline struct structure *kind##_hdr(const struct sk_buff *skb)	\
	{									\
		return (struct structure *)skb_##layer##_header(skb);		\
	}
USERMM_SKB_STRUCTURE(eth, ethhdr, mac)
USERMM_SKB_STRUCTURE(ip, iphdr, network)
USERMM_SKB_STRUCTURE(ipv6, ipv6hdr, network)
USERMM_SKB_STRUCTURE(tcp, tcphdr, transport)
USERMM_SKB_STRUCTURE(udp, udphdr, transport)
USERMM_SKB_STRUCTURE(icmp, icmphdr, transport)

#define skb_shinfo(skb) ((struct skb_shared_info *)skb_end_pointer(skb))
#define skb_is_gso(skb) (skb_shinfo(skb)->gso_size != 0)
#define skb_mac_header_was_set(skb) ((skb)->mac_header != (__u16)~0U)
#define skb_transport_header_was_set(skb) ((skb)->transport_header != (__u16)~0U)
#define skb_reset_mac_len(skb) \
	((void)((skb)->mac_len = (__u16)((skb)->network_header - (skb)->mac_header)))
#define skb_reset_tail_pointer(skb) ((void)((skb)->tail = skb_headroom(skb)))
#define skb_set_tail_pointer(skb, offset) \
	((void)((skb)->tail = skb_headroom(skb) + (unsigned int)(offset)))

/* A copy has data of its own, a clone here as well. */
static inline struct sk_buff *skb_copy(const struct sk_buff *skb, gfp_t gfp)
{
	return skb_copy_expand(skb, (int)skb_headroom(skb), (int)skb_tailroom(skb), gfp);
}

static inline struct sk_buff *skb_realloc_headroom(struct sk_buff *skb, unsigned int headroom)
{
	return skb_copy_expand(skb, (int)headroom, (int)skb_tailroom(skb), GFP_ATOMIC);
}

#define skb_clone(skb, gfp) skb_copy(skb, gfp)
#define pskb_copy(skb, gfp) skb_copy(skb, gfp)
#define skb_shared(skb) (refcount_read(&(skb)->users) != 1)
#define skb_cloned(skb) ((void)(skb), 0)

/* The packet, or a copy instead if others have it, too. NULL: it is gone for the caller. */
static inline struct sk_buff *skb_share_check(struct sk_buff *skb, gfp_t gfp)
{
	struct sk_buff *copy;

	if (!skb_shared(skb))
		return skb;
	copy = skb_clone(skb, gfp);
	kfree_skb(skb);
	return copy;
}

#define skb_unshare(skb, gfp) skb_share_check(skb, gfp)
#define netdev_alloc_skb(device, size) ((void)(device), dev_alloc_skb(size))
#define netdev_alloc_skb_ip_align(device, size) netdev_alloc_skb(device, size)
#define dev_kfree_skb_irq(skb) kfree_skb(skb)
#define dev_consume_skb_any(skb) kfree_skb(skb)
#define kfree_skb_reason(skb, reason) ((void)(reason), kfree_skb(skb))

static inline void kfree_skb_list(struct sk_buff *skb)
{
	while (skb) {
		struct sk_buff *next = skb->next;

		kfree_skb(skb);
		skb = next;
	}
}

/* No connections are tracked, so there is nothing to forget. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 4, 0)
#define nf_reset(skb) ((void)(skb))
#else
#define nf_reset_ct(skb) ((void)(skb))
#endif

struct sk_buff_head {
	struct sk_buff *next, *prev;
	__u32 qlen;
	spinlock_t lock;
};

static inline void skb_queue_head_init(struct sk_buff_head *list)
{
	spin_lock_init(&list->lock);
	list->next = list->prev = (struct sk_buff *)list;
	list->qlen = 0;
}

#define skb_queue_len(list) ((list)->qlen)
#define skb_queue_empty(list) ((list)->next == (const struct sk_buff *)(list))

static inline struct sk_buff *skb_peek(const struct sk_buff_head *list)
{
	return skb_queue_empty(list) ? NULL : list->next;
}

static inline void usermm_skb_insert(struct sk_buff *skb, struct sk_buff *prev,
				     struct sk_buff *next, struct sk_buff_head *list)
{
	/* Either may be the list itself, which begins as a packet does. */
	OPTIMIZER_HIDE_VAR(prev);
	OPTIMIZER_HIDE_VAR(next);
	skb->next = next;
	skb->prev = prev;
	next->prev = prev->next = skb;
	list->qlen++;
}

static inline void __skb_unlink(struct sk_buff *skb, struct sk_buff_head *list)
{
	list->qlen--;
	skb->next->prev = skb->prev;
	skb->prev->next = skb->next;
	skb->next = skb->prev = NULL;
}

#define __skb_queue_tail(list, skb) \
	usermm_skb_insert(skb, (list)->prev, (struct sk_buff *)(list), list)
#define __skb_queue_head(list, skb) \
	usermm_skb_insert(skb, (struct sk_buff *)(list), (list)->next, list)

static inline void skb_queue_tail(struct sk_buff_head *list, struct sk_buff *skb)
{
	unsigned long flags;

	spin_lock_irqsave(&list->lock, flags);
	__skb_queue_tail(list, skb);
	spin_unlock_irqrestore(&list->lock, flags);
}

static inline void skb_queue_head(struct sk_buff_head *list, struct sk_buff *skb)
{
	unsigned long flags;

	spin_lock_irqsave(&list->lock, flags);
	__skb_queue_head(list, skb);
	spin_unlock_irqrestore(&list->lock, flags);
}

static inline struct sk_buff *__skb_dequeue(struct sk_buff_head *list)
{
	struct sk_buff *skb = skb_peek(list);

	if (skb)
		__skb_unlink(skb, list);
	return skb;
}

static inline struct sk_buff *skb_dequeue(struct sk_buff_head *list)
{
	unsigned long flags;
	struct sk_buff *skb;

	spin_lock_irqsave(&list->lock, flags);
	skb = __skb_dequeue(list);
	spin_unlock_irqrestore(&list->lock, flags);
	return skb;
}

static inline void skb_queue_purge(struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(list)))
		kfree_skb(skb);
}

/* Zeros behind the data, which do not count, up to n bytes: 0; -ENOMEM, and the packet is gone. */
static inline int skb_padto(struct sk_buff *skb, unsigned int n)
{
	if (skb->len >= n)
		return 0;
	if (skb_tailroom(skb) < n - skb->len) {
		kfree_skb(skb);
		return -ENOMEM;
	}
	memset(skb_tail_pointer(skb), 0, n - skb->len);
	return 0;
}

#define skb_orphan(skb) ((void)((skb)->sk = NULL))
#define skb_queue_walk(queue, skb) \
	for (skb = (queue)->next; skb != (struct sk_buff *)(queue); skb = skb->next)

#endif
