/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_UDP_H
#define KERNEL_LINUX_UDP_H

#include <linux/skbuff.h>

/* Where libc's header was first, it has the structures. Where this one is, libc's adds nothing. */
#if !defined(__NETINET_UDP_H) && !defined(_NETINET_UDP_H)
#define __NETINET_UDP_H 1		/* glibc's */
#define _NETINET_UDP_H 1		/* musl's */
#include_next <linux/udp.h>
#endif

#endif
