/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_ICMPV6_H
#define KERNEL_LINUX_ICMPV6_H

#include <linux/in6.h>		/* whose structures the system's header needs */
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
/* libc's <netinet/icmp6.h> has a structure of this name, too, for programs' sockets. */
#define icmp6_filter usermm_icmp6_filter
#include_next <linux/icmpv6.h>
#undef icmp6_filter

static inline struct icmp6hdr *icmp6_hdr(const struct sk_buff *skb)
{
	return (struct icmp6hdr *)skb_transport_header(skb);
}

#endif
