/* SPDX-License-Identifier: MIT */
/* Addresses of network devices. None has one, and notifiers are not called. */
#ifndef _LINUX_INETDEVICE_H
#define _LINUX_INETDEVICE_H

#include <linux/bitmap.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>
#include <linux/sysctl.h>
#include <linux/timer.h>

struct in_device;
struct in_ifaddr {
	struct in_ifaddr *ifa_next;
	struct in_device *ifa_dev;
	__be32 ifa_local, ifa_address, ifa_mask, ifa_broadcast;
	unsigned char ifa_prefixlen;
	char ifa_label[IFNAMSIZ];
};

struct in_device {
	struct net_device *dev;
	struct in_ifaddr *ifa_list;
};

#define register_inetaddr_notifier(block) ((void)(block), 0)
#define unregister_inetaddr_notifier(block) ((void)(block), 0)
#define __in_dev_get_rcu(dev) ((void)(dev), (struct in_device *)NULL)
#define __in_dev_get_rtnl(dev) ((void)(dev), (struct in_device *)NULL)
#define in_dev_get(dev) ((void)(dev), (struct in_device *)NULL)
#define in_dev_put(dev) ((void)(dev))
#define in_dev_for_each_ifa_rcu(ifa, in_dev) \
	for (ifa = (in_dev)->ifa_list; ifa; ifa = ifa->ifa_next)
#define in_dev_for_each_ifa_rtnl(ifa, in_dev) in_dev_for_each_ifa_rcu(ifa, in_dev)

#endif
