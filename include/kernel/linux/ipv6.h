/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IPV6_H
#define KERNEL_LINUX_IPV6_H

#include <linux/in6.h>		/* whose structures the system's header needs */
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#ifdef _NETINET_IN_H
/* libc's has these as well, whichever came first. */
#include <linux/libc-compat.h>
#undef __UAPI_DEF_IN6_PKTINFO
#define __UAPI_DEF_IN6_PKTINFO 0
#undef __UAPI_DEF_IP6_MTUINFO
#define __UAPI_DEF_IP6_MTUINFO 0
#endif
#include_next <linux/ipv6.h>
#include <linux/icmpv6.h>

#define ipv6_authlen(header) (((header)->hdrlen + 2) << 2)
#define ipv6_optlen(header) (((header)->hdrlen + 1) << 3)
#define inet6_iif(skb) ((skb)->skb_iif)

#endif
