/* SPDX-License-Identifier: MIT */
/* Hooks for packets: those that modules bring to netif_rx() and the like, see netdevice.h. */
#ifndef KERNEL_LINUX_NETFILTER_H
#define KERNEL_LINUX_NETFILTER_H

#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/sockptr.h>
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

USERMM_BEGIN_DECLS

/*
 * Calls the hook for the packets that pass its place, in the order of priorities. 0; -EINVAL for a
 * place that is none; -ENOMEM. Sleeps.
 */
int nf_register_net_hook(struct net *net, const struct nf_hook_ops *operations)
	USERMM_API(nf_register_net_hook);
/* Waits until nobody is in the hook. */
void nf_unregister_net_hook(struct net *net, const struct nf_hook_ops *operations)
	USERMM_API(nf_unregister_net_hook);
/* All or none. */
int nf_register_net_hooks(struct net *net, const struct nf_hook_ops *operations, unsigned int n)
	USERMM_API(nf_register_net_hooks);

/* 1: the caller goes on with the packet; otherwise it is gone: 0 stolen, -EPERM or so dropped. */
int usermm_nf_hook(struct nf_hook_state *state, struct sk_buff *skb)
	USERMM_API(nf_hook);

USERMM_END_DECLS

static inline int nf_hook(u_int8_t pf, unsigned int hook, struct net *net, struct sock *sk,
			  struct sk_buff *skb, struct net_device *in, struct net_device *out,
			  int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb))
{
	struct nf_hook_state state = {
		.hook = (u8)hook, .pf = pf, .in = in, .out = out, .sk = sk, .net = net,
		.okfn = okfn,
	};

	return usermm_nf_hook(&state, skb);
}

static inline int NF_HOOK(u_int8_t pf, unsigned int hook, struct net *net, struct sock *sk,
			  struct sk_buff *skb, struct net_device *in, struct net_device *out,
			  int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb))
{
	int result = nf_hook(pf, hook, net, sk, skb, in, out, okfn);

	return result == 1 ? okfn(net, sk, skb) : result;
}

static inline void nf_unregister_net_hooks(struct net *net, const struct nf_hook_ops *operations,
					   unsigned int n)
{
	while (n--)
		nf_unregister_net_hook(net, operations + n);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 13, 0)
#define nf_register_hook(operations) nf_register_net_hook(&init_net, operations)
#define nf_unregister_hook(operations) nf_unregister_net_hook(&init_net, operations)
#endif

#endif
