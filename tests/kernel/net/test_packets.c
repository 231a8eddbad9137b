// SPDX-License-Identifier: MIT
/* Packets that change, the headers before them, and the route that they take. */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/inet.h>
#include <linux/netfilter_arp.h>
#include <linux/netfilter_ipv4.h>
#include <linux/rtnetlink.h>
#include <net/arp.h>
#include <net/checksum.h>
#include <net/ip.h>
#include <net/protocol.h>
#include <net/route.h>

static __be16 be16(u16 value)
{
	return (__be16)cpu_to_be16(value);
}

/* "abcdefgh" behind a network header of 4 bytes and a transport header of 2. */
static struct sk_buff *make_letters(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(32, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_FALSE(test, skb_mac_header_was_set(skb));
	KUNIT_EXPECT_FALSE(test, skb_transport_header_was_set(skb));
	skb_reserve(skb, 16);
	skb_put_data(skb, "abcdefgh", 8);
	memcpy(skb_push(skb, 2), "TT", 2);
	skb_reset_transport_header(skb);
	memcpy(skb_push(skb, 4), "NNNN", 4);
	skb_reset_network_header(skb);
	return skb;
}

static void expect_letters(struct kunit *test, const struct sk_buff *skb)
{
	KUNIT_EXPECT_EQ(test, skb->len, 14U);
	KUNIT_EXPECT_EQ(test, memcmp(skb->data, "NNNNTTabcdefgh", 14), 0);
	KUNIT_EXPECT_EQ(test, memcmp(skb_network_header(skb), "NNNN", 4), 0);
	KUNIT_EXPECT_EQ(test, memcmp(skb_transport_header(skb), "TTab", 4), 0);
	KUNIT_EXPECT_FALSE(test, skb_mac_header_was_set(skb));
}

static void test_packet_gets_room(struct kunit *test)
{
	struct sk_buff *skb = make_letters(test), *copy;

	skb_shinfo(skb)->gso_size = 7;
	KUNIT_EXPECT_EQ(test, skb_cow(skb, 4), 0);
	KUNIT_EXPECT_EQ(test, skb_headroom(skb), 10U);		/* enough */
	(void)skb_pull(skb, 4);					/* what is in front stays, too */
	KUNIT_EXPECT_EQ(test, skb_cow(skb, 500), 0);
	KUNIT_EXPECT_GE(test, skb_headroom(skb), 500U);
	(void)skb_push(skb, 4);
	expect_letters(test, skb);
	KUNIT_EXPECT_EQ(test, pskb_expand_head(skb, 0, 300, GFP_KERNEL), 0);
	KUNIT_EXPECT_GE(test, skb_tailroom(skb), 300U);
	expect_letters(test, skb);
	KUNIT_EXPECT_TRUE(test, skb_is_gso(skb));

	copy = skb_copy_expand(skb, 20, 30, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_EQ(test, skb_headroom(copy), 20U);
	KUNIT_EXPECT_GE(test, skb_tailroom(copy), 30U);
	KUNIT_EXPECT_EQ(test, skb_store_bits(copy, 6, "ABC", 3), 0);
	KUNIT_EXPECT_EQ(test, skb_store_bits(copy, 12, "ABC", 3), -EFAULT);
	KUNIT_EXPECT_EQ(test, memcmp(copy->data, "NNNNTTABCdefgh", 14), 0);
	expect_letters(test, skb);
	kfree_skb(copy);

	/* Who shares a packet gets one of his own. */
	KUNIT_EXPECT_PTR_EQ(test, skb_share_check(skb, GFP_KERNEL), skb);
	skb_get(skb);
	copy = skb_share_check(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_PTR_NE(test, copy, skb);
	KUNIT_EXPECT_FALSE(test, skb_shared(skb));
	expect_letters(test, copy);
	copy->next = skb;
	kfree_skb_list(copy);
}

static void test_sums_follow_the_data(struct kunit *test)
{
	struct sk_buff *skb = make_letters(test);
	__be32 from = in_aton("192.0.2.1"), to = in_aton("198.51.100.77");
	__wsum rest = csum_partial("abcdefgh", 8, 0);
	__sum16 sum = csum_tcpudp_magic(from, from, 8, 17, rest);
	__sum16 pseudo = (__sum16)~csum_tcpudp_magic(from, from, 8, 17, 0);

	inet_proto_csum_replace4(&sum, skb, from, to, true);
	KUNIT_EXPECT_EQ(test, sum, csum_tcpudp_magic(to, from, 8, 17, rest));
	/* Where the device sums, the place has the pseudo header's sum alone. */
	skb->ip_summed = CHECKSUM_PARTIAL;
	inet_proto_csum_replace4(&pseudo, skb, from, to, false);
	KUNIT_EXPECT_EQ(test, (__sum16)~pseudo, csum_tcpudp_magic(from, from, 8, 17, 0));
	inet_proto_csum_replace4(&pseudo, skb, from, to, true);
	KUNIT_EXPECT_EQ(test, (__sum16)~pseudo, csum_tcpudp_magic(to, from, 8, 17, 0));

	/* From the transport header on, into its bytes, which are zero before. */
	memset(skb_transport_header(skb), 0, 2);
	skb->csum_start = (__u16)(skb_transport_header(skb) - skb->head);
	skb->csum_offset = 0;
	KUNIT_EXPECT_EQ(test, skb_cow(skb, 200), 0);		/* the start moves along */
	KUNIT_EXPECT_EQ(test, skb_checksum_help(skb), 0);
	KUNIT_EXPECT_EQ(test, skb->ip_summed, CHECKSUM_NONE);
	KUNIT_EXPECT_EQ(test, *(__sum16 *)skb_transport_header(skb), csum_fold(rest));
	kfree_skb(skb);
}

static char places[8];

static unsigned int note_place(void *verdict, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	(void)skb;
	if (strlen(places) < sizeof(places) - 1)
		places[strlen(places)] = (char)('0' + state->hook);
	return state->hook == NF_INET_LOCAL_OUT ? *(unsigned int *)verdict : NF_ACCEPT;
}

static struct completion handled;
static u32 handled_sum;

static int handle(struct sk_buff *skb)
{
	handled_sum = ip_fast_csum(ip_hdr(skb), ip_hdr(skb)->ihl);
	kfree_skb(skb);
	complete(&handled);
	return 0;
}

static struct sk_buff *make_packet(struct kunit *test, const char *to)
{
	struct sk_buff *skb = alloc_skb(28, GFP_KERNEL);
	struct iphdr *header;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	header = skb_put_zero(skb, 28);
	skb_reset_network_header(skb);
	header->version = 4;
	header->ihl = 5;
	header->protocol = 98;
	header->daddr = in_aton(to);
	return skb;
}

static void test_route_leads_to_loopback_alone(struct kunit *test)
{
	struct flowi4 flow = { .daddr = in_aton("203.0.113.1") };
	struct sk_buff *skb = make_packet(test, "127.0.0.9"), *copy;
	struct rtable *rt = ip_route_output_key(&init_net, &flow);

	KUNIT_EXPECT_PTR_EQ(test, rt, (struct rtable *)ERR_PTR(-ENETUNREACH));
	rt = ip_route_output_ports(&init_net, &flow, NULL, in_aton("127.0.0.9"), 0, be16(7), 0, 17,
				   0, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rt));
	KUNIT_EXPECT_STREQ(test, rt->dst.dev->name, "lo");
	KUNIT_EXPECT_EQ(test, dst_mtu(&rt->dst), rt->dst.dev->mtu);
	KUNIT_EXPECT_EQ(test, flow.saddr, in_aton("127.0.0.9"));
	KUNIT_EXPECT_EQ(test, flow.fl4_dport, be16(7));

	/* A packet holds its route, and so does a copy. */
	skb_dst_set(skb, dst_clone(&rt->dst));
	copy = skb_copy(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_EQ(test, refcount_read(&rt->dst.__rcuref), 3U);
	kfree_skb(copy);
	KUNIT_EXPECT_EQ(test, refcount_read(&rt->dst.__rcuref), 2U);
	KUNIT_EXPECT_EQ(test, ip_route_me_harder(&init_net, NULL, skb, 0), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&rt->dst.__rcuref), 1U);
	ip_hdr(skb)->daddr = in_aton("203.0.113.1");
	KUNIT_EXPECT_EQ(test, ip_route_me_harder(&init_net, NULL, skb, 0), -ENETUNREACH);
	KUNIT_EXPECT_NOT_NULL(test, skb_dst(skb));
	kfree_skb(skb);
	ip_rt_put(rt);
}

static void test_packet_passes_all_hooks_to_loopback(struct kunit *test)
{
	unsigned int verdict = NF_ACCEPT;
	struct nf_hook_ops hooks[5];
	const struct net_protocol protocol = { .handler = handle };
	struct sk_buff *skb = make_packet(test, "127.0.0.1");

	for (unsigned int i = 0; i < 5; i++)
		hooks[i] = (struct nf_hook_ops){
			.hook = note_place, .priv = &verdict, .pf = NFPROTO_IPV4, .hooknum = i,
		};
	memset(places, 0, sizeof(places));
	init_completion(&handled);
	KUNIT_ASSERT_EQ(test, inet_add_protocol(&protocol, 98), 0);
	KUNIT_ASSERT_EQ(test, nf_register_net_hooks(&init_net, hooks, 5), 0);
	KUNIT_EXPECT_EQ(test, ip_local_out(&init_net, NULL, make_packet(test, "127.0.0.1")),
			-ENETUNREACH);
	KUNIT_ASSERT_EQ(test, ip_route_me_harder(&init_net, NULL, skb, 0), 0);
	KUNIT_EXPECT_EQ(test, ip_local_out(&init_net, NULL, skb), 0);
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&handled, 60 * HZ), 0UL);
	KUNIT_EXPECT_STREQ(test, places, "3401");	/* OUT, POST_ROUTING, PRE_ROUTING, IN */
	KUNIT_EXPECT_EQ(test, handled_sum, 0U);

	memset(places, 0, sizeof(places));
	verdict = NF_DROP;
	skb = make_packet(test, "127.0.0.1");
	KUNIT_ASSERT_EQ(test, ip_route_me_harder(&init_net, NULL, skb, 0), 0);
	KUNIT_EXPECT_EQ(test, ip_local_out(&init_net, NULL, skb), -EPERM);
	KUNIT_EXPECT_STREQ(test, places, "3");
	nf_unregister_net_hooks(&init_net, hooks, 5);
	KUNIT_EXPECT_EQ(test, inet_del_protocol(&protocol, 98), 0);
}

