// SPDX-License-Identifier: MIT
/* The list of network devices: see linux/netdevice.h; cf. Linux net/core/dev.c. */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include "devices.h"

static DEFINE_MUTEX(rtnl);
static struct raw_notifier_head notifiers = { 0 };	/* Sync: rtnl */
static int last_index = 1;				/* Sync: rtnl */

static netdev_tx_t send_to_itself(struct sk_buff *skb, struct net_device *dev)
{
	dev->stats.tx_packets++;
	dev->stats.tx_bytes += skb->len;
	dev->stats.rx_packets++;
	dev->stats.rx_bytes += skb->len;
	skb->protocol = eth_type_trans(skb, dev);
	(void)netif_rx(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops loopback_ops = { .ndo_start_xmit = send_to_itself };

static struct net_device loopback = {
	.name = "lo", .ifindex = 1, .mtu = 65536, .type = ARPHRD_LOOPBACK, .addr_len = ETH_ALEN,
	.hard_header_len = ETH_HLEN, .flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING,
	.netdev_ops = &loopback_ops, .header_ops = &eth_header_ops,
	.dev_list = { &usermm_netdevs, &usermm_netdevs }, .registered = true,
};

static __attribute__((constructor)) void name_loopback(void)
{
	init_net.loopback_dev = &loopback;
}

struct net_device usermm_no_netdev = {
	.dev_list = { &loopback.dev_list, &loopback.dev_list },
};

void rtnl_lock(void)
{
	mutex_lock(&rtnl);
}

void rtnl_unlock(void)
{
	mutex_unlock(&rtnl);
}

int rtnl_trylock(void)
{
	return mutex_trylock(&rtnl);
}

int rtnl_is_locked(void)
{
	return mutex_is_locked(&rtnl);
}

struct net_device *usermm_dev_by_name(const char *name)
{
	struct net_device *dev, *found = NULL;

	rcu_read_lock();
	for_each_netdev_rcu(&init_net, dev)
		if (!found && !strcmp(dev->name, name))
			found = dev;
	rcu_read_unlock();
	return found;
}

struct net_device *usermm_dev_by_index(int index)
{
	struct net_device *dev, *found = NULL;

	rcu_read_lock();
	for_each_netdev_rcu(&init_net, dev)
		if (!found && dev->ifindex == index)
			found = dev;
	rcu_read_unlock();
	return found;
}

int tell_of_netdev(struct net_device *dev, unsigned long event)
{
	/* A notifier gets something that begins with the device. */
	struct net_device *info[] = { dev, NULL };

	return notifier_to_errno(raw_notifier_call_chain(&notifiers, event, info));
}

int register_netdevice_notifier(struct notifier_block *block)
{
	struct net_device *dev;
	int error;

	rtnl_lock();
	error = raw_notifier_chain_register(&notifiers, block);
	if (!error)
		for_each_netdev(&init_net, dev) {
			struct net_device *info[] = { dev, NULL };

			(void)block->notifier_call(block, NETDEV_REGISTER, info);
			if (dev->flags & IFF_UP)
				(void)block->notifier_call(block, NETDEV_UP, info);
		}
	rtnl_unlock();
	return error;
}

int unregister_netdevice_notifier(struct notifier_block *block)
{
	int error;

	rtnl_lock();
	error = raw_notifier_chain_unregister(&notifiers, block);
	rtnl_unlock();
	return error;
}

static void free_memory(struct device *dev)
{
	kfree(container_of(dev, struct net_device, dev));
}

struct net_device *usermm_alloc_netdev(size_t size, const char *name,
				       void (*setup)(struct net_device *dev))
{
	struct net_device *dev = kzalloc(sizeof(*dev) + size, GFP_KERNEL);

	if (!dev)
		return NULL;
	strscpy(dev->name, name, sizeof(dev->name));
	INIT_LIST_HEAD(&dev->dev_list);
	dev->usermm_queue.dev = dev;
	dev->num_tx_queues = dev->num_rx_queues = 1;
	dev->real_num_tx_queues = dev->real_num_rx_queues = 1;
	dev->dev.release = free_memory;
	device_initialize(&dev->dev);
	setup(dev);
	return dev;
}

void free_netdev(struct net_device *dev)
{
	put_device(&dev->dev);
}

/* Gives the device the first free number of its name, or checks the name. Under rtnl. */
static int choose_name(struct net_device *dev)
{
	char *percent = strchr(dev->name, '%'), name[IFNAMSIZ];

	if (!percent) {
		if (!dev->name[0] || strchr(dev->name, '/') || strchr(dev->name, ':') ||
		    !strcmp(dev->name, ".") || !strcmp(dev->name, ".."))
			return -EINVAL;
		return usermm_dev_by_name(dev->name) ? -EEXIST : 0;
	}
	if (percent[1] != 'd' || strchr(percent + 1, '%'))
		return -EINVAL;
	*percent = 0;
	for (int i = 0; ; i++) {
		if (snprintf(name, sizeof(name), "%s%d%s", dev->name, i, percent + 2) >= IFNAMSIZ)
			return -ENFILE;
		if (!usermm_dev_by_name(name))
			break;
	}
	strscpy(dev->name, name, sizeof(dev->name));
	return 0;
}

int register_netdevice(struct net_device *dev)
{
	const struct net_device_ops *ops = dev->netdev_ops;
	int error = choose_name(dev);

	ASSERT_RTNL();
	if (!error && ops && ops->ndo_init)
		error = ops->ndo_init(dev);
	if (error)
		return error > 0 ? -EIO : error;
	dev->ifindex = ++last_index;
	error = show_netdev(dev);
	if (error) {
		if (ops && ops->ndo_uninit)
			ops->ndo_uninit(dev);
		return error;
	}
	dev->registered = true;
	list_add_tail_rcu(&dev->dev_list, &usermm_netdevs);
	return tell_of_netdev(dev, NETDEV_REGISTER);
}

int register_netdev(struct net_device *dev)
{
	int error;

	rtnl_lock();
	error = register_netdevice(dev);
	rtnl_unlock();
	return error;
}

int usermm_dev_open(struct net_device *dev)
{
	const struct net_device_ops *ops = dev->netdev_ops;
	int error = 0;

	ASSERT_RTNL();
	if (dev->flags & IFF_UP)
		return 0;
	if (!netif_device_present(dev))
		return -ENODEV;
	if (ops->ndo_validate_addr)
		error = ops->ndo_validate_addr(dev);
	if (!error && ops->ndo_open)
		error = ops->ndo_open(dev);
	if (error)
		return error;
	dev->flags |= IFF_UP | IFF_RUNNING;
	(void)tell_of_netdev(dev, NETDEV_UP);
	return 0;
}

void usermm_dev_close(struct net_device *dev)
{
	ASSERT_RTNL();
	if (!(dev->flags & IFF_UP))
		return;
	(void)tell_of_netdev(dev, NETDEV_GOING_DOWN);
	if (dev->netdev_ops->ndo_stop)
		(void)dev->netdev_ops->ndo_stop(dev);
	dev->flags &= ~(unsigned int)(IFF_UP | IFF_RUNNING);
	(void)tell_of_netdev(dev, NETDEV_DOWN);
}

int dev_set_mtu(struct net_device *dev, int mtu)
{
	const struct net_device_ops *ops = dev->netdev_ops;
	int error = 0;

	if ((unsigned int)mtu == dev->mtu)
		return 0;
	if (mtu < 0 || (unsigned int)mtu < dev->min_mtu ||
	    (dev->max_mtu && (unsigned int)mtu > dev->max_mtu))
		return -EINVAL;
	if (!netif_device_present(dev))
		return -ENODEV;
	if (ops && ops->ndo_change_mtu)
		error = ops->ndo_change_mtu(dev, mtu);
	else
		WRITE_ONCE(dev->mtu, (unsigned int)mtu);
	if (!error)
		(void)tell_of_netdev(dev, NETDEV_CHANGEMTU);
	return error;
}

/* The device is off and out of the list when this returns. Under rtnl. */
static void take_off(struct net_device *dev)
{
	usermm_dev_close(dev);
	list_del_rcu(&dev->dev_list);
	dev->registered = false;
	synchronize_net();
	(void)tell_of_netdev(dev, NETDEV_UNREGISTER);
	if (dev->netdev_ops && dev->netdev_ops->ndo_uninit)
		dev->netdev_ops->ndo_uninit(dev);
	hide_netdev(dev);
}

static void free_if_wanted(struct net_device *dev)
{
	bool frees = dev->needs_free_netdev;

	if (dev->priv_destructor)
		dev->priv_destructor(dev);
	if (frees)
		free_netdev(dev);
}

void unregister_netdevice(struct net_device *dev)
{
	ASSERT_RTNL();
	take_off(dev);
	free_if_wanted(dev);
}

void unregister_netdev(struct net_device *dev)
{
	rtnl_lock();
	take_off(dev);
	rtnl_unlock();
	free_if_wanted(dev);
}

struct rtnl_link_stats64 *dev_get_stats(struct net_device *dev, struct rtnl_link_stats64 *storage)
{
	const struct net_device_ops *ops = dev->netdev_ops;

	memset(storage, 0, sizeof(*storage));
	if (ops && ops->ndo_get_stats64)
		ops->ndo_get_stats64(dev, storage);
	else
		netdev_stats_to_stats64(storage, ops && ops->ndo_get_stats ?
						 ops->ndo_get_stats(dev) : &dev->stats);
	return storage;
}
