// SPDX-License-Identifier: MIT
/* The namespace's data of modules, by number, and the handlers of protocols. */
#include <linux/idr.h>
#include <linux/ip.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/netns/generic.h>
#include <net/protocol.h>

static DEFINE_IDR(generic);	/* Sync: generic_lock; readers need none */
static DEFINE_MUTEX(generic_lock);

static void free_data(struct pernet_operations *operations)
{
	if (!operations->id || !operations->size)
		return;
	mutex_lock(&generic_lock);
	kfree(idr_remove(&generic, *operations->id));
	mutex_unlock(&generic_lock);
}

int register_pernet_subsys(struct pernet_operations *operations)
{
	int error = 0;

	if (operations->id && operations->size) {
		void *data = kzalloc(operations->size, GFP_KERNEL);
		int id = -ENOMEM;

		mutex_lock(&generic_lock);
		if (data)
			id = idr_alloc(&generic, data, 1, 0, GFP_KERNEL);
		mutex_unlock(&generic_lock);
		if (id < 0) {
			kfree(data);
			return id;
		}
		*operations->id = (unsigned int)id;
	}
	if (operations->init)
		error = operations->init(&init_net);
	if (error)
		free_data(operations);
	return error;
}

void unregister_pernet_subsys(struct pernet_operations *operations)
{
	if (operations->exit)
		(operations->exit)(&init_net);
	free_data(operations);
}

void *net_generic(const struct net *net, unsigned int id)
{
	void *data;

	(void)net;
	rcu_read_lock();
	data = idr_find(&generic, id);
	rcu_read_unlock();
	return data;
}

/* The machine's own protocols: nobody else may have them. */
static const struct net_protocol own;
static const struct net_protocol *protocols[MAX_INET_PROTOS] = {	/* Sync: atomic */
	[IPPROTO_ICMP] = &own, [IPPROTO_IGMP] = &own, [IPPROTO_TCP] = &own, [IPPROTO_UDP] = &own,
};

int inet_add_protocol(const struct net_protocol *handler, unsigned char protocol)
{
	return cmpxchg(&protocols[protocol], NULL, handler) ? -1 : 0;
}

int inet_del_protocol(const struct net_protocol *handler, unsigned char protocol)
{
	return cmpxchg(&protocols[protocol], handler, NULL) == handler ? 0 : -1;
}

int usermm_inet_deliver(struct sk_buff *skb)
{
	const struct net_protocol *handler = READ_ONCE(protocols[ip_hdr(skb)->protocol]);

	if (!handler || !handler->handler) {
		kfree_skb(skb);
		return NET_RX_DROP;
	}
	skb_pull(skb, ip_hdr(skb)->ihl * 4U);
	return handler->handler(skb) < 0 ? NET_RX_DROP : NET_RX_SUCCESS;
}
