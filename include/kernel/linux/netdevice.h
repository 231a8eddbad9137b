/* SPDX-License-Identifier: MIT */
/*
 * Network devices. They can be registered, and a module's own functions can be called by it; no
 * packet comes or goes.
 */
#ifndef KERNEL_LINUX_NETDEVICE_H
#define KERNEL_LINUX_NETDEVICE_H

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/if_ether.h>
#include <linux/interrupt.h>
#include <linux/notifier.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#ifndef IFNAMSIZ
#define IFNAMSIZ 16
#endif

#undef MAX_ADDR_LEN
#define MAX_ADDR_LEN 32
#define NETDEV_TX_OK 0
#define NETDEV_TX_BUSY 0x10
#define NET_RX_SUCCESS 0
#define NET_RX_DROP 1
#define NETDEV_ALIGN 32
#define NET_NAME_UNKNOWN 0
#define NET_NAME_ENUM 1
typedef int netdev_tx_t;
typedef u64 netdev_features_t;

struct net_device;

struct net_device_stats {
	unsigned long rx_packets, tx_packets, rx_bytes, tx_bytes;
	unsigned long rx_errors, tx_errors, rx_dropped, tx_dropped;
	unsigned long multicast, collisions;
};

struct net_device_ops {
	int (*ndo_init)(struct net_device *dev);
	void (*ndo_uninit)(struct net_device *dev);
	int (*ndo_open)(struct net_device *dev);
	int (*ndo_stop)(struct net_device *dev);
	netdev_tx_t (*ndo_start_xmit)(struct sk_buff *skb, struct net_device *dev);
	void (*ndo_set_rx_mode)(struct net_device *dev);
	int (*ndo_set_mac_address)(struct net_device *dev, void *address);
	int (*ndo_validate_addr)(struct net_device *dev);
	int (*ndo_change_mtu)(struct net_device *dev, int mtu);
	void (*ndo_tx_timeout)(struct net_device *dev, unsigned int queue);
	struct net_device_stats *(*ndo_get_stats)(struct net_device *dev);
};

struct net_device {
	char name[IFNAMSIZ];
	int ifindex;
	unsigned int flags, mtu, min_mtu, max_mtu;
	unsigned short type, hard_header_len;
	unsigned char addr_len;
	unsigned char dev_addr[MAX_ADDR_LEN], broadcast[MAX_ADDR_LEN];
	netdev_features_t features, hw_features;
	unsigned int priv_flags;
	unsigned long trans_start;
	int watchdog_timeo;
	const struct net_device_ops *netdev_ops;
	const void *ethtool_ops, *header_ops;
	struct net_device_stats stats;
	bool needs_free_netdev;
	void (*priv_destructor)(struct net_device *dev);
	struct device dev;
	bool registered, queue_stopped;
	unsigned char priv[] __attribute__((aligned(NETDEV_ALIGN)));
};

static inline void *netdev_priv(const struct net_device *dev)
{
	return (void *)dev->priv;
}

static inline struct net_device *usermm_alloc_netdev(size_t size, const char *name,
						     void (*setup)(struct net_device *dev))
{
	struct net_device *dev = kzalloc(sizeof(*dev) + size, GFP_KERNEL);

	if (!dev)
		return NULL;
	/* A %d is the number of the first device. */
	snprintf(dev->name, sizeof(dev->name), name, 0);
	setup(dev);
	return dev;
}

#define alloc_netdev(size, name, type, setup) usermm_alloc_netdev(size, name, setup)
#define alloc_netdev_mqs(size, name, type, setup, tx, rx) usermm_alloc_netdev(size, name, setup)

static inline void free_netdev(struct net_device *dev)
{
	kfree(dev);
}

static inline int register_netdev(struct net_device *dev)
{
	int error = dev->netdev_ops && dev->netdev_ops->ndo_init ?
		    dev->netdev_ops->ndo_init(dev) : 0;

	dev->registered = !error;
	return error;
}

static inline void unregister_netdev(struct net_device *dev)
{
	dev->registered = false;
	if (dev->netdev_ops && dev->netdev_ops->ndo_uninit)
		dev->netdev_ops->ndo_uninit(dev);
	if (dev->priv_destructor)
		dev->priv_destructor(dev);
	if (dev->needs_free_netdev)
		free_netdev(dev);
}

/* Nobody receives the packet. */
static inline int netif_rx(struct sk_buff *skb)
{
	kfree_skb(skb);
	return NET_RX_DROP;
}

#define register_netdevice(dev) register_netdev(dev)
#define unregister_netdevice(dev) unregister_netdev(dev)
#define netif_receive_skb(skb) netif_rx(skb)
#define dev_queue_xmit(skb) netif_rx(skb)
#define netif_start_queue(dev) ((void)((dev)->queue_stopped = false))
#define netif_wake_queue(dev) ((void)((dev)->queue_stopped = false))
#define netif_stop_queue(dev) ((void)((dev)->queue_stopped = true))
#define netif_queue_stopped(dev) ((dev)->queue_stopped)
#define netif_carrier_on(dev) ((void)(dev))
#define netif_carrier_off(dev) ((void)(dev))
#define netif_running(dev) ((dev)->registered)
#define netif_trans_update(dev) ((void)((dev)->trans_start = jiffies))
#define dev_get_by_name(net, name) ((void)(net), (void)(name), (struct net_device *)NULL)
#define dev_get_by_index(net, index) ((void)(net), (void)(index), (struct net_device *)NULL)
#define dev_put(dev) ((void)(dev))
#define dev_hold(dev) ((void)(dev))
#define for_each_netdev(net, dev) for ((void)(net), dev = NULL; dev;)
#define register_netdevice_notifier(block) ((void)(block), 0)
#define unregister_netdevice_notifier(block) ((void)(block), 0)
#define rtnl_lock() ((void)0)
#define rtnl_unlock() ((void)0)
#define SET_NETDEV_DEV(net_device, parent_device) \
	((void)((net_device)->dev.parent = (parent_device)))
#define netdev_info(dev, fmt, ...) pr_info("%s: " fmt, (dev)->name, ##__VA_ARGS__)
#define netdev_warn(dev, fmt, ...) pr_warn("%s: " fmt, (dev)->name, ##__VA_ARGS__)
#define netdev_err(dev, fmt, ...) pr_err("%s: " fmt, (dev)->name, ##__VA_ARGS__)
#define netdev_dbg(dev, fmt, ...) pr_debug("%s: " fmt, (dev)->name, ##__VA_ARGS__)

#endif
