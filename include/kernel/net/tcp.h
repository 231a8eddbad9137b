/* SPDX-License-Identifier: MIT */
#ifndef _TCP_H
#define _TCP_H

#include <net/ip.h>
#include <net/sock.h>
#ifndef _NETINET_TCP_H		/* libc has these structures, too */
#define _NETINET_TCP_H 1
#include <linux/tcp.h>
#endif

#endif
