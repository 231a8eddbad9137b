/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TCP_H
#define KERNEL_LINUX_TCP_H

#include <linux/skbuff.h>
#include <net/inet_connection_sock.h>
#include <net/inet_sock.h>
#include <net/tcp_states.h>	/* and struct tcphdr */

static inline unsigned int tcp_hdrlen(const struct sk_buff *skb)
{
	return tcp_hdr(skb)->doff * 4U;
}

static inline unsigned int tcp_optlen(const struct sk_buff *skb)
{
	return (tcp_hdr(skb)->doff - 5U) * 4;
}

#endif