static unsigned char sent[64];
static unsigned int nr_sent, sent_bytes;

static netdev_tx_t keep(struct sk_buff *skb, struct net_device *dev)
{
	(void)dev;
	nr_sent++;
	sent_bytes = skb->len;
	(void)skb_copy_bits(skb, 0, sent, (int)min(skb->len, 64U));
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

static unsigned int drop_all(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	(void)priv;
	(void)skb;
	(void)state;
	return NF_DROP;
}

static void test_arp_asks_all_for_an_address(struct kunit *test)
{
	static const struct net_device_ops ops = { .ndo_start_xmit = keep };
	static const u8 own[] = { 2, 0, 0, 0, 0, 1 };
	static const u8 expected[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 8, 6,	/* to all, ARP */
		0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 192, 0, 2, 1,
		0, 0, 0, 0, 0, 0, 192, 0, 2, 9,
	};
	const struct nf_hook_ops hook = {
		.hook = drop_all, .pf = NFPROTO_ARP, .hooknum = NF_ARP_OUT,
	};
	struct net_device *dev = alloc_etherdev(0);

	KUNIT_ASSERT_NOT_NULL(test, dev);
	dev->netdev_ops = &ops;
	eth_hw_addr_set(dev, own);
	KUNIT_ASSERT_EQ(test, register_netdev(dev), 0);
	rtnl_lock();
	KUNIT_EXPECT_EQ(test, dev_open(dev, NULL), 0);
	rtnl_unlock();
	nr_sent = 0;
	arp_send(ARPOP_REQUEST, ETH_P_ARP, in_aton("192.0.2.9"), dev, in_aton("192.0.2.1"), NULL,
		 NULL, NULL);
	KUNIT_EXPECT_EQ(test, nr_sent, 1U);
	KUNIT_EXPECT_EQ(test, sent_bytes, (unsigned int)sizeof(expected));
	KUNIT_EXPECT_EQ(test, memcmp(sent, expected, sizeof(expected)), 0);
	KUNIT_ASSERT_EQ(test, nf_register_net_hook(&init_net, &hook), 0);
	arp_send(ARPOP_REQUEST, ETH_P_ARP, 0, dev, 0, NULL, NULL, NULL);
	nf_unregister_net_hook(&init_net, &hook);
	dev->flags |= IFF_NOARP;
	arp_send(ARPOP_REQUEST, ETH_P_ARP, 0, dev, 0, NULL, NULL, NULL);
	KUNIT_EXPECT_EQ(test, nr_sent, 1U);
	unregister_netdev(dev);
	free_netdev(dev);
}

static struct kunit_case packet_cases[] = {
	KUNIT_CASE(test_packet_gets_room),
	KUNIT_CASE(test_sums_follow_the_data),
	KUNIT_CASE(test_route_leads_to_loopback_alone),
	KUNIT_CASE(test_packet_passes_all_hooks_to_loopback),
	KUNIT_CASE(test_arp_asks_all_for_an_address),
	{}
};

static struct kunit_suite packet_suite = { .name = "packets", .test_cases = packet_cases };
kunit_test_suite(packet_suite);
