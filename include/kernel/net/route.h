/* SPDX-License-Identifier: MIT */
/*
 * IPv4's routes. There is one: 127.0.0.0/8 leads to lo. The machine's own are not seen. libc has a
 * header of this name, which a source that is no kernel's gets alone. (__KERNEL__ does not tell
 * them apart: <linux/kconfig.h> defines it, and libc's own headers lead there.)
 */
#if defined(KBUILD_MODNAME) || defined(KERNEL_LINUX_SKBUFF_H)
#include <linux/route.h>
#include <linux/socket.h>	/* before libc's: see there */
#endif
#include_next <net/route.h>
#if !defined(KERNEL_NET_ROUTE_H) && (defined(KBUILD_MODNAME) || defined(KERNEL_LINUX_SKBUFF_H))
#define KERNEL_NET_ROUTE_H

#include <linux/err.h>
#include <linux/in.h>
#include <linux/inetdevice.h>
#include <linux/version.h>
#include <net/arp.h>
#include <net/dst.h>
#include <net/flow.h>
#include <net/ip.h>

#undef RT_TOS
#define RT_TOS(tos) ((tos) & 0x1e)
#define RT_CONN_FLAGS(sk) ((void)(sk), (__u8)0)

struct sock;

struct rtable {
	struct dst_entry dst;
	int rt_genid;
	unsigned int rt_flags;
	__u16 rt_type;
	__u8 rt_is_input, rt_uses_gateway;
	int rt_iif;
	u8 rt_gw_family;
	__be32 rt_gw4;
	u32 rt_pmtu;
};

USERMM_BEGIN_DECLS

/*
 * The route to flow->daddr, which the caller drops by ip_rt_put(); saddr is filled in if it is 0.
 * ERR_PTR(-ENETUNREACH): there is none. In any context.
 */
struct rtable *usermm_ip_route(struct flowi4 *flow)
	USERMM_API(ip_route_output_key);

USERMM_END_DECLS

#define ip_route_output_key(net, flow) ((void)(net), usermm_ip_route(flow))
#define __ip_route_output_key(net, flow) ip_route_output_key(net, flow)
#define ip_route_output_flow(net, flow, sk) ((void)(sk), ip_route_output_key(net, flow))
#define ip_rt_put(rt) dst_release(&(rt)->dst)
#define skb_rtable(skb) ((struct rtable *)skb_dst(skb))
#define ip4_dst_hoplimit(dst) ((void)(dst), 64)
#define rt_nexthop(rt, destination) ((rt)->rt_gw4 ? (rt)->rt_gw4 : (destination))

/* From 6.10 on with a scope. */
#define ip_route_output(net, to, from, tos, ...) \
	((void)(net), usermm_ip_route_output(to, from, tos))

static inline struct rtable *usermm_ip_route_output(__be32 to, __be32 from, u8 tos)
{
	struct flowi4 flow = { .flowi4_tos = tos, .daddr = to, .saddr = from };

	return usermm_ip_route(&flow);
}

static inline struct rtable *ip_route_output_ports(struct net *net, struct flowi4 *flow,
						   const struct sock *sk, __be32 to, __be32 from,
						   __be16 dport, __be16 sport, __u8 protocol,
						   __u8 tos, int oif)
{
	(void)net;
	(void)sk;
	*flow = (struct flowi4){
		.flowi4_oif = oif, .flowi4_proto = protocol, .flowi4_tos = tos, .daddr = to,
		.saddr = from, .fl4_dport = dport, .fl4_sport = sport,
	};
	return usermm_ip_route(flow);
}

#endif
