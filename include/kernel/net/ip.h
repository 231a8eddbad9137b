/* SPDX-License-Identifier: MIT */
#ifndef _IP_H
#define _IP_H

#include <linux/in.h>
#include <linux/ip.h>
#include <net/sock.h>

static inline unsigned int ip_hdrlen(const struct sk_buff *skb)
{
	return ip_hdr(skb)->ihl * 4U;
}

#endif
