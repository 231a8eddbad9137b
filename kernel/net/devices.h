/* SPDX-License-Identifier: MIT */
/* Network devices, for devices.c and device_files.c. */
#ifndef KERNEL_NET_DEVICES_H
#define KERNEL_NET_DEVICES_H

#include <linux/netdevice.h>

/* /sys/class/net and /proc/net/dev, while there is a device of a module. Under rtnl_lock(). */
int show_netdev(struct net_device *dev);
void hide_netdev(struct net_device *dev);

/* Tells all notifiers. Under rtnl_lock(). */
int tell_of_netdev(struct net_device *dev, unsigned long event);

#endif
