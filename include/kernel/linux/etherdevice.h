/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_ETHERDEVICE_H
#define KERNEL_LINUX_ETHERDEVICE_H

#include <linux/crc32.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/unaligned.h>

/* Ethernet's header before the data: its length, or that negated if `to` is not known (NULL). */
int eth_header(struct sk_buff *skb, struct net_device *dev, unsigned short type, const void *to,
	       const void *from, unsigned int n)
	USERMM_API(eth_header);

extern const struct header_ops eth_header_ops USERMM_API(eth_header_ops);

#define alloc_etherdev(size) usermm_alloc_netdev(size, "eth%d", ether_setup)

static inline bool is_multicast_ether_addr(const u8 *address)
{
	return address[0] & 1;
}

static inline bool is_zero_ether_addr(const u8 *address)
{
	return !memchr_inv(address, 0, ETH_ALEN);
}

static inline bool is_valid_ether_addr(const u8 *address)
{
	return !is_multicast_ether_addr(address) && !is_zero_ether_addr(address);
}

static inline bool is_broadcast_ether_addr(const u8 *address)
{
	return !memchr_inv(address, 0xff, ETH_ALEN);
}

static inline bool ether_addr_equal(const u8 *a, const u8 *b)
{
	return !memcmp(a, b, ETH_ALEN);
}

static inline void ether_addr_copy(u8 *to, const u8 *from)
{
	memcpy(to, from, ETH_ALEN);
}

static inline void eth_random_addr(u8 *address)
{
	get_random_bytes(address, ETH_ALEN);
	address[0] = (u8)((address[0] & 0xfe) | 2);
}

static inline void eth_hw_addr_set(struct net_device *dev, const u8 *address)
{
	ether_addr_copy(dev->dev_addr, address);
}

static inline void eth_hw_addr_random(struct net_device *dev)
{
	eth_random_addr(dev->dev_addr);
}

static inline __be16 eth_type_trans(struct sk_buff *skb, struct net_device *dev)
{
	const struct ethhdr *header;

	skb->dev = dev;
	skb_reset_mac_header(skb);
	skb_pull(skb, ETH_HLEN);
	header = eth_hdr(skb);
	if (is_multicast_ether_addr(header->h_dest))
		skb->pkt_type = ether_addr_equal(header->h_dest, dev->broadcast) ?
				PACKET_BROADCAST : PACKET_MULTICAST;
	else if (!ether_addr_equal(header->h_dest, dev->dev_addr))
		skb->pkt_type = PACKET_OTHERHOST;
	return be16_to_cpu(header->h_proto) >= ETH_P_802_3_MIN ? header->h_proto :
	       (__be16)cpu_to_be16(ETH_P_802_2);
}

static inline int eth_validate_addr(struct net_device *dev)
{
	return is_valid_ether_addr(dev->dev_addr) ? 0 : -EADDRNOTAVAIL;
}

/* address is a struct sockaddr. */
static inline int eth_mac_addr(struct net_device *dev, void *address)
{
	const u8 *bytes = (const u8 *)((struct sockaddr *)address)->sa_data;

	if (netif_running(dev) && !(dev->priv_flags & IFF_LIVE_ADDR_CHANGE))
		return -EBUSY;
	if (!is_valid_ether_addr(bytes))
		return -EADDRNOTAVAIL;
	eth_hw_addr_set(dev, bytes);
	return 0;
}

#endif
