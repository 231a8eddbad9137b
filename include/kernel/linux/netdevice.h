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
#include <linux/if_link.h>
#include <linux/interrupt.h>
#include <linux/notifier.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/if.h>
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
#define NET_NAME_PREDICTABLE 2
#define NET_NAME_USER 3
#define NAPI_POLL_WEIGHT 64
#define LL_MAX_HEADER 128
#define MAX_HEADER LL_MAX_HEADER
#define NETIF_F_SG ((netdev_features_t)1 << 0)
#define NETIF_F_IP_CSUM ((netdev_features_t)1 << 1)
#define NETIF_F_HW_CSUM ((netdev_features_t)1 << 3)
#define NETIF_F_HIGHDMA ((netdev_features_t)1 << 5)
#define NETIF_F_FRAGLIST ((netdev_features_t)1 << 6)
#define NETIF_F_LLTX ((netdev_features_t)1 << 12)
#define NETIF_F_TSO ((netdev_features_t)1 << 16)
#define NETIF_F_RXCSUM ((netdev_features_t)1 << 40)
#define IFF_EBRIDGE (1 << 1)
#define IFF_LIVE_ADDR_CHANGE (1 << 15)
#define IFF_NO_QUEUE (1 << 18)

enum netdev_cmd {
	NETDEV_UP = 1, NETDEV_DOWN, NETDEV_REBOOT, NETDEV_CHANGE, NETDEV_REGISTER,
	NETDEV_UNREGISTER, NETDEV_CHANGEMTU, NETDEV_CHANGEADDR, NETDEV_PRE_CHANGEADDR,
	NETDEV_GOING_DOWN, NETDEV_CHANGENAME, NETDEV_FEAT_CHANGE,
};
#define NET_NAME_UNKNOWN 0
#define NET_NAME_ENUM 1
typedef int netdev_tx_t;
typedef u64 netdev_features_t;

struct ifmap;
struct ifreq;
struct net_device;

struct header_ops {
	int (*create)(struct sk_buff *skb, struct net_device *dev, unsigned short type,
		      const void *to, const void *from, unsigned int n);
	int (*parse)(const struct sk_buff *skb, unsigned char *address);
};

/* No device receives anything, so poll() is never called. */
struct napi_struct {
	struct list_head poll_list;
	unsigned long state;
	int weight;
	int (*poll)(struct napi_struct *napi, int budget);
	struct net_device *dev;
};

struct netdev_queue {
	struct net_device *dev;
	unsigned long trans_start, state;
};

/* Packets of a protocol, which never come. */
struct packet_type {
	__be16 type;
	struct net_device *dev;
	int (*func)(struct sk_buff *skb, struct net_device *dev, struct packet_type *type,
		    struct net_device *original);
	void *af_packet_priv;
	struct list_head list;
};

