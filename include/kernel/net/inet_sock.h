/* SPDX-License-Identifier: MIT */
#ifndef _INET_SOCK_H
#define _INET_SOCK_H

#include <linux/jhash.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

struct inet_sock {
	struct sock sk;
	__be32 inet_saddr, inet_daddr;
	__be16 inet_sport, inet_dport;
};

static inline struct inet_sock *inet_sk(const struct sock *sk)
{
	return container_of((struct sock *)sk, struct inet_sock, sk);
}

#endif
