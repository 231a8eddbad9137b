/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IF_ARP_H
#define KERNEL_LINUX_IF_ARP_H

/* Where libc's header was first, it has the structures. Where this one is, libc's adds nothing. */
#if !defined(_NET_IF_ARP_H)
#define _NET_IF_ARP_H 1
#include_next <linux/if_arp.h>
#endif

#endif
