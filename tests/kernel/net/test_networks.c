// SPDX-License-Identifier: MIT
/* Network devices, the packets that they send and receive, and the hooks on the way. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/inet.h>
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/rtnetlink.h>
#include <net/protocol.h>

static int nr_sent;

static netdev_tx_t count_and_free(struct sk_buff *skb, struct net_device *dev)
{
	(void)dev;
	nr_sent++;
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops ops = { .ndo_start_xmit = count_and_free };

static void set_up(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &ops;
}

/* An IPv4 packet without an Ethernet header, of one protocol. */
static struct sk_buff *make_packet(struct net_device *dev, u8 protocol, const char *to)
{
	struct sk_buff *skb = dev_alloc_skb(128);
	struct iphdr *header;

	if (!skb)
		return NULL;
	skb_reserve(skb, ETH_HLEN + 2);		/* aligns the header */
	skb_reset_mac_header(skb);
	header = skb_put_zero(skb, sizeof(*header) + 8);
	header->version = 4;
	header->ihl = 5;
	header->protocol = protocol;
	header->daddr = in_aton(to);
	header->tot_len = (__be16)cpu_to_be16(28);
	skb->protocol = (__be16)cpu_to_be16(ETH_P_IP);
	skb->dev = dev;
	return skb;
}

static unsigned long events[8];
static int nr_events;

static int note(struct notifier_block *block, unsigned long event, void *info)
{
	(void)block;
	if (strcmp(netdev_notifier_info_to_dev(info)->name, "lo") && nr_events < 8)
		events[nr_events++] = event;
	return NOTIFY_DONE;
}

static void test_device_is_known_by_name_and_number(struct kunit *test)
{
	struct net_device *a = alloc_netdev(0, "t%d", NET_NAME_ENUM, set_up);
	struct net_device *b = alloc_netdev(8, "t%d", NET_NAME_ENUM, set_up);
	struct notifier_block block = { .notifier_call = note };
	static const unsigned long expected[] = {
		NETDEV_REGISTER, NETDEV_UP, NETDEV_GOING_DOWN, NETDEV_DOWN, NETDEV_UNREGISTER,
	};
	struct net_device *dev;
	int n = 0;

	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_ASSERT_NOT_NULL(test, b);
	KUNIT_ASSERT_EQ(test, register_netdev(a), 0);
	KUNIT_EXPECT_STREQ(test, a->name, "t0");
	strscpy(b->name, "t0", sizeof(b->name));
	KUNIT_EXPECT_EQ(test, register_netdev(b), -EEXIST);
	strscpy(b->name, "a/b", sizeof(b->name));
	KUNIT_EXPECT_EQ(test, register_netdev(b), -EINVAL);
	strscpy(b->name, "t%d", sizeof(b->name));
	nr_events = 0;
	KUNIT_EXPECT_EQ(test, register_netdevice_notifier(&block), 0);
	KUNIT_EXPECT_EQ(test, nr_events, 1);	/* of the one that was there */
	nr_events = 0;
	KUNIT_ASSERT_EQ(test, register_netdev(b), 0);
	KUNIT_EXPECT_STREQ(test, b->name, "t1");
	KUNIT_EXPECT_PTR_EQ(test, dev_get_by_name(&init_net, "t1"), b);
	KUNIT_EXPECT_PTR_EQ(test, dev_get_by_index(&init_net, b->ifindex), b);
	KUNIT_EXPECT_PTR_EQ(test, dev_get_by_name(&init_net, "t2"), (struct net_device *)NULL);
	for_each_netdev(&init_net, dev)
		n++;
	KUNIT_EXPECT_EQ(test, n, 3);		/* and lo */
	KUNIT_EXPECT_FALSE(test, netif_running(b));
	rtnl_lock();
	KUNIT_EXPECT_EQ(test, dev_open(b, NULL), 0);
	KUNIT_EXPECT_EQ(test, dev_set_mtu(b, 60), -EINVAL);
	KUNIT_EXPECT_EQ(test, dev_set_mtu(b, 1501), -EINVAL);
	rtnl_unlock();
	KUNIT_EXPECT_TRUE(test, netif_running(b));
	unregister_netdev(b);
	for (int i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, events[i], expected[i]);
	KUNIT_EXPECT_EQ(test, unregister_netdevice_notifier(&block), 0);
	unregister_netdev(a);
	free_netdev(a);
	free_netdev(b);
	KUNIT_EXPECT_NULL(test, dev_get_by_name(&init_net, "t0"));
}

