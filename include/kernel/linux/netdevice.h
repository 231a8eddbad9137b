/* SPDX-License-Identifier: MIT */
/*
 * Network devices of modules, and lo. They are in /sys/class/net and /proc/net/dev, where programs
 * switch them on and off by `flags`. What is sent on a device reaches its ndo_start_xmit(); what a
 * module receives passes rx_handler, packet_type and netfilter's hooks. The machine's own devices
 * are not seen, and no program's packets come.
 */
#ifndef KERNEL_LINUX_NETDEVICE_H
#define KERNEL_LINUX_NETDEVICE_H

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/hashtable.h>
#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/interrupt.h>
#include <linux/notifier.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/stackdepot.h>
#include <linux/u64_stats_sync.h>
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
#define NET_XMIT_SUCCESS 0
#define NET_XMIT_DROP 1
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

enum { NAPI_STATE_SCHED, NAPI_STATE_MISSED, NAPI_STATE_DISABLE };

/* Polls run in a tasklet, one after the other. */
struct napi_struct {
	struct list_head poll_list;
	unsigned long state;
	int weight;
	int (*poll)(struct napi_struct *napi, int budget);
	struct net_device *dev;
	struct tasklet_struct usermm_tasklet;
};

enum rx_handler_result {
	RX_HANDLER_CONSUMED, RX_HANDLER_ANOTHER, RX_HANDLER_EXACT, RX_HANDLER_PASS,
};
typedef enum rx_handler_result rx_handler_result_t;
typedef rx_handler_result_t rx_handler_func_t(struct sk_buff **pskb);

struct pcpu_sw_netstats {
	u64_stats_t rx_packets, rx_bytes, tx_packets, tx_bytes;
	struct u64_stats_sync syncp;
} __attribute__((aligned(4 * sizeof(u64))));

struct pcpu_lstats {
	u64_stats_t packets, bytes;
	struct u64_stats_sync syncp;
} __attribute__((aligned(2 * sizeof(u64))));

struct netdev_queue {
	struct net_device *dev;
	unsigned long trans_start, state;
};

/* A receiver of the packets of a protocol, or of all (ETH_P_ALL). */
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
	bool usermm_is_detached, usermm_has_no_carrier;
	rx_handler_func_t *rx_handler;
	void *rx_handler_data;
	struct pcpu_sw_netstats __percpu *tstats;
	struct pcpu_lstats __percpu *lstats;
	unsigned char priv[] __attribute__((aligned(NETDEV_ALIGN)));
};

static inline void *netdev_priv(const struct net_device *dev)
{
	return (void *)dev->priv;
}

/* The list's head, in a device that is none: a step over the list computes the head's device. */
extern struct net_device usermm_no_netdev __asm__("usermm_no_netdev")
	__attribute__((visibility("default")));
#define usermm_netdevs usermm_no_netdev.dev_list	/* Sync: rtnl_lock(), RCU */

USERMM_BEGIN_DECLS

/* A device with size bytes for its driver. A %d in the name becomes a number when registered. */
struct net_device *usermm_alloc_netdev(size_t size, const char *name,
				       void (*setup)(struct net_device *dev))
	USERMM_API(alloc_netdev);
/* Frees a device that is not registered. */
void free_netdev(struct net_device *dev)
	USERMM_API(free_netdev);
/* What Ethernet devices have in common: sizes, type, broadcast address, how headers are made. */
void ether_setup(struct net_device *dev) USERMM_API(ether_setup);
/* 0, -EEXIST, -EINVAL for a name that cannot be, ndo_init()'s error. Sleeps. */
int register_netdev(struct net_device *dev)
	USERMM_API(register_netdev);
/* Stops the device first. Frees it if needs_free_netdev is set. Sleeps. */
void unregister_netdev(struct net_device *dev)
	USERMM_API(unregister_netdev);
int register_netdevice(struct net_device *dev)		/* under rtnl_lock() */
	USERMM_API(register_netdevice);
void unregister_netdevice(struct net_device *dev)	/* under rtnl_lock() */
	USERMM_API(unregister_netdevice);
/* Both under rtnl_lock(). 0, -ENODEV for a device that is detached, ndo_open()'s error. */
int usermm_dev_open(struct net_device *dev)
	USERMM_API(dev_open);
