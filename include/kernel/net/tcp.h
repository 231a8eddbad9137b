/* SPDX-License-Identifier: MIT */
#ifndef _TCP_H
#define _TCP_H

#include <asm/checksum.h>
#include <linux/dev_printk.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/ioport.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/uuid.h>
#include <net/ip.h>
#include <net/sock.h>
#include <net/tcp_states.h>

static inline __sum16 tcp_v4_check(int n, __be32 from, __be32 to, __wsum sum)
{
	return csum_tcpudp_magic(from, to, (__u32)n, IPPROTO_TCP, sum);
}

#endif
