/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_ICMPV6_H
#define KERNEL_LINUX_ICMPV6_H

#include <linux/in6.h>		/* whose structures the system's header needs */
#include <linux/skbuff.h>
#include_next <linux/icmpv6.h>

static inline struct icmp6hdr *icmp6_hdr(const struct sk_buff *skb)
{
	return (struct icmp6hdr *)skb_transport_header(skb);
}

#endif