void usermm_dev_close(struct net_device *dev)
	USERMM_API(dev_close);
/* 0, -EINVAL for what is out of min_mtu and max_mtu, the driver's error. Under rtnl_lock(). */
int dev_set_mtu(struct net_device *dev, int mtu)
	USERMM_API(dev_set_mtu);
struct net_device *usermm_dev_by_name(const char *name)
	USERMM_API(dev_get_by_name);
struct net_device *usermm_dev_by_index(int index)
	USERMM_API(dev_get_by_index);
struct rtnl_link_stats64 *dev_get_stats(struct net_device *dev, struct rtnl_link_stats64 *storage)
	USERMM_API(dev_get_stats);

/* A new block hears of the devices that are there already. */
int register_netdevice_notifier(struct notifier_block *block)
	USERMM_API(register_netdevice_notifier);
int unregister_netdevice_notifier(struct notifier_block *block)
	USERMM_API(unregister_netdevice_notifier);
void rtnl_lock(void)
	USERMM_API(rtnl_lock);
void rtnl_unlock(void)
	USERMM_API(rtnl_unlock);
int rtnl_trylock(void)
	USERMM_API(rtnl_trylock);
int rtnl_is_locked(void)
	USERMM_API(rtnl_is_locked);

/*
 * All take the packet. dev_queue_xmit() gives it to skb->dev: what ndo_start_xmit() returns, or
 * -ENETDOWN. netif_rx() queues it, and delivers it in a tasklet; netif_receive_skb() delivers it at
 * once. NET_RX_DROP: nobody wanted it.
 */
int dev_queue_xmit(struct sk_buff *skb)
	USERMM_API(dev_queue_xmit);
int netif_rx(struct sk_buff *skb)
	USERMM_API(netif_rx);
int netif_receive_skb(struct sk_buff *skb)
	USERMM_API(netif_receive_skb);

void dev_add_pack(struct packet_type *type)
	USERMM_API(dev_add_pack);
/* Sleeps until nobody uses type any more; __dev_remove_pack() does not wait. */
void dev_remove_pack(struct packet_type *type)
	USERMM_API(dev_remove_pack);
void __dev_remove_pack(struct packet_type *type)
	USERMM_API(__dev_remove_pack);
/* 0, or -EBUSY. Under rtnl_lock(). */
int netdev_rx_handler_register(struct net_device *dev, rx_handler_func_t *handler, void *data)
	USERMM_API(netdev_rx_handler_register);
void netdev_rx_handler_unregister(struct net_device *dev)
	USERMM_API(netdev_rx_handler_unregister);

void usermm_napi_add(struct net_device *dev, struct napi_struct *napi,
		     int (*poll)(struct napi_struct *napi, int budget), int weight)
	USERMM_API(netif_napi_add);
/* May the caller schedule it? It is not disabled, and was not scheduled. */
bool napi_schedule_prep(struct napi_struct *napi)
	USERMM_API(napi_schedule_prep);
void __napi_schedule(struct napi_struct *napi)
	USERMM_API(__napi_schedule);
/* False: work came meanwhile, so there is another poll. */
bool napi_complete_done(struct napi_struct *napi, int work)
	USERMM_API(napi_complete_done);
void napi_enable(struct napi_struct *napi)
	USERMM_API(napi_enable);
/* Waits for a poll that runs. Sleeps. */
void napi_disable(struct napi_struct *napi)
	USERMM_API(napi_disable);

USERMM_END_DECLS

#define alloc_netdev(size, name, type, setup) usermm_alloc_netdev(size, name, setup)
#define alloc_netdev_mqs(size, name, type, setup, tx, rx) usermm_alloc_netdev(size, name, setup)
#define alloc_netdev_mq(size, name, type, setup, n) usermm_alloc_netdev(size, name, setup)
#define dev_open(dev, ...) usermm_dev_open(dev)
#define dev_close(dev) usermm_dev_close(dev)
#define LL_RESERVED_SPACE(dev) \
	((((unsigned int)(dev)->hard_header_len + (dev)->needed_headroom) & ~15U) + 16)
