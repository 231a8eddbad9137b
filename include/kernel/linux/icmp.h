/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_ICMP_H
#define KERNEL_LINUX_ICMP_H

#include <linux/skbuff.h>

/* Where libc's header was first, it has the structures. Where this one is, libc's adds nothing. */
#if !defined(__NETINET_IP_ICMP_H) && !defined(_NETINET_IP_ICMP_H)
#define __NETINET_IP_ICMP_H 1		/* glibc's */
#define _NETINET_IP_ICMP_H 1		/* musl's */
#include_next <linux/icmp.h>
#endif

#endif
