// SPDX-License-Identifier: MIT
/* Calls of network modules, without anybody at the other end. */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netlink.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/genetlink.h>
#include <net/sock.h>

enum { ATTR_UNSPEC, ATTR_TEXT, ATTR_NUMBER, ATTR_END };

static struct sock *sock;
static struct net_device *device;
static struct genl_family family;

static void receive(struct sk_buff *skb)
{
	pr_info("%s\n", (char *)nlmsg_data(nlmsg_hdr(skb)));
}

static unsigned int hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct iphdr *ip = ip_hdr(skb);

	if (ip->protocol == IPPROTO_TCP)
		pr_info("%pI4 to port %u\n", &ip->saddr, ntohs(tcp_hdr(skb)->dest));
	return NF_ACCEPT;
}

static struct nf_hook_ops hook_ops = {
	.hook = hook, .pf = PF_INET, .hooknum = NF_INET_PRE_ROUTING,
	.priority = NF_IP_PRI_FIRST,
};

static int answer(struct sk_buff *unused, struct genl_info *info)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	void *header;

	if (!skb)
		return -ENOMEM;
	header = genlmsg_put_reply(skb, info, &family, 0, 1);
	if (nla_put_string(skb, ATTR_TEXT, "text") || nla_put_u32(skb, ATTR_NUMBER, 5)) {
		genlmsg_cancel(skb, header);
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	pr_info("message of %u bytes\n", skb->len);
	return genlmsg_reply(skb, info);
}

static const struct nla_policy policy[ATTR_END] = {
	[ATTR_TEXT] = { .type = NLA_NUL_STRING, .len = 15 },
	[ATTR_NUMBER] = { .type = NLA_U32 },
};
static const struct genl_ops operations[] = {
	{ .cmd = 1, .doit = answer, .policy = policy },
};
static struct genl_family family = {
	.name = "network", .version = 1, .maxattr = ATTR_END - 1, .ops = operations,
	.n_ops = ARRAY_SIZE(operations), .module = THIS_MODULE,
};

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *dev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops device_ops = { .ndo_start_xmit = transmit };

/* A packet by hand: pushed and pulled headers, a copy, a queue. */
static void use_packet(void)
{
	struct sk_buff *skb = alloc_skb(128, GFP_KERNEL), *copy;
	struct sk_buff_head queue;

	if (!skb)
		return;
	skb_reserve(skb, 64);
	skb_put_data(skb, "payload", 7);
	skb_push(skb, sizeof(struct tcphdr));
	skb_reset_transport_header(skb);
	tcp_hdr(skb)->dest = htons(80);
	skb_push(skb, sizeof(struct iphdr));
	skb_reset_network_header(skb);
	memset(ip_hdr(skb), 0, sizeof(struct iphdr));
	ip_hdr(skb)->protocol = IPPROTO_TCP;
	ip_hdr(skb)->saddr = htonl(0x7f000001);
	hook(NULL, skb, NULL);
	copy = skb_copy(skb, GFP_KERNEL);
	skb_queue_head_init(&queue);
	skb_queue_tail(&queue, skb);
	if (copy)
		skb_queue_tail(&queue, copy);
	skb_pull(skb_peek(&queue), sizeof(struct iphdr) + sizeof(struct tcphdr));
	pr_info("%u packets, %.*s\n", skb_queue_len(&queue), (int)skb->len, skb->data);
	skb_queue_purge(&queue);
}

static int __init network_init(void)
{
	struct netlink_kernel_cfg config = { .input = receive };
	struct genl_info info = { .snd_portid = 77 };
	struct sk_buff *skb;

	sock = netlink_kernel_create(&init_net, NETLINK_USERSOCK, &config);
	device = alloc_etherdev(16);
	if (!sock || !device)
		return -ENOMEM;
	skb = nlmsg_new(16, GFP_KERNEL);
	if (!skb || !nlmsg_put(skb, 0, 0, NLMSG_DONE, 16, 0))
		return -ENOMEM;
	NETLINK_CB(skb).dst_group = 0;
	pr_info("unicast %d\n", nlmsg_unicast(sock, skb, 77));
	if (genl_register_family(&family))
		return -EINVAL;
	pr_info("answer %d\n", answer(NULL, &info));
	device->netdev_ops = &device_ops;
	eth_hw_addr_random(device);
	register_netdev(device);
	netdev_info(device, "valid %d\n", is_valid_ether_addr(device->dev_addr));
	use_packet();
	return nf_register_net_hook(&init_net, &hook_ops);
}

static void __exit network_exit(void)
{
	nf_unregister_net_hook(&init_net, &hook_ops);
	genl_unregister_family(&family);
	unregister_netdev(device);
	free_netdev(device);
	netlink_kernel_release(sock);
}

module_init(network_init);
module_exit(network_exit);
MODULE_LICENSE("GPL");
