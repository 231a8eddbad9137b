/* SPDX-License-Identifier: MIT */
#ifndef _NET_IP6_CHECKSUM_H
#define _NET_IP6_CHECKSUM_H

#include <asm/byteorder.h>
#include <asm/checksum.h>
#include <linux/in6.h>
#include <linux/ipv6.h>
#include <net/ip.h>

/* The sum of a packet's bytes and of what IPv6's pseudo header says of it. */
static inline __sum16 csum_ipv6_magic(const struct in6_addr *from, const struct in6_addr *to,
				      __u32 n, __u8 protocol, __wsum sum)
{
	__be32 rest[2] = { htonl(n), htonl(protocol) };

	sum = csum_partial(from, sizeof(*from), sum);
	sum = csum_partial(to, sizeof(*to), sum);
	return csum_fold(csum_partial(rest, sizeof(rest), sum));
}

static inline __sum16 udp_v6_check(int n, const struct in6_addr *from, const struct in6_addr *to,
				   __wsum sum)
{
	return csum_ipv6_magic(from, to, (__u32)n, IPPROTO_UDP, sum);
}

static inline __sum16 tcp_v6_check(int n, const struct in6_addr *from, const struct in6_addr *to,
				   __wsum sum)
{
	return csum_ipv6_magic(from, to, (__u32)n, IPPROTO_TCP, sum);
}

#endif
