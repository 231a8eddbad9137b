/* SPDX-License-Identifier: MIT */
/* What a connection is known by. */
#ifndef _NF_CONNTRACK_TUPLE_H
#define _NF_CONNTRACK_TUPLE_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/list_nulls.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_tuple_common.h>
#include <linux/netfilter/x_tables.h>
#include <linux/types.h>

struct nf_conntrack_man {
	union nf_inet_addr u3;
	union nf_conntrack_man_proto u;
	u_int16_t l3num;
};

struct nf_conntrack_tuple {
	struct nf_conntrack_man src;
	struct {
		union nf_inet_addr u3;
		union {
			__be16 all;
			struct {
				__be16 port;
			} tcp, udp, dccp, sctp;
			struct {
				u_int8_t type, code;
			} icmp;
			struct {
				__be16 key;
			} gre;
		} u;
		u_int8_t protonum, dir;
	} dst;
};

struct nf_conntrack_tuple_hash {
	struct hlist_nulls_node hnnode;
	struct nf_conntrack_tuple tuple;
};

#endif
