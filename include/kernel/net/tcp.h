/* SPDX-License-Identifier: MIT */
#ifndef _TCP_H
#define _TCP_H

#include <asm/checksum.h>
#include <asm/ptrace.h>
#include <linux/bsearch.h>
#include <linux/compat.h>
#include <linux/dev_printk.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/if_vlan.h>
#include <linux/ioport.h>
#include <linux/ipv6.h>
#include <linux/memcontrol.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/static_call.h>
#include <linux/tcp.h>
#include <linux/uuid.h>
#include <net/ip.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#define TCP_CA_NAME_MAX 16
#define TCP_CONG_NON_RESTRICTED 0x1
#define TCP_CONG_NEEDS_ECN 0x2
#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define TCP_INIT_CWND 10

enum tcp_ca_event {
	CA_EVENT_TX_START, CA_EVENT_CWND_RESTART, CA_EVENT_COMPLETE_CWR, CA_EVENT_LOSS,
	CA_EVENT_ECN_NO_CE, CA_EVENT_ECN_IS_CE,
};

struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
	u32 in_flight;
};

struct rate_sample {
	u64 prior_mstamp;
	u32 prior_delivered;
	s32 delivered;
	long interval_us;
	long rtt_us;
	int losses;
	u32 acked_sacked, prior_in_flight;
	bool is_app_limited, is_retrans;
};

/* How fast a connection sends. A module can register its own; the machine's do not use it. */
struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*in_ack_event)(struct sock *sk, u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rate);
	u32 (*undo_cwnd)(struct sock *sk);
	u32 (*sndbuf_expand)(struct sock *sk);
	char name[TCP_CA_NAME_MAX];
	struct module *owner;
	struct list_head list;			/* Sync: tcp_cong.c's lock */
	u32 key, flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};

USERMM_BEGIN_DECLS

/* 0; -EINVAL without ssthresh, undo_cwnd, or one of the two that avoid congestion; -EEXIST. */
int tcp_register_congestion_control(struct tcp_congestion_ops *control)
	USERMM_API(tcp_register_congestion_control);
void tcp_unregister_congestion_control(struct tcp_congestion_ops *control)
	USERMM_API(tcp_unregister_congestion_control);
/* The usual steps: double until the threshold; the acknowledged ones that are left. Then by one. */
u32 tcp_slow_start(struct tcp_sock *tcp, u32 acked) USERMM_API(tcp_slow_start);
void tcp_cong_avoid_ai(struct tcp_sock *tcp, u32 window, u32 acked) USERMM_API(tcp_cong_avoid_ai);
u32 tcp_reno_ssthresh(struct sock *sk) USERMM_API(tcp_reno_ssthresh);
u32 tcp_reno_undo_cwnd(struct sock *sk) USERMM_API(tcp_reno_undo_cwnd);
void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked) USERMM_API(tcp_reno_cong_avoid);

USERMM_END_DECLS

static inline u32 tcp_snd_cwnd(const struct tcp_sock *tcp)
{
	return tcp->snd_cwnd;
}

static inline void tcp_snd_cwnd_set(struct tcp_sock *tcp, u32 window)
{
	tcp->snd_cwnd = window;
}

static inline bool tcp_in_slow_start(const struct tcp_sock *tcp)
{
	return tcp_snd_cwnd(tcp) < tcp->snd_ssthresh;
}

static inline bool tcp_is_cwnd_limited(const struct sock *sk)
{
	const struct tcp_sock *tcp = tcp_sk(sk);

	if (tcp->is_cwnd_limited)
		return true;
	return tcp_in_slow_start(tcp) && tcp_snd_cwnd(tcp) < 2 * tcp->max_packets_out;
}

static inline __sum16 tcp_v4_check(int n, __be32 from, __be32 to, __wsum sum)
{
	return csum_tcpudp_magic(from, to, (__u32)n, IPPROTO_TCP, sum);
}

#endif