static void test_packet_reaches_a_running_device_alone(struct kunit *test)
{
	struct net_device *dev = alloc_netdev(0, "t%d", NET_NAME_ENUM, set_up);

	KUNIT_ASSERT_NOT_NULL(test, dev);
	KUNIT_ASSERT_EQ(test, register_netdev(dev), 0);
	nr_sent = 0;
	KUNIT_EXPECT_EQ(test, dev_queue_xmit(make_packet(dev, 17, "127.0.0.1")), -ENETDOWN);
	rtnl_lock();
	KUNIT_EXPECT_EQ(test, dev_open(dev, NULL), 0);
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, dev_queue_xmit(make_packet(dev, 17, "127.0.0.1")), 0);
	KUNIT_EXPECT_EQ(test, nr_sent, 1);
	netif_stop_queue(dev);
	KUNIT_EXPECT_EQ(test, dev_queue_xmit(make_packet(dev, 17, "127.0.0.1")), NET_XMIT_DROP);
	KUNIT_EXPECT_EQ(test, nr_sent, 1);
	unregister_netdev(dev);
	free_netdev(dev);
}

static char order[16];

static unsigned int answer(void *verdict, struct sk_buff *skb, const struct nf_hook_state *state)
{
	size_t n = strlen(order);

	(void)skb;
	order[n] = state->hook == NF_INET_PRE_ROUTING ? 'p' : 'i';
	if (*(unsigned int *)verdict == NF_REPEAT && n && order[n - 1] == order[n])
		return NF_ACCEPT;
	return *(unsigned int *)verdict;
}

static unsigned int answer_last(void *verdict, struct sk_buff *skb,
				const struct nf_hook_state *state)
{
	unsigned int result = answer(verdict, skb, state);

	order[strlen(order) - 1] -= 'a' - 'A';
	if (result == NF_STOLEN)
		kfree_skb(skb);
	return result;
}

static int nr_handled;

static int handle(struct sk_buff *skb)
{
	nr_handled += skb->len == 8;	/* without the header */
	kfree_skb(skb);
	return 0;
}

static void test_hooks_decide_by_priority(struct kunit *test)
{
	unsigned int first = NF_ACCEPT, last = NF_ACCEPT;
	const struct nf_hook_ops hooks[] = {
		{ .hook = answer_last, .pf = NFPROTO_INET, .hooknum = NF_INET_PRE_ROUTING,
		  .priority = NF_IP_PRI_LAST, .priv = &last },
		{ .hook = answer, .pf = NFPROTO_IPV4, .hooknum = NF_INET_PRE_ROUTING,
		  .priority = NF_IP_PRI_FIRST, .priv = &first },
		{ .hook = answer, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_IN,
		  .priv = &first },
	};
	const struct nf_hook_ops wrong[] = {
		hooks[0], { .hook = answer, .pf = NFPROTO_IPV4, .hooknum = NF_INET_NUMHOOKS },
	};
	const struct net_protocol protocol = { .handler = handle };
	struct net_device *lo = dev_get_by_name(&init_net, "lo");
	static const struct {
		unsigned int first, last;
		const char *to, *order;
		int result, nr_handled;
	} cases[] = {
		{ NF_ACCEPT, NF_ACCEPT, "127.0.0.1", "pPi", NET_RX_SUCCESS, 1 },
		{ NF_ACCEPT, NF_ACCEPT, "203.0.113.1", "pP", NET_RX_DROP, 0 },
		{ NF_DROP, NF_ACCEPT, "127.0.0.1", "p", NET_RX_DROP, 0 },
		{ NF_ACCEPT, NF_STOLEN, "127.0.0.1", "pP", NET_RX_SUCCESS, 0 },
		{ NF_REPEAT, NF_ACCEPT, "127.0.0.1", "ppPii", NET_RX_SUCCESS, 1 },
		{ NF_QUEUE, NF_ACCEPT, "127.0.0.1", "p", NET_RX_SUCCESS, 0 },
	};

	KUNIT_ASSERT_EQ(test, inet_add_protocol(&protocol, 99), 0);
	/* One that cannot be takes the others back. */
	KUNIT_EXPECT_EQ(test, nf_register_net_hooks(&init_net, wrong, 2), -EINVAL);
	KUNIT_ASSERT_EQ(test, nf_register_net_hooks(&init_net, hooks, 3), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(order, 0, sizeof(order));
		nr_handled = 0;
		first = cases[i].first;
		last = cases[i].last;
		KUNIT_EXPECT_EQ(test, netif_receive_skb(make_packet(lo, 99, cases[i].to)),
				cases[i].result);
		KUNIT_EXPECT_STREQ(test, order, cases[i].order);
		KUNIT_EXPECT_EQ(test, nr_handled, cases[i].nr_handled);
	}
	nf_unregister_net_hooks(&init_net, hooks, 3);
	memset(order, 0, sizeof(order));
	(void)netif_receive_skb(make_packet(lo, 99, "127.0.0.1"));
	KUNIT_EXPECT_STREQ(test, order, "");
	KUNIT_EXPECT_EQ(test, inet_del_protocol(&protocol, 99), 0);
}

