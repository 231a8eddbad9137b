// SPDX-License-Identifier: MIT
/* The way of a packet between devices and its receivers: see linux/netdevice.h. */
#include <linux/if_ether.h>
#include <linux/interrupt.h>
#include <linux/ip.h>
#include <linux/kernel.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/rculist.h>
#include <net/protocol.h>

static LIST_HEAD(receivers);		/* Sync: receivers_lock, RCU */
static DEFINE_SPINLOCK(receivers_lock);

void dev_add_pack(struct packet_type *type)
{
	unsigned long flags;

	spin_lock_irqsave(&receivers_lock, flags);
	list_add_rcu(&type->list, &receivers);
	spin_unlock_irqrestore(&receivers_lock, flags);
}

void __dev_remove_pack(struct packet_type *type)
{
	unsigned long flags;

	spin_lock_irqsave(&receivers_lock, flags);
	list_del_rcu(&type->list);
	spin_unlock_irqrestore(&receivers_lock, flags);
}

void dev_remove_pack(struct packet_type *type)
{
	__dev_remove_pack(type);
	synchronize_net();
}

int netdev_rx_handler_register(struct net_device *dev, rx_handler_func_t *handler, void *data)
{
	if (rcu_access_pointer(dev->rx_handler))
		return -EBUSY;
	rcu_assign_pointer(dev->rx_handler_data, data);
	rcu_assign_pointer(dev->rx_handler, handler);
	return 0;
}

void netdev_rx_handler_unregister(struct net_device *dev)
{
	RCU_INIT_POINTER(dev->rx_handler, NULL);
	synchronize_net();
	RCU_INIT_POINTER(dev->rx_handler_data, NULL);
}

/* Gives each receiver of the type a reference of its own. Returns how many there were. */
static int give_to_receivers(struct sk_buff *skb, struct net_device *original)
{
	struct packet_type *type;
	int n = 0;

	list_for_each_entry_rcu(type, &receivers, list) {
		if (type->type != (__be16)cpu_to_be16(ETH_P_ALL) && type->type != skb->protocol)
			continue;
		if (type->dev && type->dev != skb->dev && type->dev != original)
			continue;
		skb_get(skb);
		(void)type->func(skb, skb->dev, type, original);
		n++;
	}
	return n;
}

/* No address is ours but those of lo: other packets end where Linux would look for a route. */
static int ip_receive(struct sk_buff *skb)
{
	const struct iphdr *header = ip_hdr(skb);
	struct net_device *dev = skb->dev;
	int result;

	if (skb->pkt_type == PACKET_OTHERHOST || skb->len < sizeof(*header) ||
	    header->version != 4 || header->ihl < 5 || skb->len < header->ihl * 4U) {
		kfree_skb(skb);
		return NET_RX_DROP;
	}
	skb_set_transport_header(skb, header->ihl * 4);
	result = nf_hook(NFPROTO_IPV4, NF_INET_PRE_ROUTING, &init_net, NULL, skb, dev, NULL, NULL);
	if (result != 1)
		return result ? NET_RX_DROP : NET_RX_SUCCESS;
	if (!ipv4_is_loopback(ip_hdr(skb)->daddr)) {
		kfree_skb(skb);
		return NET_RX_DROP;
	}
	result = nf_hook(NFPROTO_IPV4, NF_INET_LOCAL_IN, &init_net, NULL, skb, dev, NULL, NULL);
	if (result != 1)
		return result ? NET_RX_DROP : NET_RX_SUCCESS;
	return usermm_inet_deliver(skb);
}

static int deliver(struct sk_buff *skb)
{
	struct net_device *original = skb->dev;
	rx_handler_func_t *handler;
	int n;

	skb_reset_network_header(skb);
	skb->skb_iif = original->ifindex;
	handler = rcu_dereference(original->rx_handler);
	if (handler && handler(&skb) == RX_HANDLER_CONSUMED)
		return NET_RX_SUCCESS;
	n = give_to_receivers(skb, original);
	if (skb->protocol == (__be16)cpu_to_be16(ETH_P_IP))
		return ip_receive(skb);
	kfree_skb(skb);
	return n ? NET_RX_SUCCESS : NET_RX_DROP;
}

