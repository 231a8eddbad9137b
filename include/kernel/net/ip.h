/* SPDX-License-Identifier: MIT */
#ifndef _IP_H
#define _IP_H

#include <asm/checksum.h>
#include <linux/dev_printk.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/in.h>
#include <linux/ioport.h>
#include <linux/ip.h>
#include <linux/jhash.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/rtnetlink.h>
#include <linux/uuid.h>
#include <linux/version.h>
#include <net/sock.h>

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

USERMM_BEGIN_DECLS

/*
 * Sends an IPv4 packet, whose length and sum it fills in, to where skb_dst() leads: past the hooks
 * LOCAL_OUT and POST_ROUTING. Takes the packet. What dev_queue_xmit() returns, 0 for a packet that
 * was stolen, -EPERM for one that was dropped, -ENETUNREACH without skb_dst(). In any context.
 */
int usermm_ip_local_out(struct sk_buff *skb)
	USERMM_API(ip_local_out);
/* Looks for the route anew after the header has changed: 0, -ENETUNREACH. */
int usermm_ip_route_me_harder(struct sk_buff *skb)
	USERMM_API(ip_route_me_harder);

USERMM_END_DECLS

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 4, 0)
#define ip_local_out(skb) usermm_ip_local_out(skb)
#define ip_route_me_harder(skb, type) ((void)(type), usermm_ip_route_me_harder(skb))
#else
#define ip_local_out(net, sk, skb) ((void)(net), (void)(sk), usermm_ip_local_out(skb))
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#define ip_route_me_harder(net, skb, type) \
	((void)(net), (void)(type), usermm_ip_route_me_harder(skb))
#else
#define ip_route_me_harder(net, sk, skb, type) \
	((void)(net), (void)(sk), (void)(type), usermm_ip_route_me_harder(skb))
#endif
#endif

static inline void ip_send_check(struct iphdr *header)
{
	header->check = 0;
	header->check = ip_fast_csum(header, header->ihl);
}

#endif
