/* SPDX-License-Identifier: MIT */
#ifndef __NET_GENERIC_H__
#define __NET_GENERIC_H__

#include <net/net_namespace.h>

USERMM_BEGIN_DECLS

/* The bytes of a pernet_operations whose id this is, while it is registered. In any context. */
void *net_generic(const struct net *net, unsigned int id) USERMM_API(net_generic);

USERMM_END_DECLS

#endif
