/* SPDX-License-Identifier: MIT */
#ifndef _INET_CONNECTION_SOCK_H
#define _INET_CONNECTION_SOCK_H

#include <linux/poll.h>
#include <linux/timer.h>
#include <net/inet_sock.h>

struct tcp_congestion_ops;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	const struct tcp_congestion_ops *icsk_ca_ops;
	u8 icsk_ca_state, icsk_retransmits;
	unsigned long icsk_timeout;
	u32 icsk_rto;
	u64 icsk_ca_priv[13];
};

#define ICSK_CA_PRIV_SIZE sizeof_field(struct inet_connection_sock, icsk_ca_priv)
#define inet_csk(sk) ((struct inet_connection_sock *)(sk))

/* The congestion control's own part. */
static inline void *inet_csk_ca(const struct sock *sk)
{
	return (void *)inet_csk(sk)->icsk_ca_priv;
}

#endif
