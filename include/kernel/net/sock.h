/* SPDX-License-Identifier: MIT */
/* Sockets of the kernel's side. Nobody is at the other end. */
#ifndef _SOCK_H
#define _SOCK_H

#include <linux/dev_printk.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/in.h>
#include <linux/ioport.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/skbuff.h>
#include <linux/uuid.h>
#include <net/net_namespace.h>

struct sock {
	void *sk_user_data;
	struct sk_buff_head sk_receive_queue;
	int sk_protocol;
	unsigned short sk_family, sk_type;
	unsigned char sk_reuse, sk_state;
	int sk_rcvbuf, sk_sndbuf;
	gfp_t sk_allocation;
	long sk_rcvtimeo, sk_sndtimeo;
	__be16 sk_dport;
	__u16 sk_num;
	__be32 sk_daddr, sk_rcv_saddr;
	struct socket *sk_socket;
	void (*sk_data_ready)(struct sock *sk);
	void (*sk_state_change)(struct sock *sk);
	void (*sk_write_space)(struct sock *sk);
};

#define SK_CAN_REUSE 1
#define sock_hold(sk) ((void)(sk))
#define sock_put(sk) ((void)(sk))
#define lock_sock(sk) ((void)(sk))
#define release_sock(sk) ((void)(sk))
#define sock_set_reuseaddr(sk) ((void)((sk)->sk_reuse = SK_CAN_REUSE))
#define sock_no_linger(sk) ((void)(sk))
#define tcp_sock_set_nodelay(sk) ((void)(sk))

#endif
