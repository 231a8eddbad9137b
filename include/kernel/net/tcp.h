/* SPDX-License-Identifier: MIT */
#ifndef _TCP_H
#define _TCP_H

#include <asm/checksum.h>
#include <net/ip.h>
#include <net/sock.h>
#ifndef _NETINET_TCP_H		/* libc has these structures, too */
#define _NETINET_TCP_H 1
#include <linux/tcp.h>
#endif

static inline __sum16 tcp_v4_check(int n, __be32 from, __be32 to, __wsum sum)
{
	return csum_tcpudp_magic(from, to, (__u32)n, IPPROTO_TCP, sum);
}

#endif
