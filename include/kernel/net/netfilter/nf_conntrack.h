/* SPDX-License-Identifier: MIT */
/* Connections are not tracked: no packet has one. */
#ifndef _NF_CONNTRACK_H
#define _NF_CONNTRACK_H

#include <linux/bitops.h>
#include <linux/bsearch.h>
#include <linux/compat.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/route.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/sockptr.h>
#include <linux/static_call.h>
#include <net/netfilter/nf_conntrack_tuple.h>

struct nf_ct_ext;

struct nf_conn {
	refcount_t use;
	spinlock_t lock;
	u32 timeout;
	struct nf_conntrack_tuple_hash tuplehash[IP_CT_DIR_MAX];
	unsigned long status;
	struct net *ct_net;
	struct nf_conn *master;
	u_int32_t mark, secmark;
	struct nf_ct_ext *ext;
};

#define nf_ct_tuplehash_to_ctrack(hash) \
	container_of(hash, struct nf_conn, tuplehash[(hash)->tuple.dst.dir])
#define nf_ct_tuple(ct, direction) (&(ct)->tuplehash[direction].tuple)
#define nf_ct_l3num(ct) ((ct)->tuplehash[IP_CT_DIR_ORIGINAL].tuple.src.l3num)
#define nf_ct_protonum(ct) ((ct)->tuplehash[IP_CT_DIR_ORIGINAL].tuple.dst.protonum)
#define nf_ct_is_confirmed(ct) test_bit(IPS_CONFIRMED_BIT, &(ct)->status)
#define nf_ct_is_dying(ct) test_bit(IPS_DYING_BIT, &(ct)->status)
#define nf_ct_net(ct) ((ct)->ct_net)
#define nf_ct_put(ct) ((void)(ct))
#define nf_ct_get_tuplepr(skb, offset, family, net, tuple) \
	((void)(skb), (void)(offset), (void)(family), (void)(net), (void)(tuple), false)

static inline struct nf_conn *nf_ct_get(const struct sk_buff *skb, enum ip_conntrack_info *info)
{
	(void)skb;
	*info = (enum ip_conntrack_info)7;	/* untracked */
	return NULL;
}

static inline void nf_ct_set(struct sk_buff *skb, struct nf_conn *ct, enum ip_conntrack_info info)
{
	(void)skb;
	(void)ct;
	(void)info;
}

/* How long the connection is still known: jiffies. */
static inline unsigned long nf_ct_expires(const struct nf_conn *ct)
{
	s32 left = (s32)(READ_ONCE(ct->timeout) - (u32)jiffies);

	return left > 0 ? (unsigned long)left : 0;
}

#endif
