/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_TCP_STATES_H
#define _LINUX_TCP_STATES_H

#ifdef _NETINET_TCP_H		/* libc's header was first: it has the structures and most states */
#define TCP_NEW_SYN_RECV 12
#define TCP_MAX_STATES 13
#else
#define _NETINET_TCP_H 1
#include_next <linux/tcp.h>

enum {
	TCP_ESTABLISHED = 1, TCP_SYN_SENT, TCP_SYN_RECV, TCP_FIN_WAIT1, TCP_FIN_WAIT2,
	TCP_TIME_WAIT, TCP_CLOSE, TCP_CLOSE_WAIT, TCP_LAST_ACK, TCP_LISTEN, TCP_CLOSING,
	TCP_NEW_SYN_RECV, TCP_MAX_STATES,
};
#endif

enum {
	TCPF_ESTABLISHED = 1 << 1, TCPF_SYN_SENT = 1 << 2, TCPF_SYN_RECV = 1 << 3,
	TCPF_TIME_WAIT = 1 << 6, TCPF_CLOSE = 1 << 7, TCPF_LISTEN = 1 << 10,
};

#endif
