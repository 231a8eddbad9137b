/* SPDX-License-Identifier: MIT */
/* Hooks for packets, which are registered and never called, since there are no packets. */
#ifndef KERNEL_LINUX_NETFILTER_H
#define KERNEL_LINUX_NETFILTER_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/version.h>
#include <net/net_namespace.h>
#include_next <linux/netfilter.h>

struct nf_hook_state {
	u8 hook, pf;
	struct net_device *in, *out;
	struct sock *sk;
	struct net *net;
	int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb);
};

typedef unsigned int nf_hookfn(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state);

struct nf_hook_ops {
	struct list_head list;
	nf_hookfn *hook;
	struct net_device *dev;
	void *priv;
	u8 pf;
	unsigned int hooknum;
	int priority;
};

static inline int nf_register_net_hook(struct net *net, const struct nf_hook_ops *operations)
{
	(void)net;
	return operations->hook ? 0 : -EINVAL;
}

static inline void nf_unregister_net_hook(struct net *net, const struct nf_hook_ops *operations)
{
	(void)net;
	(void)operations;
}

static inline int nf_register_net_hooks(struct net *net, const struct nf_hook_ops *operations,
					unsigned int n)
{
	int error = 0;

	for (unsigned int i = 0; i < n && !error; i++)
		error = nf_register_net_hook(net, operations + i);
	return error;
}

#define nf_unregister_net_hooks(net, operations, n) \
	((void)(net), (void)(operations), (void)(n))
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 13, 0)
#define nf_register_hook(operations) nf_register_net_hook(&init_net, operations)
#define nf_unregister_hook(operations) nf_unregister_net_hook(&init_net, operations)
#endif

#endif
