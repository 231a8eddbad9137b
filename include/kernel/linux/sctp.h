/* SPDX-License-Identifier: MIT */
/* Headers of SCTP's packets and of their chunks. */
#ifndef KERNEL_LINUX_SCTP_H
#define KERNEL_LINUX_SCTP_H

#include <linux/in.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include_next <linux/sctp.h>

struct sctphdr {
	__be16 source, dest;
	__be32 vtag;
	__le32 checksum;
};

struct sctp_chunkhdr {
	__u8 type, flags;
	__be16 length;
};

enum sctp_cid {
	SCTP_CID_DATA, SCTP_CID_INIT, SCTP_CID_INIT_ACK, SCTP_CID_SACK, SCTP_CID_HEARTBEAT,
	SCTP_CID_HEARTBEAT_ACK, SCTP_CID_ABORT, SCTP_CID_SHUTDOWN, SCTP_CID_SHUTDOWN_ACK,
	SCTP_CID_ERROR, SCTP_CID_COOKIE_ECHO, SCTP_CID_COOKIE_ACK, SCTP_CID_ECN_ECNE,
	SCTP_CID_ECN_CWR, SCTP_CID_SHUTDOWN_COMPLETE, SCTP_CID_AUTH,
	SCTP_CID_I_DATA = 0x40, SCTP_CID_FWD_TSN = 0xc0, SCTP_CID_ASCONF = 0xc1,
	SCTP_CID_ASCONF_ACK = 0x80, SCTP_CID_RECONF = 0x82,
};

static inline struct sctphdr *sctp_hdr(const struct sk_buff *skb)
{
	return (struct sctphdr *)skb_transport_header(skb);
}

#endif
