/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_ETHERDEVICE_H
#define KERNEL_LINUX_ETHERDEVICE_H

#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/string.h>

static inline void ether_setup(struct net_device *dev)
{
	dev->type = 1;			/* ARPHRD_ETHER */
	dev->hard_header_len = ETH_HLEN;
	dev->mtu = ETH_DATA_LEN;
	dev->addr_len = ETH_ALEN;
	memset(dev->broadcast, 0xff, ETH_ALEN);
}

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
	skb->dev = dev;
	skb_reset_mac_header(skb);
	skb_pull(skb, ETH_HLEN);
	return eth_hdr(skb)->h_proto;
}

#define eth_validate_addr NULL
#define eth_mac_addr NULL

#endif
