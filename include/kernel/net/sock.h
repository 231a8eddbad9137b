/* SPDX-License-Identifier: MIT */
/* Sockets of the kernel's side. Nobody is at the other end. */
#ifndef _SOCK_H
#define _SOCK_H

#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>

struct sock {
	void *sk_user_data;
	struct sk_buff_head sk_receive_queue;
	int sk_protocol;
};

#endif
