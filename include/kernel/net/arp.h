/* SPDX-License-Identifier: MIT */
#ifndef _ARP_H
#define _ARP_H

#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

static inline struct arphdr *arp_hdr(const struct sk_buff *skb)
{
	return (struct arphdr *)skb_network_header(skb);
}

#endif
