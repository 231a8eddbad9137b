/* SPDX-License-Identifier: MIT */
/* Handlers of IPv4's protocols, of packets that lo receives. */
#ifndef _PROTOCOL_H
#define _PROTOCOL_H

#include <linux/in.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <usermm/compiler.h>

#define MAX_INET_PROTOS 256

struct net_protocol {
	int (*handler)(struct sk_buff *skb);
	int (*err_handler)(struct sk_buff *skb, u32 info);
	unsigned int no_policy : 1, icmp_strict_tag_validation : 1;
	u32 secret;
};

USERMM_BEGIN_DECLS

/* 0; -1 if the protocol has a handler, as ICMP, IGMP, TCP and UDP have. */
int inet_add_protocol(const struct net_protocol *handler, unsigned char protocol)
	USERMM_API(inet_add_protocol);
/* 0; -1 if the protocol has another handler. */
int inet_del_protocol(const struct net_protocol *handler, unsigned char protocol)
	USERMM_API(inet_del_protocol);

/* Gives the packet to its protocol's handler, or frees it: NET_RX_SUCCESS, NET_RX_DROP. */
int usermm_inet_deliver(struct sk_buff *skb)
	USERMM_API(inet_deliver);

USERMM_END_DECLS

#endif
