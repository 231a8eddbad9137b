// SPDX-License-Identifier: MIT
/* Headers of Ethernet, and ARP packets. cf. Linux net/ethernet/eth.c and net/ipv4/arp.c. */
#include <linux/etherdevice.h>
#include <linux/kernel.h>
#include <linux/netfilter_arp.h>
#include <linux/netfilter.h>
#include <net/arp.h>

int eth_header(struct sk_buff *skb, struct net_device *dev, unsigned short type, const void *to,
	       const void *from, unsigned int n)
{
	struct ethhdr *header = skb_push(skb, ETH_HLEN);
	bool has_length = type == ETH_P_802_3 || type == ETH_P_802_2;

	header->h_proto = (__be16)cpu_to_be16((u16)(has_length ? n : type));
	ether_addr_copy(header->h_source, from ? from : dev->dev_addr);
	if (to) {
		ether_addr_copy(header->h_dest, to);
		return ETH_HLEN;
	}
	if (dev->flags & (IFF_LOOPBACK | IFF_NOARP)) {
		memset(header->h_dest, 0, ETH_ALEN);
		return ETH_HLEN;
	}
	return -ETH_HLEN;	/* somebody has to find the address */
}

static int parse(const struct sk_buff *skb, unsigned char *address)
{
	ether_addr_copy(address, eth_hdr(skb)->h_source);
	return ETH_ALEN;
}

const struct header_ops eth_header_ops = { .create = eth_header, .parse = parse };

void ether_setup(struct net_device *dev)
{
	dev->header_ops = &eth_header_ops;
	dev->type = ARPHRD_ETHER;
	dev->hard_header_len = ETH_HLEN;
	dev->mtu = ETH_DATA_LEN;
	dev->addr_len = ETH_ALEN;
	dev->min_mtu = ETH_MIN_MTU;
	dev->max_mtu = ETH_DATA_LEN;
	dev->tx_queue_len = 1000;
	dev->flags = IFF_BROADCAST | IFF_MULTICAST;
	memset(dev->broadcast, 0xff, ETH_ALEN);
}

static unsigned char *put(unsigned char *at, const void *from, size_t n)
{
	if (from)
		memcpy(at, from, n);
	else
		memset(at, 0, n);
	return at + n;
}

struct sk_buff *arp_create(int type, int ptype, __be32 dest_ip, struct net_device *dev,
			   __be32 src_ip, const unsigned char *dest_hw,
			   const unsigned char *src_hw, const unsigned char *target_hw)
{
	unsigned int n = (unsigned int)arp_hdr_len(dev);
	struct sk_buff *skb = alloc_skb(n + LL_RESERVED_SPACE(dev) + dev->needed_tailroom,
					GFP_ATOMIC);
	struct arphdr *header;
	unsigned char *at;

	if (!skb)
		return NULL;
	skb_reserve(skb, (int)LL_RESERVED_SPACE(dev));
	skb_reset_network_header(skb);
	header = skb_put(skb, n);
	skb->dev = dev;
	skb->protocol = (__be16)cpu_to_be16(ETH_P_ARP);
	src_hw = src_hw ? src_hw : dev->dev_addr;
	dest_hw = dest_hw ? dest_hw : dev->broadcast;
	if (dev_hard_header(skb, dev, (unsigned short)ptype, dest_hw, src_hw, skb->len) < 0) {
		kfree_skb(skb);
		return NULL;
	}
	header->ar_hrd = (__be16)cpu_to_be16(dev->type);
	header->ar_pro = (__be16)cpu_to_be16(ETH_P_IP);
	header->ar_hln = dev->addr_len;
	header->ar_pln = sizeof(dest_ip);
	header->ar_op = (__be16)cpu_to_be16((u16)type);
	at = put((unsigned char *)(header + 1), src_hw, dev->addr_len);
	at = put(at, &src_ip, sizeof(src_ip));
	at = put(at, target_hw, dev->addr_len);
	(void)put(at, &dest_ip, sizeof(dest_ip));
	return skb;
}

static int transmit(struct net *net, struct sock *sk, struct sk_buff *skb)
{
	(void)net;
	(void)sk;
	return dev_queue_xmit(skb);
}

void arp_xmit(struct sk_buff *skb)
{
	(void)NF_HOOK(NFPROTO_ARP, NF_ARP_OUT, &init_net, NULL, skb, NULL, skb->dev, transmit);
}

void arp_send(int type, int ptype, __be32 dest_ip, struct net_device *dev, __be32 src_ip,
	      const unsigned char *dest_hw, const unsigned char *src_hw,
	      const unsigned char *target_hw)
{
	struct sk_buff *skb;

	if (dev->flags & IFF_NOARP)
		return;
	skb = arp_create(type, ptype, dest_ip, dev, src_ip, dest_hw, src_hw, target_hw);
	if (skb)
		arp_xmit(skb);
}