struct net_device_stats {
	unsigned long rx_packets, tx_packets, rx_bytes, tx_bytes;
	unsigned long rx_errors, tx_errors, rx_dropped, tx_dropped;
	unsigned long multicast, collisions;
	unsigned long rx_length_errors, rx_over_errors, rx_crc_errors, rx_frame_errors;
	unsigned long rx_fifo_errors, rx_missed_errors;
	unsigned long tx_aborted_errors, tx_carrier_errors, tx_fifo_errors, tx_heartbeat_errors;
	unsigned long tx_window_errors, rx_compressed, tx_compressed;
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
	void (*ndo_get_stats64)(struct net_device *dev, struct rtnl_link_stats64 *stats);
	int (*ndo_do_ioctl)(struct net_device *dev, struct ifreq *request, int command);
	int (*ndo_eth_ioctl)(struct net_device *dev, struct ifreq *request, int command);
	int (*ndo_siocdevprivate)(struct net_device *dev, struct ifreq *request,
				  void __user *data, int command);
	int (*ndo_set_config)(struct net_device *dev, struct ifmap *map);
	netdev_features_t (*ndo_fix_features)(struct net_device *dev, netdev_features_t features);
	int (*ndo_set_features)(struct net_device *dev, netdev_features_t features);
	void (*ndo_poll_controller)(struct net_device *dev);
	int (*ndo_change_carrier)(struct net_device *dev, bool carrier);
	void (*ndo_change_rx_flags)(struct net_device *dev, int flags);
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
	const struct ethtool_ops *ethtool_ops;
	const struct header_ops *header_ops;
	unsigned char perm_addr[MAX_ADDR_LEN];
	unsigned int real_num_tx_queues, num_tx_queues, real_num_rx_queues, num_rx_queues;
	unsigned long base_addr, state;
	int irq, group;
	netdev_features_t vlan_features, hw_enc_features;
	unsigned char operstate, if_port, dma;
	unsigned short needed_headroom, needed_tailroom;
	unsigned int tx_queue_len;
	void *ml_priv, *ip_ptr;
	struct list_head dev_list;
	struct netdev_queue usermm_queue;
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
static inline struct net_device *usermm_notified_device(const void *info)
{
	return *(struct net_device *const *)info;
}

#define netdev_notifier_info_to_dev(info) usermm_notified_device(info)
#define for_each_netdev_rcu(net, dev) for_each_netdev(net, dev)
#define for_each_netdev_safe(net, dev, next) for ((void)(net), dev = next = NULL; dev;)
#define first_net_device(net) ((void)(net), (struct net_device *)NULL)
#define next_net_device(dev) ((void)(dev), (struct net_device *)NULL)
#define __dev_get_by_name(net, name) dev_get_by_name(net, name)
#define dev_get_by_name_rcu(net, name) dev_get_by_name(net, name)
#define dev_get_by_index_rcu(net, index) dev_get_by_index(net, index)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
extern rwlock_t dev_base_lock __asm__("usermm_dev_base_lock")
	__attribute__((visibility("default")));
#endif
#define dev_add_pack(type) ((void)(type))
#define dev_remove_pack(type) ((void)(type))
#define __dev_remove_pack(type) ((void)(type))
#define dev_set_promiscuity(dev, n) ((void)(dev), (void)(n), 0)
#define dev_open(dev, extack) ((void)(dev), (void)(extack), -ENODEV)
#define dev_close(dev) ((void)(dev))
#define netdev_rx_handler_register(dev, handler, data) \
	((void)(dev), (void)(handler), (void)(data), 0)
#define netdev_rx_handler_unregister(dev) ((void)(dev))
#define netdev_get_tx_queue(dev, index) ((void)(index), &((struct net_device *)(dev))->usermm_queue)
#define netif_tx_start_all_queues(dev) netif_start_queue(dev)
#define netif_tx_stop_all_queues(dev) netif_stop_queue(dev)
#define netif_tx_wake_all_queues(dev) netif_wake_queue(dev)
#define netif_tx_disable(dev) netif_stop_queue(dev)
#define netif_carrier_ok(dev) ((void)(dev), true)
#define netif_device_attach(dev) ((void)(dev))
#define netif_device_detach(dev) ((void)(dev))
#define netif_device_present(dev) ((void)(dev), true)
#define netif_tx_lock(dev) ((void)(dev))
#define netif_tx_unlock(dev) ((void)(dev))
#define netif_set_real_num_tx_queues(dev, n) ((dev)->real_num_tx_queues = (n), 0)
#define netdev_sent_queue(dev, bytes) ((void)(dev), (void)(bytes))
#define netdev_completed_queue(dev, n, bytes) ((void)(dev), (void)(n), (void)(bytes))
#define netdev_reset_queue(dev) ((void)(dev))
#define unregister_netdevice_queue(dev, list) ((void)(list), unregister_netdev(dev))
#define dev_addr_set(dev, address) memcpy((dev)->dev_addr, address, (dev)->addr_len)
#define __dev_addr_set(dev, address, n) memcpy((dev)->dev_addr, address, n)
#define dev_alloc_name(dev, name) ((void)(dev), (void)(name), 0)

static inline void usermm_napi_add(struct net_device *dev, struct napi_struct *napi,
				   int (*poll)(struct napi_struct *napi, int budget), int weight)
{
	*napi = (struct napi_struct){ .dev = dev, .poll = poll, .weight = weight };
	INIT_LIST_HEAD(&napi->poll_list);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define netif_napi_add(dev, napi, poll) usermm_napi_add(dev, napi, poll, NAPI_POLL_WEIGHT)
#else
#define netif_napi_add(dev, napi, poll, weight) usermm_napi_add(dev, napi, poll, weight)
#endif
#define netif_napi_add_weight(dev, napi, poll, weight) usermm_napi_add(dev, napi, poll, weight)
#define netif_napi_del(napi) ((void)(napi))
#define napi_enable(napi) ((void)(napi))
#define napi_disable(napi) ((void)(napi))
#define napi_schedule(napi) ((void)(napi), false)
#define napi_schedule_prep(napi) ((void)(napi), false)
#define __napi_schedule(napi) ((void)(napi))
#define napi_complete(napi) ((void)(napi), true)
#define napi_complete_done(napi, n) ((void)(napi), (void)(n), true)
#define napi_gro_receive(napi, skb) ((void)(napi), netif_rx(skb))

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
