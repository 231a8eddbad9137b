/* SPDX-License-Identifier: MIT */
/* Where packets go: what a route leads to. It lives as long as somebody holds it. */
#ifndef _NET_DST_H
#define _NET_DST_H

#include <linux/netdevice.h>
#include <linux/refcount.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <net/neighbour.h>

struct dst_ops;

struct dst_entry {
	struct net_device *dev;
	struct dst_ops *ops;
	unsigned long expires;
	unsigned short flags;
	short obsolete, error;
	unsigned short header_len, trailer_len;
	refcount_t __rcuref;
};

#define SKB_DST_NOREF 1UL

USERMM_BEGIN_DECLS

/* Drops a reference; NULL is allowed. In any context. */
void dst_release(struct dst_entry *dst)
	USERMM_API(dst_release);

USERMM_END_DECLS

#define dst_hold(dst) refcount_inc(&(dst)->__rcuref)
#define dst_mtu(dst) READ_ONCE((dst)->dev->mtu)
/* No neighbour is known. */
#define dst_neigh_lookup(dst, address) ((void)(dst), (void)(address), (struct neighbour *)NULL)

static inline struct dst_entry *dst_clone(struct dst_entry *dst)
{
	if (dst)
		dst_hold(dst);
	return dst;
}

/* The packet's, which may be NULL; the packet holds it unless SKB_DST_NOREF is set. */
static inline struct dst_entry *skb_dst(const struct sk_buff *skb)
{
	return (struct dst_entry *)(skb->_skb_refdst & ~SKB_DST_NOREF);
}

/* The packet takes over the caller's reference. */
static inline void skb_dst_set(struct sk_buff *skb, struct dst_entry *dst)
{
	skb->_skb_refdst = (unsigned long)dst;
}

static inline void skb_dst_set_noref(struct sk_buff *skb, struct dst_entry *dst)
{
	skb->_skb_refdst = (unsigned long)dst | SKB_DST_NOREF;
}

static inline void skb_dst_drop(struct sk_buff *skb)
{
	if (!(skb->_skb_refdst & SKB_DST_NOREF))
		dst_release(skb_dst(skb));
	skb->_skb_refdst = 0;
}

#endif
