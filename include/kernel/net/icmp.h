/* SPDX-License-Identifier: MIT */
#ifndef _ICMP_H
#define _ICMP_H

#include <net/if.h>		/* before linux/if.h, which heeds it */
#include <linux/skbuff.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#ifndef __NETINET_IP_ICMP_H	/* libc has these structures, too */
#define __NETINET_IP_ICMP_H 1
#include <linux/icmp.h>
#endif

/* Linux answers packets that have a route. No packet here has one, so nothing is sent. */
static inline void icmp_send(struct sk_buff *skb, int type, int code, __be32 info)
{
}

#endif
