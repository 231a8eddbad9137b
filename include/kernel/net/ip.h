/* SPDX-License-Identifier: MIT */
#ifndef _IP_H
#define _IP_H

#include <asm/checksum.h>
#include <linux/dev_printk.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/in.h>
#include <linux/ioport.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/uuid.h>
#include <net/sock.h>
#ifndef __NETINET_IP_H		/* libc has these structures, too */
#define __NETINET_IP_H 1
#include <linux/ip.h>
#endif

static inline unsigned int ip_hdrlen(const struct sk_buff *skb)
{
	return ip_hdr(skb)->ihl * 4U;
}

#define IP_CE 0x8000
#define IP_DF 0x4000
#define IP_MF 0x2000
#define IP_OFFSET 0x1fff

static inline bool ip_is_fragment(const struct iphdr *header)
{
	return be16_to_cpu(header->frag_off) & (IP_MF | IP_OFFSET);
}

static inline void ip_send_check(struct iphdr *header)
{
	header->check = 0;
	header->check = ip_fast_csum(header, header->ihl);
}

#endif