int netif_receive_skb(struct sk_buff *skb)
{
	int result;

	rcu_read_lock();
	result = deliver(skb);
	rcu_read_unlock();
	return result;
}

static struct sk_buff_head backlog = {
	.next = (struct sk_buff *)&backlog, .prev = (struct sk_buff *)&backlog,
	.lock = __SPIN_LOCK_UNLOCKED(backlog.lock),
};

static void deliver_backlog(struct tasklet_struct *tasklet)
{
	struct sk_buff *skb;

	(void)tasklet;
	while ((skb = skb_dequeue(&backlog)))
		(void)netif_receive_skb(skb);
}

static DECLARE_TASKLET(backlog_tasklet, deliver_backlog);

int netif_rx(struct sk_buff *skb)
{
	skb_queue_tail(&backlog, skb);
	tasklet_schedule(&backlog_tasklet);
	return NET_RX_SUCCESS;
}

int dev_queue_xmit(struct sk_buff *skb)
{
	struct net_device *dev = skb->dev;
	int result;

	if (!netif_running(dev) || !netif_device_present(dev)) {
		kfree_skb(skb);
		return -ENETDOWN;
	}
	if (netif_queue_stopped(dev)) {
		dev->stats.tx_dropped++;
		kfree_skb(skb);
		return NET_XMIT_DROP;
	}
	skb_reset_mac_header(skb);
	result = dev->netdev_ops->ndo_start_xmit(skb, dev);
	if (result == NETDEV_TX_BUSY) {
		kfree_skb(skb);
		return NET_XMIT_DROP;
	}
	return result;
}

static void poll_once(struct tasklet_struct *tasklet)
{
	struct napi_struct *napi = container_of(tasklet, struct napi_struct, usermm_tasklet);

	/* A driver that used its whole budget has not said that it is done. */
	if (napi->poll(napi, napi->weight) >= napi->weight)
		tasklet_schedule(tasklet);
}

void usermm_napi_add(struct net_device *dev, struct napi_struct *napi,
		     int (*poll)(struct napi_struct *napi, int budget), int weight)
{
	*napi = (struct napi_struct){ .dev = dev, .poll = poll, .weight = weight };
	INIT_LIST_HEAD(&napi->poll_list);
	tasklet_setup(&napi->usermm_tasklet, poll_once);
	/* Until napi_enable(). */
	set_bit(NAPI_STATE_SCHED, &napi->state);
}

bool napi_schedule_prep(struct napi_struct *napi)
{
	if (test_bit(NAPI_STATE_DISABLE, &napi->state))
		return false;
	if (!test_and_set_bit(NAPI_STATE_SCHED, &napi->state))
		return true;
	set_bit(NAPI_STATE_MISSED, &napi->state);
	return false;
}

void __napi_schedule(struct napi_struct *napi)
{
	tasklet_schedule(&napi->usermm_tasklet);
}

bool napi_complete_done(struct napi_struct *napi, int work)
{
	(void)work;
	clear_bit(NAPI_STATE_SCHED, &napi->state);
	/* After the bit is clear: who finds it set before that leaves the mark. */
	smp_mb__after_atomic();
	return !test_and_clear_bit(NAPI_STATE_MISSED, &napi->state) || !napi_schedule(napi);
}

void napi_enable(struct napi_struct *napi)
{
	clear_bit(NAPI_STATE_DISABLE, &napi->state);
	clear_bit(NAPI_STATE_MISSED, &napi->state);
	clear_bit(NAPI_STATE_SCHED, &napi->state);
}

void napi_disable(struct napi_struct *napi)
{
	set_bit(NAPI_STATE_DISABLE, &napi->state);
	tasklet_kill(&napi->usermm_tasklet);
	set_bit(NAPI_STATE_SCHED, &napi->state);
}
