/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_NETFILTER_IPV6_H
#define KERNEL_LINUX_NETFILTER_IPV6_H

#include <linux/netfilter.h>
#include_next <linux/netfilter_ipv6.h>

#endif
