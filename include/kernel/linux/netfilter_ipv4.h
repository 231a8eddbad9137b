/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_NETFILTER_IPV4_H
#define KERNEL_LINUX_NETFILTER_IPV4_H

#include <linux/netfilter.h>
#include_next <linux/netfilter_ipv4.h>

#endif
