/* SPDX-License-Identifier: MIT */
/* IPv6's addresses: no device has one, so notifiers are not called. */
#ifndef _ADDRCONF_H
#define _ADDRCONF_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ipv6.h>
#include <net/if_inet6.h>

#define register_inet6addr_notifier(block) ((void)(block), 0)
#define unregister_inet6addr_notifier(block) ((void)(block), 0)

#endif
