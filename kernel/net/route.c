// SPDX-License-Identifier: MIT
/* The route to lo, and packets that take it: see net/route.h; cf. Linux net/ipv4/ip_output.c. */
#include <linux/etherdevice.h>
#include <linux/kernel.h>
#include <linux/netfilter_ipv4.h>
#include <linux/slab.h>
#include <net/ip.h>
#include <net/route.h>

struct neigh_table {
	int family;
} usermm_arp_tbl = { .family = AF_INET };

static const u32 LOOPBACK_ADDRESS = 0x7f000001;

void dst_release(struct dst_entry *dst)
{
	if (dst && refcount_dec_and_test(&dst->__rcuref))
		kfree(container_of(dst, struct rtable, dst));
}

struct rtable *usermm_ip_route(struct flowi4 *flow)
{
	struct rtable *rt;

	/* Who asks for no address means this host. */
	if (!flow->daddr)
		flow->daddr = flow->saddr ? flow->saddr : (__be32)cpu_to_be32(LOOPBACK_ADDRESS);
	if (!ipv4_is_loopback(flow->daddr))
		return ERR_PTR(-ENETUNREACH);
	rt = kzalloc(sizeof(*rt), GFP_ATOMIC);
	if (!rt)
		return ERR_PTR(-ENOBUFS);
	rt->dst.dev = dev_get_by_name(&init_net, "lo");
	rt->rt_type = RTN_LOCAL;
	rt->rt_iif = rt->dst.dev->ifindex;
	refcount_set(&rt->dst.__rcuref, 1);
	if (!flow->saddr)
		flow->saddr = flow->daddr;
	flow->flowi4_oif = rt->dst.dev->ifindex;
	return rt;
}

int usermm_ip_route_me_harder(struct sk_buff *skb)
{
	const struct iphdr *header = ip_hdr(skb);
	struct flowi4 flow = { .daddr = header->daddr, .saddr = header->saddr };
	struct rtable *rt = usermm_ip_route(&flow);

	if (IS_ERR(rt))
		return (int)PTR_ERR(rt);
	skb_dst_drop(skb);
	skb_dst_set(skb, &rt->dst);
	return 0;
}

static int transmit(struct sk_buff *skb)
{
	struct net_device *dev = skb->dev;

	if (skb_cow_head(skb, LL_RESERVED_SPACE(dev)) ||
	    dev_hard_header(skb, dev, ETH_P_IP, dev->dev_addr, NULL, skb->len) < 0) {
		kfree_skb(skb);
		return -ENOMEM;
	}
	return dev_queue_xmit(skb);
}

int usermm_ip_local_out(struct sk_buff *skb)
{
	struct iphdr *header = ip_hdr(skb);
	int result;

	if (!skb_dst(skb)) {
		kfree_skb(skb);
		return -ENETUNREACH;
	}
	header->tot_len = (__be16)cpu_to_be16((u16)skb->len);
	ip_send_check(header);
	skb->protocol = (__be16)cpu_to_be16(ETH_P_IP);
	result = nf_hook(NFPROTO_IPV4, NF_INET_LOCAL_OUT, &init_net, skb->sk, skb, NULL,
			 skb_dst(skb)->dev, NULL);
	if (result != 1)
		return result;
	/* A hook may have found another route. */
	skb->dev = skb_dst(skb)->dev;
	result = nf_hook(NFPROTO_IPV4, NF_INET_POST_ROUTING, &init_net, skb->sk, skb, NULL,
			 skb->dev, NULL);
	return result == 1 ? transmit(skb) : result;
}
