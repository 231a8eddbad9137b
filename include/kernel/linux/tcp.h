/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TCP_H
#define KERNEL_LINUX_TCP_H

#include <linux/skbuff.h>
#include <net/inet_connection_sock.h>
#include <net/inet_sock.h>
#include <net/tcp_states.h>	/* and struct tcphdr */

/* What congestion controls look at. No connection of the machine has one. */
struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 snd_una, snd_nxt, rcv_nxt, write_seq;
	u32 snd_cwnd, snd_cwnd_cnt, snd_cwnd_clamp, snd_ssthresh, prior_cwnd, prior_ssthresh;
	u32 packets_out, sacked_out, lost_out, retrans_out, max_packets_out;
	u32 srtt_us, mdev_us, rttvar_us, mss_cache, delivered, lost, snd_wnd, rcv_wnd;
	u64 tcp_mstamp, bytes_acked, bytes_received;
	bool is_cwnd_limited;
};

#define tcp_sk(sk) ((struct tcp_sock *)(sk))

static inline unsigned int tcp_hdrlen(const struct sk_buff *skb)
{
	return tcp_hdr(skb)->doff * 4U;
}

static inline unsigned int tcp_optlen(const struct sk_buff *skb)
{
	return (tcp_hdr(skb)->doff - 5U) * 4;
}

#endif
