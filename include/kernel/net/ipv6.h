/* SPDX-License-Identifier: MIT */
#ifndef _NET_IPV6_H
#define _NET_IPV6_H

#include <linux/in6.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <net/sock.h>

#define NEXTHDR_HOP 0
#define NEXTHDR_IPV4 4
#define NEXTHDR_TCP 6
#define NEXTHDR_UDP 17
#define NEXTHDR_IPV6 41
#define NEXTHDR_ROUTING 43
#define NEXTHDR_FRAGMENT 44
#define NEXTHDR_GRE 47
#define NEXTHDR_ESP 50
#define NEXTHDR_AUTH 51
#define NEXTHDR_ICMP 58
#define NEXTHDR_NONE 59
#define NEXTHDR_DEST 60
#define NEXTHDR_SCTP 132
#define NEXTHDR_MOBILITY 135
#define NEXTHDR_MAX 255

struct frag_hdr {
	__u8 nexthdr, reserved;
	__be16 frag_off;
	__be32 identification;
};

#define IP6_MF 0x0001
#define IP6_OFFSET 0xfff8

static inline bool ipv6_addr_equal(const struct in6_addr *a, const struct in6_addr *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* ::, of no host. */
static inline bool ipv6_addr_any(const struct in6_addr *address)
{
	static const struct in6_addr none;

	return ipv6_addr_equal(address, &none);
}

/* ::1 */
static inline bool ipv6_addr_loopback(const struct in6_addr *address)
{
	static const struct in6_addr loopback = { .s6_addr = { [15] = 1 } };

	return ipv6_addr_equal(address, &loopback);
}

/* Is it a header that another one follows? */
static inline bool ipv6_ext_hdr(u8 number)
{
	return number == NEXTHDR_HOP || number == NEXTHDR_ROUTING || number == NEXTHDR_FRAGMENT ||
	       number == NEXTHDR_AUTH || number == NEXTHDR_NONE || number == NEXTHDR_DEST;
}

#endif
