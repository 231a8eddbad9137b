/* SPDX-License-Identifier: MIT */
#ifndef _ARP_H
#define _ARP_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#ifndef _NET_IF_ARP_H		/* libc has these structures, too */
#define _NET_IF_ARP_H 1
#include <linux/if_arp.h>
#endif

static inline struct arphdr *arp_hdr(const struct sk_buff *skb)
{
	return (struct arphdr *)skb_network_header(skb);
}

#endif
