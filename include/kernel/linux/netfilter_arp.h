/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_NETFILTER_ARP_H
#define KERNEL_LINUX_NETFILTER_ARP_H

#include <linux/netfilter.h>
#include_next <linux/netfilter_arp.h>

#endif
