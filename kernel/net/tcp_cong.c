// SPDX-License-Identifier: MIT
/* Congestion controls, and the steps that they share. cf. Linux net/ipv4/tcp_cong.c. */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <net/tcp.h>

static DEFINE_MUTEX(lock);
static LIST_HEAD(controls);		/* Sync: lock */
static const char *const names_of_linux[] = { "reno", "cubic" };

/* The caller holds the lock. */
static bool is_taken(const char *name)
{
	const struct tcp_congestion_ops *control;

	for (size_t i = 0; i < ARRAY_SIZE(names_of_linux); i++)
		if (!strcmp(names_of_linux[i], name))
			return true;
	list_for_each_entry(control, &controls, list)
		if (!strcmp(control->name, name))
			return true;
	return false;
}

int tcp_register_congestion_control(struct tcp_congestion_ops *control)
{
	int error = 0;

	if (!control->ssthresh || !control->undo_cwnd ||
	    !(control->cong_avoid || control->cong_control)) {
		pr_err("%s does not implement required ops\n", control->name);
		return -EINVAL;
	}
	mutex_lock(&lock);
	if (is_taken(control->name)) {
		pr_notice("%s already registered or non-unique key\n", control->name);
		error = -EEXIST;
	} else {
		list_add_tail(&control->list, &controls);
	}
	mutex_unlock(&lock);
	return error;
}

void tcp_unregister_congestion_control(struct tcp_congestion_ops *control)
{
	mutex_lock(&lock);
	list_del(&control->list);
	mutex_unlock(&lock);
}

u32 tcp_slow_start(struct tcp_sock *tcp, u32 acked)
{
	u32 window = min(tcp_snd_cwnd(tcp) + acked, tcp->snd_ssthresh);

	acked -= window - tcp_snd_cwnd(tcp);
	tcp_snd_cwnd_set(tcp, min(window, tcp->snd_cwnd_clamp));
	return acked;
}

/* One more for each `window` that were acknowledged. */
void tcp_cong_avoid_ai(struct tcp_sock *tcp, u32 window, u32 acked)
{
	if (tcp->snd_cwnd_cnt >= window) {
		tcp->snd_cwnd_cnt = 0;
		tcp_snd_cwnd_set(tcp, tcp_snd_cwnd(tcp) + 1);
	}
	tcp->snd_cwnd_cnt += acked;
	if (tcp->snd_cwnd_cnt >= window) {
		u32 more = tcp->snd_cwnd_cnt / window;

		tcp->snd_cwnd_cnt -= more * window;
		tcp_snd_cwnd_set(tcp, tcp_snd_cwnd(tcp) + more);
	}
	tcp_snd_cwnd_set(tcp, min(tcp_snd_cwnd(tcp), tcp->snd_cwnd_clamp));
}

void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tcp = tcp_sk(sk);

	(void)ack;
	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tcp)) {
		acked = tcp_slow_start(tcp, acked);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tcp, tcp_snd_cwnd(tcp), acked);
}

u32 tcp_reno_ssthresh(struct sock *sk)
{
	return max(tcp_snd_cwnd(tcp_sk(sk)) >> 1, 2U);
}

u32 tcp_reno_undo_cwnd(struct sock *sk)
{
	const struct tcp_sock *tcp = tcp_sk(sk);

	return max(tcp_snd_cwnd(tcp), tcp->prior_cwnd);
}
