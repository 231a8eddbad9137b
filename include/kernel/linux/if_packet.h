/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IF_PACKET_H
#define KERNEL_LINUX_IF_PACKET_H

/* Where libc's header was first, it has the structures. Where this one is, libc's adds nothing. */
#if !defined(__NETPACKET_PACKET_H) && !defined(_NETPACKET_PACKET_H)
#define __NETPACKET_PACKET_H 1		/* glibc's */
#define _NETPACKET_PACKET_H 1		/* musl's */
#include_next <linux/if_packet.h>
#endif

#endif
