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

/* Of an ARP packet with the device's addresses and IPv4's. */
static inline int arp_hdr_len(const struct net_device *dev)
{
	return (int)sizeof(struct arphdr) + 2 * (dev->addr_len + 4);
}

USERMM_BEGIN_DECLS

/*
 * An ARP packet of type ARPOP_..., with the device's header before it; ptype is ETH_P_ARP.
 * Addresses that are NULL: the device's own, to all, and zeros for target_hw. NULL without memory.
 * In any context, like all of these.
 */
struct sk_buff *arp_create(int type, int ptype, __be32 dest_ip, struct net_device *dev,
			   __be32 src_ip, const unsigned char *dest_hw,
			   const unsigned char *src_hw, const unsigned char *target_hw)
	USERMM_API(arp_create);
/* Sends it, past the hook NF_ARP_OUT, and takes it. */
void arp_xmit(struct sk_buff *skb)
	USERMM_API(arp_xmit);
/* Both at once, unless the device has IFF_NOARP. */
void arp_send(int type, int ptype, __be32 dest_ip, struct net_device *dev, __be32 src_ip,
	      const unsigned char *dest_hw, const unsigned char *src_hw,
	      const unsigned char *target_hw)
	USERMM_API(arp_send);

USERMM_END_DECLS

#endif