#define __dev_queue_xmit(skb, other) dev_queue_xmit(skb)
#define netif_start_queue(dev) ((void)((dev)->queue_stopped = false))
#define netif_wake_queue(dev) ((void)((dev)->queue_stopped = false))
#define netif_stop_queue(dev) ((void)((dev)->queue_stopped = true))
#define netif_queue_stopped(dev) ((dev)->queue_stopped)
#define netif_carrier_on(dev) ((void)((dev)->usermm_has_no_carrier = false))
#define netif_carrier_off(dev) ((void)((dev)->usermm_has_no_carrier = true))
#define netif_running(dev) (!!((dev)->flags & IFF_UP))
#define netif_trans_update(dev) ((void)((dev)->trans_start = jiffies))
#define dev_get_by_name(net, name) ((void)(net), usermm_dev_by_name(name))
#define dev_get_by_index(net, index) ((void)(net), usermm_dev_by_index(index))
#define dev_put(dev) ((void)(dev))
#define dev_hold(dev) ((void)(dev))
#define for_each_netdev(net, dev) list_for_each_entry(dev, &usermm_netdevs, dev_list)
static inline struct net_device *usermm_notified_device(const void *info)
{
	return *(struct net_device *const *)info;
}

#define netdev_notifier_info_to_dev(info) usermm_notified_device(info)
#define for_each_netdev_rcu(net, dev) list_for_each_entry_rcu(dev, &usermm_netdevs, dev_list)
#define for_each_netdev_safe(net, dev, next) \
	list_for_each_entry_safe(dev, next, &usermm_netdevs, dev_list)
#define first_net_device(net) \
	((void)(net), list_first_entry_or_null(&usermm_netdevs, struct net_device, dev_list))
#define next_net_device(dev) \
	(list_is_last(&(dev)->dev_list, &usermm_netdevs) ? NULL : list_next_entry(dev, dev_list))
#define next_net_device_rcu(dev) next_net_device(dev)
#define __dev_get_by_name(net, name) dev_get_by_name(net, name)
#define dev_get_by_name_rcu(net, name) dev_get_by_name(net, name)
#define dev_get_by_index_rcu(net, index) dev_get_by_index(net, index)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
extern rwlock_t dev_base_lock __asm__("usermm_dev_base_lock")
	__attribute__((visibility("default")));
#endif
#define dev_set_promiscuity(dev, n) ((void)(dev), (void)(n), 0)
#define netdev_get_tx_queue(dev, index) ((void)(index), &((struct net_device *)(dev))->usermm_queue)
#define netif_tx_start_all_queues(dev) netif_start_queue(dev)
#define netif_tx_stop_all_queues(dev) netif_stop_queue(dev)
#define netif_tx_wake_all_queues(dev) netif_wake_queue(dev)
#define netif_tx_disable(dev) netif_stop_queue(dev)
#define netif_carrier_ok(dev) (!(dev)->usermm_has_no_carrier)
#define netif_device_attach(dev) ((void)((dev)->usermm_is_detached = false))
#define netif_device_detach(dev) ((void)((dev)->usermm_is_detached = true))
#define netif_device_present(dev) (!(dev)->usermm_is_detached)
#define netif_tx_lock(dev) ((void)(dev))
#define netif_tx_unlock(dev) ((void)(dev))
#define netif_set_real_num_tx_queues(dev, n) ((dev)->real_num_tx_queues = (n), 0)
#define netdev_sent_queue(dev, bytes) ((void)(dev), (void)(bytes))
#define netdev_completed_queue(dev, n, bytes) ((void)(dev), (void)(n), (void)(bytes))
#define netdev_reset_queue(dev) ((void)(dev))
#define unregister_netdevice_queue(dev, list) ((void)(list), unregister_netdevice(dev))
#define dev_addr_set(dev, address) memcpy((dev)->dev_addr, address, (dev)->addr_len)
#define __dev_addr_set(dev, address, n) memcpy((dev)->dev_addr, address, n)
#define dev_alloc_name(dev, name) ((void)(dev), (void)(name), 0)

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define netif_napi_add(dev, napi, poll) usermm_napi_add(dev, napi, poll, NAPI_POLL_WEIGHT)
#else
#define netif_napi_add(dev, napi, poll, weight) usermm_napi_add(dev, napi, poll, weight)
#endif
#define netif_napi_add_weight(dev, napi, poll, weight) usermm_napi_add(dev, napi, poll, weight)
#define netif_napi_del(napi) ((void)(napi))
#define napi_complete(napi) napi_complete_done(napi, 0)
#define napi_gro_receive(napi, skb) ((void)(napi), netif_receive_skb(skb))
#define netif_receive_skb_core(skb) netif_receive_skb(skb)
#define netif_rx_ni(skb) netif_rx(skb)
#define netif_rx_any_context(skb) netif_rx(skb)

