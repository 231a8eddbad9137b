/* SPDX-License-Identifier: MIT */
#ifndef _NET_IF_INET6_H
#define _NET_IF_INET6_H

#include <linux/in6.h>
#include <linux/ipv6.h>
#include <linux/list.h>
#include <linux/netdevice.h>

struct inet6_dev {
	struct net_device *dev;
	struct list_head addr_list;
};

struct inet6_ifaddr {
	struct in6_addr addr;
	__u32 prefix_len;
	struct inet6_dev *idev;
	struct list_head if_list;
};

#define __in6_dev_get(dev) ((void)(dev), (struct inet6_dev *)NULL)
#define in6_dev_get(dev) ((void)(dev), (struct inet6_dev *)NULL)
#define in6_dev_put(idev) ((void)(idev))

#endif
