/* SPDX-License-Identifier: MIT */
/* What a route is asked for. */
#ifndef _NET_FLOW_H
#define _NET_FLOW_H

#include <linux/in.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct flowi_common {
	int flowic_oif, flowic_iif, flowic_l3mdev;
	__u32 flowic_mark;
	__u8 flowic_tos, flowic_scope, flowic_proto, flowic_flags;
	__u32 flowic_secid;
	kuid_t flowic_uid;
	__u32 flowic_multipath_hash;
};

union flowi_uli {
	struct {
		__be16 dport, sport;
	} ports;
	struct {
		__u8 type, code;
	} icmpt;
	__be32 gre_key;
};

struct flowi4 {
	struct flowi_common __fl_common;
	__be32 saddr, daddr;
	union flowi_uli uli;
};

#define flowi4_oif __fl_common.flowic_oif
#define flowi4_iif __fl_common.flowic_iif
#define flowi4_mark __fl_common.flowic_mark
#define flowi4_tos __fl_common.flowic_tos
#define flowi4_scope __fl_common.flowic_scope
#define flowi4_proto __fl_common.flowic_proto
#define flowi4_flags __fl_common.flowic_flags
#define flowi4_uid __fl_common.flowic_uid
#define fl4_sport uli.ports.sport
#define fl4_dport uli.ports.dport
#define fl4_icmp_type uli.icmpt.type
#define fl4_icmp_code uli.icmpt.code

#endif