static inline bool napi_schedule(struct napi_struct *napi)
{
	if (!napi_schedule_prep(napi))
		return false;
	__napi_schedule(napi);
	return true;
}

#define napi_schedule_irqoff(napi) napi_schedule(napi)
#define napi_synchronize(napi) tasklet_unlock_wait(&(napi)->usermm_tasklet)

/* The length of the header that the device puts before the data; negative: it has no address. */
static inline int dev_hard_header(struct sk_buff *skb, struct net_device *dev, unsigned short type,
				  const void *to, const void *from, unsigned int n)
{
	if (!dev->header_ops || !dev->header_ops->create)
		return 0;
	return dev->header_ops->create(skb, dev, type, to, from, n);
}

#define netdev_alloc_pcpu_stats(type) alloc_percpu(type)
#define dev_sw_netstats_tx_add(dev, packets, n) \
	usermm_netstats_add(this_cpu_ptr((dev)->tstats), packets, n, true)
#define dev_sw_netstats_rx_add(dev, n) \
	usermm_netstats_add(this_cpu_ptr((dev)->tstats), 1, n, false)

static inline void usermm_netstats_add(struct pcpu_sw_netstats *stats, unsigned int packets,
				       unsigned int n, bool is_sent)
{
	u64_stats_update_begin(&stats->syncp);
	u64_stats_add(is_sent ? &stats->tx_bytes : &stats->rx_bytes, n);
	u64_stats_add(is_sent ? &stats->tx_packets : &stats->rx_packets, packets);
	u64_stats_update_end(&stats->syncp);
}

static inline void dev_lstats_add(struct net_device *dev, unsigned int n)
{
	struct pcpu_lstats *stats = this_cpu_ptr(dev->lstats);

	u64_stats_update_begin(&stats->syncp);
	u64_stats_add(&stats->bytes, n);
	u64_stats_inc(&stats->packets);
	u64_stats_update_end(&stats->syncp);
}

static inline void dev_lstats_read(struct net_device *dev, u64 *packets, u64 *bytes)
{
	unsigned int cpu;

	*packets = *bytes = 0;
	for_each_possible_cpu(cpu) {
		*packets += u64_stats_read(&per_cpu_ptr(dev->lstats, cpu)->packets);
		*bytes += u64_stats_read(&per_cpu_ptr(dev->lstats, cpu)->bytes);
	}
}

static inline void netdev_stats_to_stats64(struct rtnl_link_stats64 *to,
					   const struct net_device_stats *from)
{
	const unsigned long *values = (const unsigned long *)from;
	__u64 *places = (__u64 *)to;

	memset(to, 0, sizeof(*to));
	/* Both begin with the same counters. */
	for (size_t i = 0; i < sizeof(*from) / sizeof(*values); i++)
		places[i] = values[i];
}

#define SET_NETDEV_DEV(net_device, parent_device) \
	((void)((net_device)->dev.parent = (parent_device)))
#define netdev_name(device) ((device)->name)
#define netdev_info(dev, fmt, ...) pr_info("%s: " fmt, (dev)->name, ##__VA_ARGS__)
#define netdev_warn(dev, fmt, ...) pr_warn("%s: " fmt, (dev)->name, ##__VA_ARGS__)
#define netdev_err(dev, fmt, ...) pr_err("%s: " fmt, (dev)->name, ##__VA_ARGS__)
#define netdev_dbg(dev, fmt, ...) pr_debug("%s: " fmt, (dev)->name, ##__VA_ARGS__)

#endif
