/* SPDX-License-Identifier: MIT */
/* Netlink: no program can be at the other end, so what is sent arrives nowhere. */
#ifndef KERNEL_LINUX_NETLINK_H
#define KERNEL_LINUX_NETLINK_H

#include <linux/compat.h>
#include <linux/err.h>
#include <linux/nsproxy.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/sock.h>
#include_next <linux/netlink.h>

struct netlink_kernel_cfg {
	unsigned int groups, flags;
	void (*input)(struct sk_buff *skb);
	struct mutex *cb_mutex;
	int (*bind)(struct net *net, int group);
	void (*unbind)(struct net *net, int group);
};

#define NL_CFG_F_NONROOT_RECV (1 << 0)
#define NL_CFG_F_NONROOT_SEND (1 << 1)

struct netlink_skb_parms {
	__u32 portid, dst_group, flags;
	struct sock *sk;
};
#define NETLINK_CB(skb) (*(struct netlink_skb_parms *)&(skb)->cb)

struct netlink_ext_ack {
	const char *_msg;
};
struct netlink_callback {
	struct sk_buff *skb;
	const struct nlmsghdr *nlh;
	int (*dump)(struct sk_buff *skb, struct netlink_callback *callback);
	int (*done)(struct netlink_callback *callback);
	void *data;
	struct module *module;
	struct netlink_ext_ack *extack;
	unsigned int prev_seq, seq;
	union {
		u8 ctx[48];
		long args[6];
	};
};
#define NL_SET_ERR_MSG(ack, text) ((void)((ack) ? (ack)->_msg = (text) : NULL))

static inline struct sock *netlink_kernel_create(struct net *net, int unit,
						 struct netlink_kernel_cfg *config)
{
	struct sock *sk = unit >= 0 && unit < 32 ? kzalloc(sizeof(*sk), GFP_KERNEL) : NULL;

	(void)net;
	(void)config;
	if (sk)
		skb_queue_head_init(&sk->sk_receive_queue);
	return sk;
}

static inline void netlink_kernel_release(struct sock *sk)
{
	kfree(sk);
}

/* The packet is freed: -ECONNREFUSED, since no program has the port. */
static inline int netlink_unicast(struct sock *sk, struct sk_buff *skb, __u32 portid, int flags)
{
	(void)sk;
	(void)portid;
	(void)flags;
	kfree_skb(skb);
	return -ECONNREFUSED;
}

/* The packet is freed: -ESRCH, since no program listens. */
static inline int netlink_broadcast(struct sock *sk, struct sk_buff *skb, __u32 portid,
				    __u32 group, gfp_t gfp)
{
	(void)sk;
	(void)portid;
	(void)group;
	(void)gfp;
	kfree_skb(skb);
	return -ESRCH;
}

static inline struct nlmsghdr *nlmsg_hdr(const struct sk_buff *skb)
{
	return (struct nlmsghdr *)skb->data;
}

#define netlink_has_listeners(sk, group) ((void)(sk), (void)(group), 0)
#define netlink_ack(skb, header, error, ack) ((void)(skb), (void)(header), (void)(error))
/*
 * Calls `function` for each request of the packet. What it returns, and that a request wants an
 * answer, leads to one; -EINTR does not. 0.
 */
static inline int netlink_rcv_skb(struct sk_buff *skb,
				  int (*function)(struct sk_buff *skb, struct nlmsghdr *header,
						  struct netlink_ext_ack *ack))
{
	while (skb->len >= NLMSG_HDRLEN) {
		struct nlmsghdr *header = (struct nlmsghdr *)skb->data;
		struct netlink_ext_ack ack = { 0 };
		int error = 0;

		if (header->nlmsg_len < NLMSG_HDRLEN || skb->len < header->nlmsg_len)
			return 0;
		if (header->nlmsg_flags & NLM_F_REQUEST && header->nlmsg_type >= NLMSG_MIN_TYPE)
			error = function(skb, header, &ack);
		if (error != -EINTR && (error || header->nlmsg_flags & NLM_F_ACK))
			netlink_ack(skb, header, error, &ack);
		skb_pull(skb, min_t(unsigned int, NLMSG_ALIGN(header->nlmsg_len), skb->len));
	}
	return 0;
}

#define netlink_capable(skb, capability) capable(capability)

/* The kernel's header brings these by way of others. */
#include <net/netlink.h>

#endif
