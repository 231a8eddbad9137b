/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_NETFILTER_BRIDGE_H
#define KERNEL_LINUX_NETFILTER_BRIDGE_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include_next <linux/netfilter_bridge.h>

#endif