static struct completion received;

static int receive(struct sk_buff *skb, struct net_device *dev, struct packet_type *type,
		   struct net_device *original)
{
	(void)type;
	if (dev == original && !strcmp(dev->name, "lo"))
		complete(&received);
	kfree_skb(skb);
	return NET_RX_SUCCESS;
}

static void test_receiver_gets_what_loopback_sends(struct kunit *test)
{
	struct packet_type type = {
		.type = (__be16)cpu_to_be16(ETH_P_ALL), .func = receive,
	};
	struct sk_buff *skb = make_packet(dev_get_by_name(&init_net, "lo"), 99, "127.0.0.1");
	struct ethhdr *header = skb_push(skb, ETH_HLEN);

	init_completion(&received);
	memset(header, 0, ETH_HLEN);
	header->h_proto = (__be16)cpu_to_be16(ETH_P_IP);
	dev_add_pack(&type);
	KUNIT_EXPECT_EQ(test, dev_queue_xmit(skb), 0);
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&received, 60 * HZ), 0UL);
	dev_remove_pack(&type);
}

static atomic_t nr_polls = ATOMIC_INIT(0);

/* Uses its whole budget of 4 twice. */
static int poll(struct napi_struct *napi, int budget)
{
	int n = atomic_inc_return(&nr_polls) < 3 ? budget : 0;

	if (n < budget)
		(void)napi_complete_done(napi, n);
	return n;
}

static void test_polls_go_on_until_the_driver_is_done(struct kunit *test)
{
	struct net_device *dev = alloc_netdev(0, "t%d", NET_NAME_ENUM, set_up);
	struct napi_struct napi;

	KUNIT_ASSERT_NOT_NULL(test, dev);
	netif_napi_add_weight(dev, &napi, poll, 4);
	KUNIT_EXPECT_FALSE(test, napi_schedule(&napi));		/* not enabled */
	napi_enable(&napi);
	KUNIT_EXPECT_TRUE(test, napi_schedule(&napi));
	while (test_bit(NAPI_STATE_SCHED, &napi.state))
		msleep(1);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_polls), 3);
	napi_disable(&napi);
	KUNIT_EXPECT_FALSE(test, napi_schedule(&napi));
	netif_napi_del(&napi);
	free_netdev(dev);
}

static struct kunit_case network_cases[] = {
	KUNIT_CASE(test_device_is_known_by_name_and_number),
	KUNIT_CASE(test_packet_reaches_a_running_device_alone),
	KUNIT_CASE(test_hooks_decide_by_priority),
	KUNIT_CASE(test_receiver_gets_what_loopback_sends),
	KUNIT_CASE(test_polls_go_on_until_the_driver_is_done),
	{}
};

static struct kunit_suite network_suite = { .name = "networks", .test_cases = network_cases };
kunit_test_suite(network_suite);
